/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bare STM32F407VE core board that is sold without a maker's name (black,
 * marked STM32F4XX STM32_F4VE V2.0): 512 KiB of flash, crystal of 8 MHz, all
 * pins on two rows of 48 and two of 16. The LEDs on PA6 (D2, the program's) and
 * PA7 are lit by 0. The SD card uses PC8 to PC12 and PD2, so the console is on
 * PA0 and PA1.
 *
 * PA0 is also the button K_UP, which puts 3.3 V on it: do not press it while
 * the console is in use. PB6 and PB7 are also at the radio module's socket
 * (NRF24L01): leave the socket empty.
 *
 * Source: published descriptions; this file was not tested on a board. Not
 * verified: that nothing on the board loads these pins, and that boards of
 * other colours and versions are alike.
 */
#ifndef HAL_STM32F405_PINS_CORE407VE_H
#define HAL_STM32F405_PINS_CORE407VE_H

#define PINS_EAST 1, PB6, PB7
#define PINS_NORTH 2, PA2, PA3
#define PINS_WEST 3, PB10, PB11
#define PINS_SOUTH 6, PC6, PC7
#define PINS_CONSOLE 4, PA0, PA1
#define PINS_LED PA6
#define PINS_LED_LIT 0

#endif
