/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adafruit Feather STM32F405 Express: 1 MiB of flash, crystal of 12 MHz. Only
 * three USARTs are on its rows of pins (PA0 to PA2 lead nowhere, PA3 measures
 * the battery). So the fourth port and the console use the contacts of the SD
 * card's socket, through a card-shaped adapter; no card can be used. In each
 * pair the first pin is TX:
 *
 *   east SCL, SDA   west TX, RX   south 6, 5
 *   north CLK, CMD (contacts 5, 3)   console DAT2, DAT3 (contacts 1, 2)
 *
 * The LED is the red one, PC1. SCL and SDA may have pull-ups, which do no harm:
 * leave the connector for sensors empty.
 *
 * Source: the board's published pin tables; this file was not tested on a
 * board. Not verified: 2 Mbaud through the adapter, and what else is on the
 * socket's lines.
 */
#ifndef HAL_STM32F405_PINS_FEATHER405_H
#define HAL_STM32F405_PINS_FEATHER405_H

#define PINS_EAST 1, PB6, PB7
#define PINS_NORTH 5, PC12, PD2
#define PINS_WEST 3, PB10, PB11
#define PINS_SOUTH 6, PC6, PC7
#define PINS_CONSOLE 4, PC10, PC11
#define PINS_LED PC1
#define PINS_LED_LIT 1

#endif
