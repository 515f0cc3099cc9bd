/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of all ports of a mesh of boards: bytes, messages and errors
   (PEEK_EAST to PEEK_SOUTH of hal/switch/peek.h). */
#ifndef QEMU_SERIAL_LINKS_H
#define QEMU_SERIAL_LINKS_H

#include "hal/nodiscard.h"
#include "qemu/serial/sweep.h"

#include <jansson.h>
#include <stdio.h>

/* Port counters of one node. `known` is a mask of the ports that answered. */
struct links_node {
    unsigned known;
    uint32_t count[TORUS_PORTS][PEEK_PORT_COUNTERS];
};

struct links {
    struct sweep *sweep;       /* owned by the caller */
    struct links_node *node;   /* last reading, row-major */
    struct links_node *before; /* previous reading; zeros at first */
    uint64_t at_ms;            /* time of the last reading, host's clock */
    uint64_t before_ms;
};

/* Prepares *links without reading counters. The caller keeps the sweep open
   until links_end(). */
void links_begin(struct links *links, struct sweep *sweep);
void links_end(struct links *links);

/* Reads all counters and keeps the previous ones. Returns the number of nodes
   that did not answer, or -1 if the console is silent. */
NODISCARD int links_read(struct links *links);

/* Prints a table. `rates`: counts per second since the previous reading;
   otherwise counts since the boards' start. */
void links_print(FILE *out, const struct links *links, bool rates);

/* Returns an array with one object per node. `rates` adds counts per second
   since the previous reading. */
json_t *links_json(const struct links *links, bool rates);

/* Prints all counters for Prometheus (text format 0.0.4). */
void links_print_prometheus(FILE *out, const struct links *links);

#endif
