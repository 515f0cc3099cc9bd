/* SPDX-License-Identifier: Apache-2.0 */
/* Measures supply voltage and chip temperature by ADC1 (RM0090, 13.10 and
   13.11). The temperature is good to some degrees. */
#ifndef HAL_STM32F405_SENSOR_H
#define HAL_STM32F405_SENSOR_H

/* Starts the ADC, after clocks_start(). Not on the emulator: it has no ADC. */
void sensor_start(void);

/* Reads the last conversion and starts the next; called every millisecond or
   less often. board_measure() has the results. Cost: about 40 instructions. */
void sensor_tick(void);

#endif
