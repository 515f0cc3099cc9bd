/* SPDX-License-Identifier: Apache-2.0 */
/* The board's LED, if its pins header names one (hal/stm32f405/pins.h). */
#ifndef HAL_STM32F405_LED_H
#define HAL_STM32F405_LED_H

#include <stdbool.h>

/* Makes its pin an output; the LED is off. Once, before led_set(). */
void led_start(void);

/* Any context. Does nothing on a board without an LED. */
void led_set(bool on);

#endif
