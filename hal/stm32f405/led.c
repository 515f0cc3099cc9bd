/* SPDX-License-Identifier: Apache-2.0 */
/* RM0090, 8.4. */
#include "hal/stm32f405/led.h"

#include "hal/stm32f405/registers.h"

#define PIN 13u

void led_start(void)
{
    RCC->AHB1ENR |= RCC_AHB1ENR_GPIOCEN;
    led_set(false);
    GPIOC->MODER = (GPIOC->MODER & ~(GPIO_MODER_MASK << 2u * PIN)) |
                   GPIO_MODER_OUTPUT << 2u * PIN;
}

/* The lower half of BSRR sets pins, the upper one clears them. */
void led_set(bool on)
{
    GPIOC->BSRR = 1u << (on ? PIN + 16u : PIN);
}
