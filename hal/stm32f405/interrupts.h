/* SPDX-License-Identifier: Apache-2.0 */
/* The board's interrupt handlers, for the vector table in boot/. */
#ifndef HAL_STM32F405_INTERRUPTS_H
#define HAL_STM32F405_INTERRUPTS_H

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
