/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of every port of every node of a mesh of boards: bytes, messages
 * and errors (PEEK_EAST to PEEK_SOUTH of hal/switch/peek.h).
 */
#ifndef QEMU_SURVEY_LINKS_H
#define QEMU_SURVEY_LINKS_H

#include "hal/nodiscard.h"
#include "qemu/survey/sweep.h"

#include <jansson.h>
#include <stdio.h>

/* In the order of PEEK_PORT_NAMES. */
enum links_counter {
    LINKS_SENT_MESSAGES,
    LINKS_RECEIVED_MESSAGES,
    LINKS_RELAYED,
    LINKS_REFUSED,
    LINKS_RETRIES,
    LINKS_RETRANSMITTED,
    LINKS_DAMAGED,
    LINKS_LOST,
    LINKS_BROKEN,
    LINKS_MENDED,
    LINKS_BYTES_IN,
    LINKS_BYTES_OUT,
    LINKS_OVERRUNS,
    LINKS_FRAMINGS,
    LINKS_NOISES,
    LINKS_COUNTERS
};

/* The counters of one node; `known` is a mask of the ports that answered. */
struct links_node {
    unsigned known;
    uint32_t count[TORUS_PORTS][LINKS_COUNTERS];
};

struct links {
    struct sweep sweep;
    struct links_node *node;   /* row-major */
    struct links_node *before; /* of the reading before; nothing at first */
    uint64_t at_ms;            /* when it was read, on the host's clock */
    uint64_t before_ms;
};

/* Nothing is asked yet. */
void links_begin(struct links *links, struct console *console,
                 struct torus_size size, struct torus_coord originator);
void links_end(struct links *links);

/* Reads all; the last reading becomes the one before. Result: how many nodes
   did not answer; -1: the console is silent. */
NODISCARD int links_read(struct links *links);

/*
 * How often something was counted since the reading before; *per_s of it, if
 * that is not NULL. False: one of both readings is not known. A board that has
 * started again in between counted from 0 on.
 */
bool links_since(uint32_t *count, double *per_s, const struct links *links,
                 uint32_t index, unsigned port, enum links_counter counter);

/* Tables for people: what was counted ever, and a second since the reading
   before. */
void links_print(FILE *out, const struct links *links);
void links_print_rates(FILE *out, const struct links *links);

/* An array of objects, one for each node; `rates`: with those a second. */
json_t *links_json(const struct links *links, bool rates);

/* All counters, as Prometheus reads them (text format 0.0.4). */
void links_print_prometheus(FILE *out, const struct links *links);

#endif
