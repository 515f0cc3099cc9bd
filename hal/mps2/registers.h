/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of MPS2 boards with the memory map of AN385: names and offsets as
   in ARM DDI 0479, 4.1 and 4.3. */
#ifndef HAL_MPS2_REGISTERS_H
#define HAL_MPS2_REGISTERS_H

#include "hal/armv7m.h"

#include <stdint.h>

struct cmsdk_uart {
    volatile uint32_t DATA;
    volatile uint32_t STATE;
    volatile uint32_t CTRL;
    volatile uint32_t INTCLEAR;
    volatile uint32_t BAUDDIV;
};

#define CMSDK_UART0 ((struct cmsdk_uart *)0x40004000u)
#define UART_STATE_RX_FULL (1u << 1)
#define UART_CTRL_TX_ENABLE (1u << 0)
#define UART_CTRL_RX_ENABLE (1u << 1)
#define UART_CTRL_RX_INTERRUPT (1u << 3)
#define UART_INT_RX (1u << 1)
#define UART0_RX_IRQ 0u

struct cmsdk_timer {
    volatile uint32_t CTRL;
    volatile uint32_t VALUE;
    volatile uint32_t RELOAD;
    volatile uint32_t INTCLEAR;
};

#define CMSDK_TIMER0 ((struct cmsdk_timer *)0x40000000u)
#define TIMER_CTRL_ENABLE (1u << 0)
#define TIMER_CTRL_INTERRUPT (1u << 3)
#define TIMER0_IRQ 8u
#define TIMER_PS_PER_TICK 40000u /* the timer's clock: 25 MHz */

/* The PSRAM that the switch shares with the node: the window. */
#define PSRAM_BASE 0x21000000u

/* Handles the interrupt of the clock's timer; for the vector table in boot/. */
void clock_timer_interrupt(void);

#endif
