/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Supply voltage and the chip's temperature, by ADC1 (RM0090, 13.10 and 13.11):
 * its internal reference and its sensor, each compared with what the factory
 * measured at 3.3 V. The temperature is good to some degrees.
 */
#ifndef HAL_STM32F405_SENSOR_H
#define HAL_STM32F405_SENSOR_H

/* After clocks_start(); not on the emulator, which has no such device. */
void sensor_start(void);

/* Takes the last conversion and begins the next: every millisecond, or more
   seldom. Cost: about 40 instructions. */
void sensor_tick(void);

#endif
