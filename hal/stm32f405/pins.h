/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pins that a board uses: `make PINS=NAME` takes pins/NAME.h. That header
 * defines PINS_EAST, PINS_NORTH, PINS_WEST, PINS_SOUTH and PINS_CONSOLE, each
 * as three values with commas between them:
 *
 *   USART   1 to 6; 4 and 5 are the chip's UART4 and UART5
 *   TX      a pin on which that USART can send, PA0 to PE15
 *   RX      a pin on which that USART can receive
 *
 * and, if the board has an LED that the program may use,
 *
 *   PINS_LED         the LED's pin
 *   PINS_LED_LIT     the level that lights the LED: 0 or 1
 *
 * All else follows from the USART. A header that cannot work does not compile.
 */
#ifndef HAL_STM32F405_PINS_H
#define HAL_STM32F405_PINS_H

#include <assert.h>
#include <stdint.h>

/* Numbers of the pins, sixteen a bank. */
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

/* The three values of a port, such as PINS_TX(PINS_EAST). */
#define PINS_USART(...) PINS_FIRST(__VA_ARGS__)
#define PINS_TX(...) PINS_SECOND(__VA_ARGS__)
#define PINS_RX(...) PINS_THIRD(__VA_ARGS__)
#define PINS_FIRST(usart, tx, rx) usart
#define PINS_SECOND(usart, tx, rx) tx
#define PINS_THIRD(usart, tx, rx) rx

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
    static_assert(PINS_CAN_SEND(PINS_USART(port), PINS_TX(port)),              \
                  "this USART cannot send on that pin");                       \
    static_assert(PINS_CAN_RECEIVE(PINS_USART(port), PINS_RX(port)),           \
                  "this USART cannot receive on that pin")

PINS_CHECK(PINS_EAST);
PINS_CHECK(PINS_NORTH);
PINS_CHECK(PINS_WEST);
PINS_CHECK(PINS_SOUTH);
PINS_CHECK(PINS_CONSOLE);

/* Number of ports, the console too, whose VALUE (as PINS_TX) is `value`. */
#define PINS_COUNT_OF(VALUE, value)                                            \
    ((VALUE(PINS_EAST) == (value)) + (VALUE(PINS_NORTH) == (value)) +          \
     (VALUE(PINS_WEST) == (value)) + (VALUE(PINS_SOUTH) == (value)) +          \
     (VALUE(PINS_CONSOLE) == (value)))
#define PINS_ONCE(usart) (PINS_COUNT_OF(PINS_USART, usart) <= 1)
static_assert(PINS_ONCE(1) && PINS_ONCE(2) && PINS_ONCE(3) && PINS_ONCE(4) &&
                  PINS_ONCE(5) && PINS_ONCE(6),
              "a USART is there twice");

/* How often a pin is used. Only PC10 and PC11 belong to two USARTs, 3 and 4. */
#define PINS_ON(pin) (PINS_COUNT_OF(PINS_TX, pin) + PINS_COUNT_OF(PINS_RX, pin))
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

/* ---- what follows from a USART's number ---- */

/* DMA streams are chosen from those that can serve the USART (RM0090, tables 42
   and 43) so that all six USARTs can send and receive by DMA.

                               device  bus  function DMA  TX stream, channel
                                                          RX stream, channel */
#define PINS_USART_1(FACTS) FACTS(USART1, APB2, 7, DMA2, 7, 4, 2, 4)
#define PINS_USART_2(FACTS) FACTS(USART2, APB1, 7, DMA1, 6, 4, 5, 4)
#define PINS_USART_3(FACTS) FACTS(USART3, APB1, 7, DMA1, 3, 4, 1, 4)
#define PINS_USART_4(FACTS) FACTS(UART4, APB1, 8, DMA1, 4, 4, 2, 4)
#define PINS_USART_5(FACTS) FACTS(UART5, APB1, 8, DMA1, 7, 4, 0, 4)
#define PINS_USART_6(FACTS) FACTS(USART6, APB2, 8, DMA2, 6, 5, 1, 5)

/* PINS_FACTS(F, PINS_EAST) expands to F(row of that port's USART). */
#define PINS_FACTS(FACTS, ...) PINS_FACTS_OF(FACTS, __VA_ARGS__)
#define PINS_FACTS_OF(FACTS, usart, tx, rx) PINS_USART_##usart(FACTS)

/* Interrupts of a port's USART and of its sending DMA stream. */
#define PINS_IRQ(...) PINS_FACTS(PINS_FACT_IRQ, __VA_ARGS__)
#define PINS_TX_IRQ(...) PINS_FACTS(PINS_FACT_TX_IRQ, __VA_ARGS__)

#define PINS_FACT_IRQ(device, ...) device##_IRQ
#define PINS_FACT_TX_IRQ(device, bus, function, dma, tx, ...)                  \
    dma##_Stream##tx##_IRQ

#endif
