/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the shell calls to read and command its node. Each program
   with a shell defines them. No function waits. `node`: as in shell_init(). */
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

/* A result of the functions below: no answer yet, call again later. */
#define SHELL_LATER 1

/* Appends the next row of a list. *cursor: 0 before the first row. Result:
   ERR_OK; SHELL_LATER: no row yet, call again; ERR_EMPTY: no more rows;
   another enum err. */
NODISCARD int shell_node_row(struct serial_node *node, struct line_writer *out,
                             enum shell_list list, uint32_t *cursor);

/* Clears the counters (SHELL_COUNTERS) or the fault record (SHELL_FAULT). */
void shell_node_clear(struct serial_node *node, enum shell_list list);

/* Whether the node is in a job: then the shell starts no discovery or ping. */
bool shell_node_busy(struct serial_node *node);

/* Starts discovery from this node, at the coordinates `at`. `policy`: enum
   wire_policy; SHELL_POLICY_OF_SIZE: the default. Result: enum err. */
#define SHELL_POLICY_OF_SIZE 255u
NODISCARD int shell_node_mesh(struct serial_node *node, struct torus_size size,
                              struct torus_coord at, uint8_t policy);

/* Sends `bytes` bytes over one circuit along the path. Result: enum err. */
NODISCARD int shell_node_ping(struct serial_node *node, struct torus_path path,
                              uint32_t bytes);

/* Sends a peek to the node at the end of the path (no hops: this node). `page`:
   page or command of hal/switch/peek.h. `argument`: the command's. Result:
   ERR_OK; ERR_PORT_BUSY: the port's last peek has not ended; another enum
   err. */
NODISCARD int shell_node_peek(struct serial_node *node, struct torus_path path,
                              uint8_t page, uint32_t argument);

/* Reads the answer to the port's last peek, valid until its next peek. Result:
   SHELL_LATER; ERR_OK; another enum err. */
NODISCARD int shell_node_peeked(struct serial_node *node, const uint8_t **data,
                                unsigned *bytes, unsigned port);

/* Sets the error that the node makes in its next jobs. Result: whether the name
   is known (hal/inject.h). */
bool shell_node_inject(struct serial_node *node, const char *name);

#endif
