/* SPDX-License-Identifier: Apache-2.0 */
/* The board's LED, if its pins header names one (hal/stm32f405/pins.h). */
#ifndef HAL_STM32F405_LED_H
#define HAL_STM32F405_LED_H

/* Makes the LED's pin an output; the LED is off. Once, before board_led(). */
void led_start(void);

#endif
