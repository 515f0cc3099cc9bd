/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dead nodes and links of a torus, around which schedules go.
 *
 * A dead node neither computes nor sends. If its switch is dead, too, its links
 * are; else circuits still pass through it. A path is open if no link of it is
 * dead. A node can be reached if a chain of nodes that live leads to it, with
 * an open path of at most one turn from each to the next.
 */
#ifndef QEMU_SCHEDULE_HOLES_H
#define QEMU_SCHEDULE_HOLES_H

#include "torus/torus.h"

#include <stdbool.h>

struct schedule_holes {
    struct torus_size size;
    bool *node; /* node[torus_index()]: the node is dead */
    bool *link; /* link[torus_link()]: the link is dead */
};

/* Returns a torus without holes, which the caller frees. */
struct schedule_holes *schedule_holes_new(struct torus_size size);
void schedule_holes_free(struct schedule_holes *holes);

/* Adds a dead node. `relays`: its switch lives. */
void schedule_holes_add(struct schedule_holes *holes, struct torus_coord at,
                        bool relays);

/* Returns whether a node or a link is dead. */
bool schedule_holes_any(const struct schedule_holes *holes);

/* Returns whether the same nodes and links are dead. Precondition: the sizes
   are equal. */
bool schedule_holes_equal(const struct schedule_holes *a,
                          const struct schedule_holes *b);

/* Adds the dead nodes and links of `more`. Precondition: the sizes are equal.
 */
void schedule_holes_join(struct schedule_holes *holes,
                         const struct schedule_holes *more);

/* Returns the same holes, counted from the node `from`: it is at 0,0. The
   caller frees them. */
struct schedule_holes *schedule_holes_from(const struct schedule_holes *holes,
                                           struct torus_coord from);

/* Finds the node that holds the load: the first of `preferred` that lives; if
   none does, the living node with the fewest hops from preferred[0], of several
   the first row by row. `count`: 1 or more. Returns false if no node lives. */
bool schedule_holes_originator(const struct schedule_holes *holes,
                               const struct torus_coord preferred[],
                               uint32_t count, struct torus_coord *at);

/* Returns whether a path from `from` is open. Without holes (NULL) all are. */
bool schedule_holes_open(const struct schedule_holes *holes,
                         struct torus_coord from, struct torus_path path);

#endif
