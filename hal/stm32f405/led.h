/* SPDX-License-Identifier: Apache-2.0 */
/* The board's LED, by which people find it: between PC13 and the supply. */
#ifndef HAL_STM32F405_LED_H
#define HAL_STM32F405_LED_H

#include <stdbool.h>

/* Makes the pin an output; the LED is off. Once, before the next one. */
void led_start(void);

/* Any context. */
void led_set(bool on);

#endif
