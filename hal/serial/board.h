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

/* Returns the processor time that interrupts of the ports have taken since the
   start, us; wraps. */
uint32_t board_ports_us(void);

/* Makes the port's interrupt run soon; the interrupt calls serial_node_attend()
   and sends bytes that are pending. */
void board_kick(unsigned port);

/* Requests a call of serial_node_alarm() at the time at_us, or soon if at_us
   has passed; replaces the previous request. A board may ignore the request:
   serial_node_tick() does the work up to 1 ms later. */
void board_alarm(uint32_t at_us);

/* Returns the counters of a port's driver; their number and names are in struct
   serial_node_config (boot/serial/state.h). Changed only under board_lock(). */
uint32_t *board_counters(unsigned port);

/* Measures the supply, mV (0: unknown), and the chip's temperature, degrees
   Celsius (PEEK_NO_CELSIUS: unknown). */
void board_measure(uint16_t *supply_mv, int16_t *celsius);

/* Switches the LED on or off; does nothing on a board without one. */
void board_led(bool on);

/* Output of the console. board_console_room(): number of bytes that fit now;
   board_console_write(): queues as many bytes as fit, and returns their number;
   board_console_sent(): whether all bytes have left the board. */
unsigned board_console_room(void);
size_t board_console_write(const char *text, size_t bytes);
bool board_console_sent(void);

/* Sleeps until an interrupt, and feeds the watchdog. Main loop only. */
void board_sleep(void);

_Noreturn void board_reset(void);

/* Return the last fault before this start (NULL: none), and the number of
   faults since power-up, until board_forget_faults() clears both. */
const struct node_fault *board_last_fault(void);
uint32_t board_faults(void);
void board_forget_faults(void);

#endif
