/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/chip.h"

enum offset {
    MODER = 0x00,
    OSPEEDR = 0x08,
    PUPDR = 0x0c,
    ODR = 0x14,
    BSRR = 0x18,
    AFRL = 0x20,
    AFRH = 0x24
};

#define MODE_ALTERNATE 2u

/* Data sheet, table 9: those of its pins that headers of pins use. */
static const struct {
    uint8_t usart;
    uint8_t tx;
    uint8_t rx;
    uint8_t function;
} places[] = {
    {0, 0x16, 0x17, 7}, /* USART1: PB6, PB7 */
    {1, 0x02, 0x03, 7}, /* USART2: PA2, PA3 */
    {2, 0x1a, 0x1b, 7}, /* USART3: PB10, PB11 */
    {3, 0x00, 0x01, 8}, /* UART4: PA0, PA1 */
    {3, 0x2a, 0x2b, 8}, /* PC10, PC11 */
    {4, 0x2c, 0x32, 8}, /* UART5: PC12, PD2 */
    {5, 0x26, 0x27, 8}, /* USART6: PC6, PC7 */
};

#define PLACES (sizeof places / sizeof *places)

/* 8.4.1 to 8.4.4: the debug port's pins are not inputs after a reset. */
void gpio_reset(struct chip *chip, unsigned index)
{
    static const struct gpio fresh[GPIO_COUNT] = {
        {.moder = 0xa8000000u, .ospeedr = 0x0c000000u, .pupdr = 0x64000000u},
        {.moder = 0x00000280u, .ospeedr = 0x000000c0u, .pupdr = 0x00000100u}};

    chip->gpio[index] = fresh[index];
}

static unsigned field(uint32_t bits, unsigned pin)
{
    return bits >> 2 * (pin & 0xfu) & 3u;
}

static unsigned function_of(const struct gpio *gpio, unsigned pin)
{
    pin &= 0xfu;
    return gpio->afr[pin / 8] >> 4 * (pin % 8) & 0xfu;
}

/* Whether a pin is given to alternate function `function`. */
static bool is_at(const struct chip *chip, unsigned pin, unsigned function)
{
    const struct gpio *gpio = &chip->gpio[pin >> 4];

    return field(gpio->moder, pin) == MODE_ALTERNATE &&
           function_of(gpio, pin) == function;
}

int gpio_tx_pin(const struct chip *chip, unsigned usart)
{
    for (unsigned i = 0; i < PLACES; ++i) {
        if (places[i].usart == usart &&
            is_at(chip, places[i].tx, places[i].function)) {
            return places[i].tx;
        }
    }
    return -1;
}

int gpio_rx_usart(const struct chip *chip, unsigned pin)
{
    for (unsigned i = 0; i < PLACES; ++i) {
        if (places[i].rx == pin && is_at(chip, pin, places[i].function)) {
            return places[i].usart;
        }
    }
    return -1;
}

static uint32_t *at(struct gpio *gpio, unsigned offset)
{
    switch (offset) {
    case MODER:
        return &gpio->moder;
    case OSPEEDR:
        return &gpio->ospeedr;
    case PUPDR:
        return &gpio->pupdr;
    case ODR:
        return &gpio->odr;
    case AFRL:
    case AFRH:
        return &gpio->afr[(offset - AFRL) / 4];
    default:
        return NULL;
    }
}

bool gpio_read(struct chip *chip, unsigned index, unsigned offset,
               uint32_t *value)
{
    const uint32_t *reg = at(&chip->gpio[index], offset);

    return device_give(reg, value);
}

/* Outputs change by BSRR alone (8.4.7: set wins). */
bool gpio_write(struct chip *chip, unsigned index, unsigned offset,
                uint32_t value)
{
    struct gpio *gpio = &chip->gpio[index];
    uint32_t *reg = at(gpio, offset);

    if (offset == BSRR) {
        value = (gpio->odr & ~(value >> 16)) | (value & 0xffffu);
        gpio->edges += gpio->odr != value;
        gpio->odr = value;
        return true;
    }
    if (reg == NULL || offset == ODR) {
        return false;
    }
    *reg = value;
    if (index == 0 && offset == MODER && (value >> 26 & 0xfu) != 0xau) {
        chip_complain(chip, "the debug port's pins PA13, PA14 are taken away");
    }
    return true;
}
