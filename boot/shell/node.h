/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the node whose console the shell is. Each program with a shell
 * defines them once: boards in boot/serial/status.c, programs of tests as they
 * like. `node` is the one of shell_init(). No function waits.
 */
#ifndef BOOT_SHELL_NODE_H
#define BOOT_SHELL_NODE_H

#include "hal/line/line.h"
#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

struct serial_node; /* the program's */

/* Lists of rows. */
enum shell_list {
    SHELL_IDENT,    /* who the node is */
    SHELL_PS,       /* how it is */
    SHELL_LINKS,    /* what discovery found at each port */
    SHELL_COUNTERS, /* of each port, and of the console */
    SHELL_FAULT,    /* the fault record's words; none: there was no fault */
    SHELL_TRACE,    /* the log's events */
    SHELL_CLOCK,    /* one row: mesh time */
    SHELL_MESH,     /* faults that shell_node_mesh() found, once all is found */
    SHELL_PING, /* one row: the circuit of shell_node_ping(), once it ended */
    SHELL_PEEK  /* the answer to the last shell_node_peek() */
};

/* A result of functions that are called until they have an answer: there is
   none yet. Any error is negative, and ends the calls. */
#define SHELL_LATER 1

/*
 * Puts the next row of a list at the end of `out`. *cursor is 0 before the
 * first row; the node changes it. Result: ERR_OK: there was a row; SHELL_LATER;
 * ERR_EMPTY: there are no more; another enum err.
 */
NODISCARD int shell_node_row(struct serial_node *node, struct line_writer *out,
                             enum shell_list list, uint32_t *cursor);

/* Empties SHELL_COUNTERS or SHELL_FAULT. */
void shell_node_clear(struct serial_node *node, enum shell_list list);

/* Whether a timed run is on: then nothing is begun that could disturb. */
bool shell_node_busy(struct serial_node *node);

/* Starts discovery from this node, which gets the place `at`. `policy`: enum
   wire_policy of all nodes; SHELL_POLICY_OF_SIZE: the one of such a torus.
   Result: enum err. */
#define SHELL_POLICY_OF_SIZE 255u
NODISCARD int shell_node_mesh(struct serial_node *node, struct torus_size size,
                              struct torus_coord at, uint8_t policy);

/* Starts one circuit. Result: enum err. */
NODISCARD int shell_node_ping(struct serial_node *node, struct torus_path path,
                              uint32_t bytes);

/* Asks the node at the end of the path, this one if that has no hops, for a
   page of hal/switch/peek.h, or gives it a command with its argument. One at a
   time for each port. Result: ERR_OK; ERR_PORT_BUSY: the last one out of that
   port is still under way; another enum err. */
NODISCARD int shell_node_peek(struct serial_node *node, struct torus_path path,
                              uint8_t page, uint32_t argument);

/* The answer to the last peek out of a port, as it came. Result: SHELL_LATER;
   ERR_OK: `bytes` at `data`, which stay until the next peek; enum err. */
NODISCARD int shell_node_peeked(struct serial_node *node, const uint8_t **data,
                                unsigned *bytes, unsigned port);

/* Sets the fault of the next jobs; whether there is one of that name
   (hal/inject.h). */
bool shell_node_inject(struct serial_node *node, const char *name);

#endif
