/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a load can go out: this project's scatter, and those to compare it with.
 * All but the scatter of a 5^k x 5^k torus travel as a tree in the order
 * (scatter/plan/tree.h).
 */
#ifndef QEMU_SCHEDULE_REGISTRY_H
#define QEMU_SCHEDULE_REGISTRY_H

#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

enum schedule {
    SCHEDULE_PETERS_SYSKA, /* as planned */
    SCHEDULE_EQUAL,        /* the same tree, equal shares */
    SCHEDULE_BINOMIAL,     /* as libraries scatter: equal shares */
    SCHEDULE_NEAREST,      /* to the nearest idle nodes, as planned */
    SCHEDULE_STAR,         /* the originator sends to each, as planned */
    SCHEDULE_FARM,         /* the same, but to whoever asks */
    SCHEDULE_HYBRID,       /* as planned, but the rest to whoever asks */
    SCHEDULES
};

/* The name on the command line. */
const char *schedule_name(enum schedule schedule);

/* Result: 0; -1 if there is no such name. */
NODISCARD int schedule_of(enum schedule *schedule, const char *name);

/* Whether the shares are equal rather than planned. */
bool schedule_is_equal(enum schedule schedule);

/* Whether nodes can be divided among several originators with it. */
bool schedule_has_groups(enum schedule schedule);

/* An originator and the nodes that serve it; arrays are row-major. */
struct schedule_nodes {
    struct torus_size size;
    struct torus_coord originator;
    const bool *member;        /* of these nodes alone, of a schedule with
                                  groups, whose tree is a star; NULL: all serve */
    const uint8_t *slow_shift; /* node i computes 2^slow_shift[i] times slower;
                                  NULL: none does */
    bool masters; /* of a farm: two levels, see schedule_farm_masters() */
};

/* The tree as an order carries it (scatter/plan/tree.h), to be freed; NULL if
   this torus has no such tree, or only one of too many phases. */
uint8_t *schedule_tree(enum schedule schedule, const struct schedule_nodes *to);

#endif
