/* SPDX-License-Identifier: Apache-2.0 */
/* The schedules by name. A schedule is a way to scatter an originator's load.
   Boards get it as a stored tree (scatter/plan/tree.h), but for the scatter of
   a 5^k x 5^k torus, which they know. */
#ifndef QEMU_SCHEDULE_REGISTRY_H
#define QEMU_SCHEDULE_REGISTRY_H

#include "hal/nodiscard.h"
#include "qemu/schedule/holes.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

enum schedule {
    SCHEDULE_PETERS_SYSKA, /* this project's scatter, planned shares */
    SCHEDULE_EQUAL,        /* this project's scatter, equal shares */
    SCHEDULE_BINOMIAL,     /* binomial tree as in MPI libraries, equal shares */
    SCHEDULE_NEAREST,      /* wave by wave to nearest nodes, planned shares */
    SCHEDULE_STAR, /* the originator sends to each node, planned shares */
    SCHEDULE_FARM, /* the originator sends chunks to nodes that ask for them */
    SCHEDULE_HYBRID, /* planned shares first, then chunks for nodes that ask */
    SCHEDULES
};

const char *schedule_name(enum schedule schedule);

/* Finds the schedule with this name. Returns 0, or -1 if there is none. */
NODISCARD int schedule_of(enum schedule *schedule, const char *name);

bool schedule_is_equal(enum schedule schedule);

/* Returns whether the schedule can divide the nodes among several
   originators. */
bool schedule_has_groups(enum schedule schedule);

/* Returns whether the schedule's own tree goes around holes. Others then have
   the same tree as SCHEDULE_PETERS_SYSKA. */
bool schedule_goes_around(enum schedule schedule);

/* An originator, and the nodes that serve it. Arrays are row-major. */
struct schedule_nodes {
    struct torus_size size;
    struct torus_coord originator;
    /* Nodes that serve the originator; NULL: all nodes. Only for schedules for
       which schedule_has_groups() is true. */
    const bool *member;
    /* node i computes 2^slow_shift[i] times slower; NULL: no node is slow */
    const uint8_t *slow_shift;
    bool masters; /* farm: true adds masters (schedule_farm_masters()) */
    /* Around holes, every schedule has the tree of schedule_scatter_around().
       NULL: there are none. */
    const struct schedule_holes *holes;
    /* true: a farm, or a job that may become one. So it also leaves out nodes
       to which no path with one turn leads from the originator itself. */
    bool direct;
};

/* Returns a schedule's tree in the format of orders (scatter/plan/tree.h),
   which the caller frees. Returns NULL if the torus has no such tree, if it has
   too many phases, or if the originator is dead. */
uint8_t *schedule_tree(enum schedule schedule, const struct schedule_nodes *to);

#endif
