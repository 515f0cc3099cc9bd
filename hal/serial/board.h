/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that each board with serial lines defines, for hal/serial and
 * boot/serial. None waits but board_sleep(). Any context, if nothing else is
 * said.
 */
#ifndef HAL_SERIAL_BOARD_H
#define HAL_SERIAL_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node_fault; /* hal/node.h */

/* Time since the start, us; wraps. */
uint32_t board_now_us(void);

/* Mask the interrupts that call the switch, and unmask them; calls nest. */
void board_lock(void);
void board_unlock(void);

/* Processor time that interrupts of the ports have taken, us; wraps. */
uint32_t board_ports_us(void);

/* Has serial_node_attend() called soon, and pending bytes sent. */
void board_kick(unsigned port);

/* Has serial_node_alarm() called at this time, or soon if it has passed, in
   place of any other call. May do nothing: there is the tick. */
void board_alarm(uint32_t at_us);

/* The counters of a port's driver. Who changes them has locked. */
uint32_t *board_counters(unsigned port);

/* The supply, mV, 0 where unknown; the temperature, PEEK_NO_CELSIUS likewise.
 */
void board_measure(uint16_t *supply_mv, int16_t *celsius);

/* Does nothing on a board without an LED. */
void board_led(bool on);

/* The console's output: bytes that it has room for; queues bytes as far as
   there is room, and returns their number; whether all have left the board. */
unsigned board_console_room(void);
size_t board_console_write(const char *text, size_t bytes);
bool board_console_sent(void);

/* Sleeps until an interrupt, and feeds a watchdog. Main loop. */
void board_sleep(void);

_Noreturn void board_reset(void);

/* The fault before this start, NULL: none; number of faults since the power
   came on. Both last until they are forgotten. */
const struct node_fault *board_last_fault(void);
uint32_t board_faults(void);
void board_forget_faults(void);

#endif
