/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers of a chip, as functions. chip.c of a port fills each of them in
 * with one to five lines; the drivers beside it (serial.c, timer.c) know no
 * register. A test on the host (test/hal/conformance/serial.c) has a chip.c of
 * its own, a chip whose cables lead from port to port.
 *
 * `line`: 0 to 3 are the ports (enum torus_port), 4 is SERIAL_CONSOLE.
 *
 * Priorities, the most urgent one first:
 *
 *   serial_interrupt()       a UART's interrupt; nothing masks it for long
 *   serial_late_interrupt()  pended by chip_pend(); the same for all lines, so
 *                            that these handlers never interrupt each other
 *   timer_tick_interrupt()   every millisecond
 */
#ifndef HAL_TEMPLATE_CHIP_H
#define HAL_TEMPLATE_CHIP_H

#include "hal/serial/driver.h"

/* ---- clock, timer, processor ---- */

/* Starts the clock tree. Called once, first. Result: processor's clock, Hz. */
uint32_t chip_start(void);

/* Starts a counter of steps of 250 ns, which begins at 0 and wraps after 2^32
   steps, and the interrupt of every millisecond. */
void chip_timer_start(void);
uint32_t chip_timer_count(void);

/* Sleeps until an interrupt: WFI. */
void chip_wait(void);

/* Mask and unmask all interrupts but serial_interrupt(). chip_mask(): calls
   nest. Result: argument for chip_unmask(). */
uint32_t chip_mask(void);
void chip_unmask(uint32_t before);

/* Writes the chip's unique number, or what else differs from chip to chip. */
void chip_unique(uint32_t id[3]);

/* Name of the last reset's cause, such as "power"; "unknown". */
const char *chip_reset_cause(void);

/* ---- lines ---- */

/* Bits of chip_uart_status(). */
#define CHIP_CAME 1u     /* a received byte waits for chip_uart_read() */
#define CHIP_ROOM 2u     /* chip_uart_write() may be called */
#define CHIP_SENT 4u     /* the last byte has left the chip */
#define CHIP_OVERRUN 8u  /* received bytes were lost */
#define CHIP_DAMAGED 16u /* the waiting byte has no stop bit, or is noisy */

/* Connects the line's pins and starts its UART, 8N1. A received byte and an
   error interrupt. Result: the bit rate, nearest to `baud`, bit/s. */
uint32_t chip_uart_start(unsigned line, uint32_t baud);

unsigned chip_uart_status(unsigned line);

/* Takes the waiting byte, and clears CHIP_OVERRUN and CHIP_DAMAGED. */
uint8_t chip_uart_read(unsigned line);

/* Sends a byte. Precondition: CHIP_ROOM. */
void chip_uart_write(unsigned line, uint8_t byte);

/* Lets the line interrupt while it has CHIP_ROOM, or not. */
void chip_uart_notify_room(unsigned line, bool on);

/* Makes serial_late_interrupt(line) run soon. Any context. */
void chip_pend(unsigned line);

/* Switches the LED on or off; does nothing on a board without one. */
void chip_led(bool on);

/* ---- called by the chip's interrupts ---- */

void serial_interrupt(unsigned line);
void serial_late_interrupt(unsigned line);
void timer_tick_interrupt(void);

/* ---- called by the program ---- */

/* Starts the timer. */
void timer_start(void);

/* Sets the function that every millisecond calls. */
void timer_on_tick(void (*tick)(void));

/* Starts all lines; the timer must run. */
void serial_start(void);

#endif
