/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/stm32f405/gpio.h"

#include "hal/serial/board.h"

void led_start(void)
{
    if (PINS_LED < PINS_COUNT) {
        gpio_set_output(PINS_LED, PINS_LED_LIT == 0);
    }
}

void board_led(bool on)
{
    if (PINS_LED < PINS_COUNT) {
        gpio_write(PINS_LED, on == (PINS_LED_LIT == 1));
    }
}
