/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of a mesh of boards in one table: number, image, clock, crystal,
 * reset, memory, supply and temperature, and who stands out.
 */
#ifndef QEMU_SURVEY_NODES_H
#define QEMU_SURVEY_NODES_H

#include "hal/nodiscard.h"
#include "qemu/survey/identity.h"

#include <jansson.h>
#include <stdio.h>

struct nodes {
    struct sweep sweep;
    struct identity *identity;               /* row-major */
    char (*version)[PEEK_VERSION_BYTES + 1]; /* of the image; "": unknown */
    unsigned *mark;                          /* enum identity_mark, a mask */
};

/* Nothing is asked yet. */
void nodes_begin(struct nodes *nodes, struct console *console,
                 struct torus_size size, struct torus_coord originator);
void nodes_end(struct nodes *nodes);

/* Asks all of them. Result: 0: all answer and none is marked; 1: not so; -1:
   the console is silent. */
NODISCARD int nodes_read(struct nodes *nodes);

/* A table for people, with a * behind what stands out, and words below it. */
void nodes_print(FILE *out, const struct nodes *nodes);

/* An array of objects. */
json_t *nodes_json(const struct nodes *nodes);

#endif
