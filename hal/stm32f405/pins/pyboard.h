/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pyboard v1.0 and v1.1: 1 MiB of flash. The SD card uses PC8 to PC12 and PD2,
 * so the console is on PA0 and PA1. Names on the board:
 *
 *   east X9, X10   north X3, X4   west Y9, Y10   south Y1, Y2   console X1, X2
 *
 * (TX first, each). The program uses the blue LED, PB4; the red and the green
 * LED are on the debugger's pins. To reach the chip's ROM boot loader by USB,
 * connect P1 (DFU) to 3.3 V at reset.
 *
 * Source: the board's published pin table; this file was not tested on a board.
 * Not verified: the crystal, by the tables 8 MHz on v1.0 and 12 MHz on v1.1.
 */
#ifndef HAL_STM32F405_PINS_PYBOARD_H
#define HAL_STM32F405_PINS_PYBOARD_H

#define PINS_EAST_USART 1
#define PINS_EAST_TX PB6
#define PINS_EAST_RX PB7
#define PINS_NORTH_USART 2
#define PINS_NORTH_TX PA2
#define PINS_NORTH_RX PA3
#define PINS_WEST_USART 3
#define PINS_WEST_TX PB10
#define PINS_WEST_RX PB11
#define PINS_SOUTH_USART 6
#define PINS_SOUTH_TX PC6
#define PINS_SOUTH_RX PC7
#define PINS_CONSOLE_USART 4
#define PINS_CONSOLE_TX PA0
#define PINS_CONSOLE_RX PA1
#define PINS_LED PB4
#define PINS_LED_LIT 1

#endif
