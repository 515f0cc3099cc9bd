/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which crystal the board has, so that one image serves all: TIM11 counts the
 * 16 MHz oscillator (HSI) between edges of the crystal's clock, which reaches
 * its input by way of the RTC's prescaler (RM0090, 7.2.12 and 19.5.11).
 *
 * HSI is good to 1 % at 25 degrees and to some 4 % from -10 to 85 degrees (data
 * sheet, 5.3.9), and crystals have whole MHz. So up to 11 MHz the right one is
 * found anywhere, one of 12 MHz is told from 13 while HSI is good to 3.9 %, and
 * one of 26 MHz from 25 while it is good to 1.9 %.
 */
#ifndef HAL_STM32F405_CRYSTAL_H
#define HAL_STM32F405_CRYSTAL_H

#include <stdint.h>

/*
 * The frequency of HSE in Hz: 4 to 26 MHz in whole MHz; 0: it has none of them,
 * or does not oscillate. Preconditions: HSE is ready, the processor and its
 * buses run at HSI's 16 MHz. Takes 0.2 to 1 ms, at most 20 ms.
 */
uint32_t crystal_measure_hz(void);

#endif
