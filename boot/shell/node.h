/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the shell calls to read and command its node. Each program
   with a shell defines these once: boards in boot/serial/status.c, test
   programs in their own files. `node`: argument of shell_init(). No function
   waits. */
#ifndef BOOT_SHELL_NODE_H
#define BOOT_SHELL_NODE_H

#include "hal/line/line.h"
#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

struct serial_node; /* defined by the program */

/* Lists that the shell prints, a line for each row. */
enum shell_list {
    SHELL_IDENT,    /* the node's identity: board, image, place */
    SHELL_PS,       /* the node's state */
    SHELL_LINKS,    /* what discovery found at each port */
    SHELL_COUNTERS, /* counters of each port, and of the console */
    SHELL_FAULT,    /* the fault record's words; no row: there was no fault */
    SHELL_TRACE,    /* the log's events */
    SHELL_CLOCK,    /* one row: mesh time */
    SHELL_MESH,     /* faults of cables, once discovery has ended */
    SHELL_PING,     /* one row: times of the last ping, once it has ended */
    SHELL_PEEK      /* the answer to the last peek */
};

/* A result of the functions below: no answer yet, call again later. Negative
   results (enum err) are final. */
#define SHELL_LATER 1

/* Appends the next row of a list to `out`. *cursor, 0 before the first row, is
   moved to the next row. Result: ERR_OK: a row was appended; SHELL_LATER;
   ERR_EMPTY: there are no more rows; another enum err. */
NODISCARD int shell_node_row(struct serial_node *node, struct line_writer *out,
                             enum shell_list list, uint32_t *cursor);

/* Clears the counters (SHELL_COUNTERS) or the fault record (SHELL_FAULT). */
void shell_node_clear(struct serial_node *node, enum shell_list list);

/* Whether the node is in a job: then the shell starts no discovery or ping,
   which could disturb the job's times. */
bool shell_node_busy(struct serial_node *node);

/* Starts discovery from this node, which gets the coordinates `at`. `policy`:
   enum wire_policy for all nodes; SHELL_POLICY_OF_SIZE: the default for a torus
   of this size. Result: enum err. */
#define SHELL_POLICY_OF_SIZE 255u
NODISCARD int shell_node_mesh(struct serial_node *node, struct torus_size size,
                              struct torus_coord at, uint8_t policy);

/* Sends `bytes` bytes over one circuit along the path. Result: enum err. */
NODISCARD int shell_node_ping(struct serial_node *node, struct torus_path path,
                              uint32_t bytes);

/* Sends a peek to the node at the end of the path (no hops: this node): asks
   for a page of hal/switch/peek.h, or gives a command with an argument. Each
   port has one peek at a time. Result: ERR_OK; ERR_PORT_BUSY: the last peek out
   of this port has not ended; another enum err. */
NODISCARD int shell_node_peek(struct serial_node *node, struct torus_path path,
                              uint8_t page, uint32_t argument);

/* Reads the answer to the last peek out of a port. Result: SHELL_LATER; ERR_OK,
   and the answer of length *bytes lies at *data until the port's next peek;
   another enum err. */
NODISCARD int shell_node_peeked(struct serial_node *node, const uint8_t **data,
                                unsigned *bytes, unsigned port);

/* Sets the error that the node makes in its next jobs. Result: whether the name
   is known (hal/inject.h). */
bool shell_node_inject(struct serial_node *node, const char *name);

#endif
