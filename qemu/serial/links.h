/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of all ports of a mesh of serial boards: bytes, messages and errors
   (PEEK_EAST to PEEK_SOUTH of hal/switch/peek.h). */
#ifndef QEMU_SERIAL_LINKS_H
#define QEMU_SERIAL_LINKS_H

#include "hal/nodiscard.h"
#include "qemu/serial/sweep.h"

#include <jansson.h>
#include <stdio.h>

/* Counters of one node's ports. `known` has a bit for each port whose counters
   the node sent. */
struct links_node {
    unsigned known;
    uint32_t count[TORUS_PORTS][PEEK_PORT_COUNTERS];
};

struct links {
    struct sweep *sweep;       /* the caller's: it asks the nodes (sweep.h) */
    struct links_node *node;   /* last reading, row-major */
    struct links_node *before; /* reading before the last; zeros at first */
    uint64_t at_ms; /* time of the last reading by the host's clock */
    uint64_t before_ms;
};

/* Prepares *links, but reads no counters. The caller keeps the sweep open until
   links_end(). */
void links_begin(struct links *links, struct sweep *sweep);
void links_end(struct links *links);

/* Reads the counters of all nodes, and keeps the last reading as `before`.
   Returns the number of nodes that did not answer, or -1 if the console did
   not. */
NODISCARD int links_read(struct links *links);

/* Prints a table: with `rates` the counts a second since the reading before,
   else the counts since the boards' start. */
void links_print(FILE *out, const struct links *links, bool rates);

/* Returns an array with an object for each node. `rates` adds counts a second
   since the reading before. */
json_t *links_json(const struct links *links, bool rates);

/* Prints all counters in the text format 0.0.4 of Prometheus. */
void links_print_prometheus(FILE *out, const struct links *links);

#endif
