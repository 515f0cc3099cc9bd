/* SPDX-License-Identifier: Apache-2.0 */
/* A bare STM32F405 or 407: pins that every package has, and that debugging
   (PA13, PA14, PB3), USB (PA11, PA12) and the crystals do not use. PC10 and
   PC11 are also at a socket for an SD card: leave the socket empty. No LED. */
#ifndef HAL_STM32F405_PINS_GENERIC_H
#define HAL_STM32F405_PINS_GENERIC_H

#define PINS_EAST 1, PB6, PB7
#define PINS_NORTH 2, PA2, PA3
#define PINS_WEST 3, PB10, PB11
#define PINS_SOUTH 6, PC6, PC7
#define PINS_CONSOLE 4, PC10, PC11

#endif
