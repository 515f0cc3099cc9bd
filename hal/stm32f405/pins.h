/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pins that a board uses: `make PINS=NAME` takes pins/NAME.h. That header
 * defines, for EAST, NORTH, WEST, SOUTH and CONSOLE,
 *
 *   PINS_EAST_USART  1 to 6; 4 and 5 are the chip's UART4 and UART5
 *   PINS_EAST_TX     a pin on which that USART can send, PA0 to PE15
 *   PINS_EAST_RX     a pin on which that USART can receive
 *
 * and, if the board has an LED that the program may use,
 *
 *   PINS_LED         the LED's pin
 *   PINS_LED_LIT     the level that lights the LED: 0 or 1
 *
 * All else follows from the USART (usarts.h). A header that cannot work does
 * not compile: one that names a USART or a pin twice, a pin that is not the
 * USART's, or a pin that debugging or USB needs.
 */
#ifndef HAL_STM32F405_PINS_H
#define HAL_STM32F405_PINS_H

#include <assert.h>
#include <stdint.h>

/* Numbers of the pins, sixteen a bank; no package of the 405 has them all. */
#define PINS_BANK(bank, first)                                                 \
    P##bank##0 = (first), P##bank##1, P##bank##2, P##bank##3, P##bank##4,      \
    P##bank##5, P##bank##6, P##bank##7, P##bank##8, P##bank##9, P##bank##10,   \
    P##bank##11, P##bank##12, P##bank##13, P##bank##14, P##bank##15

enum pins_pin {
    PINS_BANK(A, 0),
    PINS_BANK(B, 16),
    PINS_BANK(C, 32),
    PINS_BANK(D, 48),
    PINS_BANK(E, 64),
    PINS_COUNT
};

#ifndef PINS
#define PINS generic
#endif
#define PINS_QUOTED(text) #text
#define PINS_TEXT(text) PINS_QUOTED(text)
#define PINS_NAME PINS_TEXT(PINS)
/* A path must have no blanks, which the formatter would put there. */
/* clang-format off */
#define PINS_PATH(name) PINS_TEXT(hal/stm32f405/pins/name.h)
/* clang-format on */
#include PINS_PATH(PINS)

/* Whether a USART can send or receive on a pin: data sheet, table 9, without
   pins that only the largest packages have. */
#define PINS_CAN_SEND(usart, pin)                                              \
    (((usart) == 1 && ((pin) == PA9 || (pin) == PB6)) ||                       \
     ((usart) == 2 && ((pin) == PA2 || (pin) == PD5)) ||                       \
     ((usart) == 3 && ((pin) == PB10 || (pin) == PC10 || (pin) == PD8)) ||     \
     ((usart) == 4 && ((pin) == PA0 || (pin) == PC10)) ||                      \
     ((usart) == 5 && (pin) == PC12) || ((usart) == 6 && (pin) == PC6))
#define PINS_CAN_RECEIVE(usart, pin)                                           \
    (((usart) == 1 && ((pin) == PA10 || (pin) == PB7)) ||                      \
     ((usart) == 2 && ((pin) == PA3 || (pin) == PD6)) ||                       \
     ((usart) == 3 && ((pin) == PB11 || (pin) == PC11 || (pin) == PD9)) ||     \
     ((usart) == 4 && ((pin) == PA1 || (pin) == PC11)) ||                      \
     ((usart) == 5 && (pin) == PD2) || ((usart) == 6 && (pin) == PC7))

#define PINS_CHECK(port)                                                       \
    static_assert(PINS_CAN_SEND(PINS_##port##_USART, PINS_##port##_TX),        \
                  "this USART cannot send on that pin");                       \
    static_assert(PINS_CAN_RECEIVE(PINS_##port##_USART, PINS_##port##_RX),     \
                  "this USART cannot receive on that pin")

PINS_CHECK(EAST);
PINS_CHECK(NORTH);
PINS_CHECK(WEST);
PINS_CHECK(SOUTH);
PINS_CHECK(CONSOLE);

#define PINS_USES(usart)                                                       \
    ((PINS_EAST_USART == (usart)) + (PINS_NORTH_USART == (usart)) +            \
     (PINS_WEST_USART == (usart)) + (PINS_SOUTH_USART == (usart)) +            \
     (PINS_CONSOLE_USART == (usart)))
static_assert(PINS_USES(1) <= 1 && PINS_USES(2) <= 1 && PINS_USES(3) <= 1 &&
                  PINS_USES(4) <= 1 && PINS_USES(5) <= 1 && PINS_USES(6) <= 1,
              "a USART is there twice");

/* How often a pin is used. Only PC10 and PC11 belong to two USARTs, 3 and 4. */
#define PINS_ON(pin)                                                           \
    ((PINS_EAST_TX == (pin)) + (PINS_EAST_RX == (pin)) +                       \
     (PINS_NORTH_TX == (pin)) + (PINS_NORTH_RX == (pin)) +                     \
     (PINS_WEST_TX == (pin)) + (PINS_WEST_RX == (pin)) +                       \
     (PINS_SOUTH_TX == (pin)) + (PINS_SOUTH_RX == (pin)) +                     \
     (PINS_CONSOLE_TX == (pin)) + (PINS_CONSOLE_RX == (pin)))
static_assert(PINS_ON(PC10) <= 1 && PINS_ON(PC11) <= 1, "a pin is there twice");
#ifndef PINS_LED
#define PINS_LED PINS_COUNT /* none */
#define PINS_LED_LIT 0
#endif
static_assert(PINS_ON(PINS_LED) == 0, "the LED's pin is a port's");
static_assert((PINS_LED) != PA13 && (PINS_LED) != PA14,
              "the LED's pin is the debugger's: PA13, PA14");
static_assert((PINS_LED_LIT) == 0 || (PINS_LED_LIT) == 1,
              "the level that lights the LED is 0 or 1");

#endif
