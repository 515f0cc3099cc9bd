/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pyboard v1.0 and v1.1: 1 MiB of flash. The SD card uses PC8 to PC12 and PD2,
 * so the console is on PA0 and PA1. Names on the board, TX first in each pair:
 *
 *   east X9, X10   north X3, X4   west Y9, Y10   south Y1, Y2   console X1, X2
 *
 * The program uses the blue LED, PB4; the red and the green LED are on the
 * debugger's pins. To reach the chip's ROM boot loader by USB, connect P1 (DFU)
 * to 3.3 V at reset.
 *
 * Source: the board's published pin table; this file was not tested on a board.
 * Not verified: the crystal; the table says 8 MHz for v1.0, 12 MHz for v1.1.
 */
#ifndef HAL_STM32F405_PINS_PYBOARD_H
#define HAL_STM32F405_PINS_PYBOARD_H

#define PINS_EAST 1, PB6, PB7
#define PINS_NORTH 2, PA2, PA3
#define PINS_WEST 3, PB10, PB11
#define PINS_SOUTH 6, PC6, PC7
#define PINS_CONSOLE 4, PA0, PA1
#define PINS_LED PB4
#define PINS_LED_LIT 1

#endif
