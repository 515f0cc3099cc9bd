/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/stm32f405/led.h"

#include "hal/stm32f405/gpio.h"

#ifdef PINS_LED

void led_start(void)
{
    gpio_set_output(PINS_LED, PINS_LED_LIT == 0);
}

void led_set(bool on)
{
    gpio_write(PINS_LED, on == (PINS_LED_LIT == 1));
}

#else

void led_start(void)
{
}

void led_set(bool on)
{
    (void)on;
}

#endif
