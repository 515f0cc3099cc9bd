/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node on serial lines: the switch in software, discovery, the console and
 * the engine, put together. The board's main program owns a struct serial_node,
 * passes it bytes and time, and calls serial_node_run().
 *
 *   interrupts   serial_node_bytes() and serial_node_attend() (ports),
 *                line_push() (console), serial_node_tick() (timer), and
 *                serial_node_alarm() on boards that implement board_alarm()
 *   main loop    serial_node_run(): the engine; the shell while the engine
 *                waits. If a kernel computes for longer than 200 ms, the
 *                timer's interrupt runs the shell.
 *
 * Interrupts answer peeks (hal/switch/peek.h), whatever the main loop does. A
 * new wave of discovery by a job's originator ends the job at every node.
 *
 * board_lock() and board_unlock() guard state that both share.
 */
#ifndef BOOT_SERIAL_NODE_H
#define BOOT_SERIAL_NODE_H

#include "boot/serial/state.h"

/* Initializes the node, and copies the configuration. */
void serial_node_init(struct serial_node *node,
                      const struct serial_node_config *config);

/* Takes bytes that came in at a port; called by the port's interrupt. Result:
   number of bytes taken; the caller passes the others again. */
unsigned serial_node_bytes(struct serial_node *node, unsigned port,
                           const uint8_t *data, unsigned bytes);

/* Does the work that is due at a port: the switch's timeouts, and frames of
   discovery. Called by the port's interrupt after serial_node_bytes(). */
void serial_node_attend(struct serial_node *node, unsigned port);

/* Requests the interrupt of each port where work is due. Called at the time
   passed to board_alarm(), in an interrupt of the ports' priority. */
void serial_node_alarm(struct serial_node *node);

/* Does the work of every millisecond, such as discovery. Called by the timer's
   interrupt, with the ports' interrupts masked. */
void serial_node_tick(struct serial_node *node);

/* Serves the console of a node that computes for long, or hangs in its kernel.
   Called by the timer after serial_node_tick(), with no interrupt masked. */
void serial_node_answer(struct serial_node *node);

/* Waits for discovery, then carries out job after job; never returns. */
_Noreturn void serial_node_run(struct serial_node *node);

#endif
