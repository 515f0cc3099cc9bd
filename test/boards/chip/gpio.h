/* SPDX-License-Identifier: Apache-2.0 */
/* Pins (RM0090, 8), and which USART is behind which (data sheet, table 9). */
#ifndef TEST_BOARDS_CHIP_GPIO_H
#define TEST_BOARDS_CHIP_GPIO_H

#include <stdbool.h>
#include <stdint.h>

struct chip;

#define GPIO_COUNT 9u /* A to I */
#define GPIO_NO_PIN 0xffu

struct gpio {
    uint32_t moder;
    uint32_t otyper;
    uint32_t ospeedr;
    uint32_t pupdr;
    uint32_t odr;
    uint32_t lckr;
    uint32_t afr[2];
    uint32_t open;  /* pins with nothing at the other end */
    uint32_t edges; /* changes of outputs, of all pins */
};

/* Pin 3 of GPIOB is 0x13. */
static inline unsigned gpio_pin(unsigned port, unsigned number)
{
    return port << 4 | number;
}

void gpio_reset(struct chip *chip, unsigned port);
uint32_t gpio_read(struct chip *chip, unsigned port, unsigned offset);
void gpio_write(struct chip *chip, unsigned port, unsigned offset,
                uint32_t value);

/* The pins that a USART's TX drives now: at most 4, result: how many. */
unsigned gpio_tx_pins(const struct chip *chip, unsigned usart, unsigned *pins);

/* The USART whose RX a pin is now; -1: none. */
int gpio_rx_usart(const struct chip *chip, unsigned pin);

/* The level of an output. */
bool gpio_high(const struct chip *chip, unsigned pin);

/* A complaint if the USART's RX is on no pin, or on one that floats. */
void gpio_check_rx(struct chip *chip, unsigned usart);

#endif
