/* SPDX-License-Identifier: Apache-2.0 */
/* The board's interrupt handlers, for the vector table in boot/. */
#ifndef HAL_STM32F405_INTERRUPTS_H
#define HAL_STM32F405_INTERRUPTS_H

#include "hal/stm32f405/registers.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Urgency, in the upper four bits that the chip has (RM0090, 12.1.1). A byte
 * that comes in is fetched before all else: the next comes soon. What is done
 * about it may take long; all that the ports' handlers share is safe, as none
 * of them interrupts another.
 */
#define INTERRUPTS_BYTES 0x00u
#define INTERRUPTS_PORTS 0x10u
#define INTERRUPTS_CONSOLE 0x40u
#define INTERRUPTS_TICK 0x80u

/*
 * Holds back everything but INTERRUPTS_BYTES, for who shares data with the
 * ports' callbacks: armv7m_mask() would lose bytes where it masks for longer
 * than one takes on the line. Result: what interrupts_unmask() wants back.
 * Nests; WFI sleeps on.
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
 * part of it. By SysTick's count, which goes down at the processor's clock
 * until it begins anew every millisecond: no handler takes that long.
 */

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

/* ---- handlers ---- */

void timer_tick_interrupt(void);
void timer_compare_interrupt(void);

/* Bytes came in at a line and no more follow, it has room for one, or (without
   DMA) a byte came in. */
void serial_east_interrupt(void);
void serial_north_interrupt(void);
void serial_west_interrupt(void);
void serial_south_interrupt(void);
void serial_console_interrupt(void);

/* A port's bytes are in its queue, it was kicked, or its DMA stream ended. */
void serial_east_dma_interrupt(void);
void serial_north_dma_interrupt(void);
void serial_west_dma_interrupt(void);
void serial_south_dma_interrupt(void);
void serial_console_late_interrupt(void);

#endif
