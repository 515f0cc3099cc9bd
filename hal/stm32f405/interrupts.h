/* SPDX-License-Identifier: Apache-2.0 */
/* The board's interrupt handlers, for the vector table in boot/. */
#ifndef HAL_STM32F405_INTERRUPTS_H
#define HAL_STM32F405_INTERRUPTS_H

/*
 * Urgency, in the upper four bits that the chip has (RM0090, 12.1.1). All that
 * the ports' handlers share is safe, as none of them interrupts another.
 */
#define INTERRUPTS_PORTS 0x00u
#define INTERRUPTS_CONSOLE 0x40u
#define INTERRUPTS_TICK 0x80u

void timer_tick_interrupt(void);

/* A port has something to say or was kicked. */
void serial_east_interrupt(void);
void serial_north_interrupt(void);
void serial_west_interrupt(void);
void serial_south_interrupt(void);
void serial_console_interrupt(void);

/* A port's DMA stream has ended. */
void serial_east_dma_interrupt(void);
void serial_north_dma_interrupt(void);
void serial_west_dma_interrupt(void);
void serial_south_dma_interrupt(void);

#endif
