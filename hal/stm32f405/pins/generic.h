/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bare STM32F405 or 407: pins that every package has, and that debugging
 * (PA13, PA14, PB3), USB (PA11, PA12) and the crystals do not use. On boards
 * with a socket for an SD card, PC10 and PC11 are the card's, too: leave the
 * socket empty. No LED.
 */
#ifndef HAL_STM32F405_PINS_GENERIC_H
#define HAL_STM32F405_PINS_GENERIC_H

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
#define PINS_CONSOLE_TX PC10
#define PINS_CONSOLE_RX PC11

#endif
