/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of every port of every node of a mesh of boards: bytes, messages
 * and errors (PEEK_EAST to PEEK_SOUTH of hal/switch/peek.h).
 */
#ifndef QEMU_SERIAL_LINKS_H
#define QEMU_SERIAL_LINKS_H

#include "hal/nodiscard.h"
#include "qemu/serial/sweep.h"

#include <jansson.h>
#include <stdio.h>

/* The counters of one node; `known` is a mask of the ports that answered. */
struct links_node {
    unsigned known;
    uint32_t count[TORUS_PORTS][PEEK_PORT_COUNTERS];
};

struct links {
    struct sweep *sweep;       /* the caller's */
    struct links_node *node;   /* row-major; the last reading */
    struct links_node *before; /* the reading before; zeros at first */
    uint64_t at_ms;            /* time of the last reading, host's clock */
    uint64_t before_ms;
};

/* Nothing is asked yet. The sweep stays the caller's, until links_end(). */
void links_begin(struct links *links, struct sweep *sweep);
void links_end(struct links *links);

/* Reads all counters; the last reading becomes the one before. Result: number
   of nodes that did not answer; -1: the console is silent. */
NODISCARD int links_read(struct links *links);

/* Prints a table for people. `rates`: counts a second since the reading before;
   else counts since the boards' start. */
void links_print(FILE *out, const struct links *links, bool rates);

/* Result: an array of objects, one for each node; `rates`: with counts a second
   since the reading before. */
json_t *links_json(const struct links *links, bool rates);

/* Prints all counters as Prometheus reads them (text format 0.0.4). */
void links_print_prometheus(FILE *out, const struct links *links);

#endif
