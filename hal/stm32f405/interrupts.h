/* SPDX-License-Identifier: Apache-2.0 */
/* The board's interrupt handlers, for the vector table in boot/. */
#ifndef HAL_STM32F405_INTERRUPTS_H
#define HAL_STM32F405_INTERRUPTS_H

#include "hal/stm32f405/registers.h"

#include <stdbool.h>
#include <stdint.h>

/* Priorities; 0 is the most urgent (RM0090, 12.1.1). A quick handler
   (INTERRUPTS_BYTES) only fetches a byte. Late handlers of the ports
   (INTERRUPTS_PORTS) never interrupt each other. */
#define INTERRUPTS_BYTES 0x00u
#define INTERRUPTS_PORTS 0x10u
#define INTERRUPTS_CONSOLE 0x40u
#define INTERRUPTS_TICK 0x80u

/* ---- the program's time ---- */

/* Processor cycles that the ports' interrupts take. A late handler's cycles
   include those of quick handlers that interrupt it. */

/* Cycles of a handler before and after its two reads of SysTick. */
#define TAKEN_AROUND_CYCLES 56u

struct taken {
    volatile uint64_t cycles;
    volatile bool late; /* a late handler is running */
};

extern struct taken taken_by_ports;

static inline uint32_t taken_now(void)
{
    return SYST->CVR;
}

static inline void taken_add(uint32_t since)
{
    uint32_t now = SYST->CVR;
    uint32_t cycles = now <= since ? since - now : since - now + SYST->RVR + 1u;

    taken_by_ports.cycles += cycles + TAKEN_AROUND_CYCLES;
}

/* Called first and last by a late handler. `since`: taken_begin()'s result. */
static inline uint32_t taken_begin(void)
{
    taken_by_ports.late = true;
    return taken_now();
}

static inline void taken_end(uint32_t since)
{
    taken_add(since);
    taken_by_ports.late = false;
}

/* Returns cycles that ports' interrupts took since the start; any context. */
uint64_t taken_cycles(void);

/* ---- handlers ---- */

void timer_tick_interrupt(void);
void timer_compare_interrupt(void);

/*
 * Handlers of each port, such as
 *
 *   serial_east_interrupt()      quick: runs when a byte came in after silence,
 *                                the line fell silent, there is room for a byte
 *                                to send, or (without DMA) a byte came in
 *   serial_east_dma_interrupt()  late: runs when bytes are in the ring, after
 *                                board_kick() (hal/serial/board.h), and when
 *                                the DMA stream ended
 */
#define SERIAL_PORTS(X)                                                        \
    X(east, EAST) X(north, NORTH) X(west, WEST) X(south, SOUTH)
#define SERIAL_HANDLERS(name, port)                                            \
    void serial_##name##_interrupt(void);                                      \
    void serial_##name##_dma_interrupt(void);
SERIAL_PORTS(SERIAL_HANDLERS)
void serial_console_interrupt(void);
void serial_console_late_interrupt(void);

#endif
