/* SPDX-License-Identifier: Apache-2.0 */
/* The board's interrupt handlers, for the vector table in boot/. */
#ifndef HAL_STM32F405_INTERRUPTS_H
#define HAL_STM32F405_INTERRUPTS_H

#include "hal/stm32f405/registers.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Urgency, in the upper four bits of a byte (RM0090, 12.1.1): the quick
 * handlers fetch a byte before all else, since the next comes soon; the late
 * ones, which may take long, never interrupt each other, so that what they
 * share is safe.
 */
#define INTERRUPTS_BYTES 0x00u
#define INTERRUPTS_PORTS 0x10u
#define INTERRUPTS_CONSOLE 0x40u
#define INTERRUPTS_TICK 0x80u

/*
 * Masks all interrupts but INTERRUPTS_BYTES, around data that the ports'
 * callbacks share: armv7m_mask() for longer than a byte takes on the line would
 * lose bytes. Result: argument of interrupts_unmask(). Nests; a masked
 * interrupt does not end WFI.
 */
static inline uint32_t interrupts_mask(void)
{
    uint32_t before;

    __asm volatile("mrs %0, basepri\n\tmsr basepri_max, %1"
                   : "=&r"(before)
                   : "r"(INTERRUPTS_PORTS)
                   : "memory");
    return before;
}

static inline void interrupts_unmask(uint32_t before)
{
    __asm volatile("msr basepri, %0" ::"r"(before) : "memory");
}

/* ---- the program's time ---- */

/*
 * Cycles of the processor that the ports' interrupts take from the program.
 * Each handler counts its own: the late ones (INTERRUPTS_PORTS) never interrupt
 * each other, and a quick one (INTERRUPTS_BYTES) that interrupts one of them is
 * part of it. SysTick counts them: it goes down at the processor's clock and
 * begins anew every millisecond, which no handler takes.
 */

/* Cycles of a handler that it does not count: 22 to enter and leave it, or 6
   behind another one, and its code before the first look and after the last. */
#define TAKEN_AROUND_CYCLES 56u

struct taken {
    volatile uint64_t cycles;
    volatile bool late; /* a late handler counts */
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

/* Begin and end of a late handler; taken_end() gets the result of
   taken_begin(). */
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

/* Cycles since the start that ports' interrupts have taken; any context. */
uint64_t taken_cycles(void);

/* ---- handlers ---- */

void timer_tick_interrupt(void);
void timer_compare_interrupt(void);

/*
 * Handlers of each line, such as serial_east_interrupt(), the quick one: bytes
 * came in and no more follow, the line has room for one, or (without DMA) a
 * byte came in; and serial_east_dma_interrupt(), the late one: bytes are in the
 * ring, the port was kicked, or its DMA stream ended.
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
