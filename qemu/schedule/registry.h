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

/*
 * The tree of width * height branches as an order carries it, to be freed;
 * slow_shift[i] is that of node i, row-major; NULL: all 0. NULL if this torus
 * has no such tree.
 */
uint8_t *schedule_tree(enum schedule schedule, struct torus_size size,
                       struct torus_coord originator,
                       const uint8_t *slow_shift);

/* The tree of a farm of two levels, without slow nodes or with them. */
uint8_t *schedule_farm_tree(struct torus_size size,
                            struct torus_coord originator,
                            const uint8_t *slow_shift);

/* Whether nodes can be divided among several originators with it. */
bool schedule_has_groups(enum schedule schedule);

/* The same of a schedule with groups, for one originator and the nodes that
   serve it: member[i], row-major. Of a star, and of a farm, whose jobs are
   announced along the star, too. */
uint8_t *schedule_group_tree(enum schedule schedule, struct torus_size size,
                             struct torus_coord originator, const bool member[],
                             const uint8_t *slow_shift);

#endif
