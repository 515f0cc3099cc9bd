/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that set up pins (RM0090, 8.4) and write their levels. */
#ifndef HAL_STM32F405_GPIO_H
#define HAL_STM32F405_GPIO_H

#include "hal/stm32f405/pins.h"
#include "hal/stm32f405/registers.h"

#include <stdbool.h>

#define GPIO_BANK_PINS 16u

static inline struct stm32_gpio *gpio_bank(enum pins_pin pin)
{
    static struct stm32_gpio *const banks[] = {GPIOA, GPIOB, GPIOC, GPIOD,
                                               GPIOE};

    return banks[pin / GPIO_BANK_PINS];
}

static inline void gpio_start_bank(enum pins_pin pin)
{
    RCC->AHB1ENR |= RCC_AHB1ENR_GPIOAEN << pin / GPIO_BANK_PINS;
}

static inline void gpio_set_mode(struct stm32_gpio *bank, unsigned number,
                                 uint32_t mode)
{
    bank->MODER =
        (bank->MODER & ~(GPIO_MODER_MASK << 2 * number)) | mode << 2 * number;
}

/* Connects the pin, with a pull-up, to its alternate function, 0 to 15. */
static inline void gpio_set_function(enum pins_pin pin, uint32_t function)
{
    struct stm32_gpio *bank = gpio_bank(pin);
    unsigned number = pin % GPIO_BANK_PINS;
    volatile uint32_t *functions = number < 8 ? &bank->AFRL : &bank->AFRH;
    unsigned shift = 4 * (number % 8);

    gpio_start_bank(pin);
    *functions = (*functions & ~(0xfu << shift)) | function << shift;
    bank->OSPEEDR |= GPIO_OSPEEDR_HIGH << 2 * number;
    bank->PUPDR |= GPIO_PUPDR_UP << 2 * number;
    gpio_set_mode(bank, number, GPIO_MODER_ALTERNATE);
}

/* Sets an output's level. Any context: one store changes this pin only. */
static inline void gpio_write(enum pins_pin pin, bool high)
{
    gpio_bank(pin)->BSRR = 1u << (pin % GPIO_BANK_PINS + (high ? 0u : 16u));
}

/* Makes the pin an output that has this level from the first moment. */
static inline void gpio_set_output(enum pins_pin pin, bool high)
{
    gpio_start_bank(pin);
    gpio_write(pin, high);
    gpio_set_mode(gpio_bank(pin), pin % GPIO_BANK_PINS, GPIO_MODER_OUTPUT);
}

/* Makes the LED's pin, if any, an output; the LED is off. */
void led_start(void);

#endif
