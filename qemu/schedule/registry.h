/* SPDX-License-Identifier: Apache-2.0 */
/* The schedules by name: how an originator's load is scattered. Every schedule
   but the scatter of a 5^k x 5^k torus is sent to the boards as a stored tree
   (scatter/plan/tree.h). */
#ifndef QEMU_SCHEDULE_REGISTRY_H
#define QEMU_SCHEDULE_REGISTRY_H

#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

enum schedule {
    SCHEDULE_PETERS_SYSKA, /* this project's scatter, planned shares */
    SCHEDULE_EQUAL,        /* this project's scatter, equal shares */
    SCHEDULE_BINOMIAL,     /* binomial tree as in MPI libraries, equal shares */
    SCHEDULE_NEAREST,      /* wave by wave to nearest nodes, planned shares */
    SCHEDULE_STAR,         /* originator sends to each node, planned shares */
    SCHEDULE_FARM,         /* originator sends chunks to nodes that ask */
    SCHEDULE_HYBRID,       /* planned shares first, then chunks on demand */
    SCHEDULES
};

const char *schedule_name(enum schedule schedule);

/* Returns 0, or -1 if the name is unknown. */
NODISCARD int schedule_of(enum schedule *schedule, const char *name);

bool schedule_is_equal(enum schedule schedule);

/* Whether the schedule can divide the nodes among several originators. */
bool schedule_has_groups(enum schedule schedule);

/* An originator and the nodes that serve it. Arrays are row-major. */
struct schedule_nodes {
    struct torus_size size;
    struct torus_coord originator;
    /* nodes that serve the originator; NULL: all nodes. Needs a schedule with
       schedule_has_groups(). */
    const bool *member;
    /* node i computes 2^slow_shift[i] times slower; NULL: no node is slowed */
    const uint8_t *slow_shift;
    bool masters; /* farm only: adds masters, see schedule_farm_masters() */
};

/* Returns the tree as stored in orders (scatter/plan/tree.h), which the caller
   frees. Returns NULL if the torus has no such tree or it needs too many
   phases. */
uint8_t *schedule_tree(enum schedule schedule, const struct schedule_nodes *to);

#endif
