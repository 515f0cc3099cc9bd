/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that each board with serial lines defines, for hal/serial and
   boot/serial. Only board_sleep() waits. Any context may call these functions,
   unless a comment says otherwise. */
#ifndef HAL_SERIAL_BOARD_H
#define HAL_SERIAL_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node_fault; /* hal/node.h */

/* Returns the time since the start, us; wraps. */
uint32_t board_now_us(void);

/* Mask and unmask the interrupts whose handlers call the switch; calls nest. */
void board_lock(void);
void board_unlock(void);

/* Returns the processor time of the ports' interrupts since the start, us;
   wraps. */
uint32_t board_ports_us(void);

/* Makes the port's interrupt run soon. That interrupt calls
   serial_node_attend() and sends pending bytes. */
void board_kick(unsigned port);

/* Requests a call of serial_node_alarm() at at_us, or soon if at_us has passed.
   Replaces the previous request. A board may ignore the request. */
void board_alarm(uint32_t at_us);

/* Returns the counters of a port's driver, changed only under board_lock(). The
   first five are bytes in and out, overruns, framing errors, noisy bytes
   (PEEK_LINE_COUNTERS, hal/switch/peek.h). */
uint32_t *board_counters(unsigned port);

/* Measures the supply, mV (0: unknown), and the chip's temperature, Celsius
   (PEEK_NO_CELSIUS: unknown). */
void board_measure(uint16_t *supply_mv, int16_t *celsius);

/* Switches the LED on or off; does nothing on a board without one. */
void board_led(bool on);

/* Returns the number of bytes that the console's output can take now. */
unsigned board_console_room(void);
/* Queues as many bytes as fit. Result: number of bytes queued. */
size_t board_console_write(const char *text, size_t bytes);
/* Whether all bytes have left the board. */
bool board_console_sent(void);

/* Sleeps until an interrupt, and feeds the watchdog. Main loop only. */
void board_sleep(void);

_Noreturn void board_reset(void);

/* Returns the last fault before this start; NULL: none. */
const struct node_fault *board_last_fault(void);
/* Returns the number of faults since power-up. */
uint32_t board_faults(void);
/* Clears the last fault and the number of faults. */
void board_forget_faults(void);

#endif
