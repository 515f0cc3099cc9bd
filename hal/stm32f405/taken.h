/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles of the processor that the ports' interrupts take from the program.
 * Each handler counts its own: the late ones (INTERRUPTS_PORTS) never interrupt
 * each other, and a quick one (INTERRUPTS_BYTES) that interrupts one of them is
 * part of it. By SysTick's count, which goes down at the processor's clock
 * until it begins anew every millisecond: no handler takes that long.
 */
#ifndef HAL_STM32F405_TAKEN_H
#define HAL_STM32F405_TAKEN_H

#include "hal/stm32f405/registers.h"

#include <stdbool.h>
#include <stdint.h>

/* Of a handler, besides what it counts itself: the processor enters and leaves
   it in 22 cycles, or in 6 behind another one; and what it does before its
   first look at the count and after its last one. */
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

/* The begin of a late handler, and its end, which gets what the begin gave. */
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

/* All so far; any context. */
uint64_t taken_cycles(void);

#endif
