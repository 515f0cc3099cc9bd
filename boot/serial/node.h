/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node on serial lines: the switch in software, discovery, the console and
 * the engine, put together. The board's main program owns one, gives it bytes
 * and time, and calls serial_node_run().
 *
 *   interrupts   serial_node_bytes() and serial_node_attend() (ports),
 *                line_push() (console), serial_node_tick() and, where time is
 *                exact, serial_node_alarm() (timer)
 *   main loop    serial_node_run(): the engine, and while it waits the shell,
 *                which is the timer's while a kernel computes for long
 *
 * Others may peek at it (hal/switch/peek.h) whatever its main loop does, and
 * tell it to let its LED blink or to reset itself. A new wave of its originator
 * ends a job that it is in: that one has no job any more. If the main loop does
 * not come back to hear it, the node resets itself.
 *
 * State that both use is guarded by board_lock() and board_unlock(). All that
 * is the board's: hal/serial/board.h, and the configuration.
 */
#ifndef BOOT_SERIAL_NODE_H
#define BOOT_SERIAL_NODE_H

#include "boot/serial/state.h"

/* Prepares all of the node; the configuration is copied. */
void serial_node_init(struct serial_node *node,
                      const struct serial_node_config *config);

/* Bytes came in at a port: from its handler. Result: how many were taken; the
   others are to be given again. */
unsigned serial_node_bytes(struct serial_node *node, unsigned port,
                           const uint8_t *data, unsigned bytes);

/* Does what is due at a port: from its handler, behind the bytes. */
void serial_node_attend(struct serial_node *node, unsigned port);

/* Does what is due. To be called at the time that board_alarm() was told, as
   urgently as the ports' handlers. */
void serial_node_alarm(struct serial_node *node);

/* For the timer's interrupt, every millisecond, with the ports' masked. */
void serial_node_tick(struct serial_node *node);

/* Serves the console of a node that computes for long, or hangs in its kernel.
   For the timer's interrupt, behind serial_node_tick(), with none masked. */
void serial_node_answer(struct serial_node *node);

/* Waits for a wave, then carries out job after job; never returns. */
_Noreturn void serial_node_run(struct serial_node *node);

#endif
