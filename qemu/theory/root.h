/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the zero of a growing function between two ends. A step is the zero of
 * the secant (false position with the Illinois rule), but every third step is
 * the middle, so that both ends move.
 *
 *   for (unsigned i = 0; root_open(&root, i); ++i) {
 *       quad at = root_next(&root, i);
 *
 *       root_set(&root, at, function(at));
 *   }
 */
#ifndef QEMU_THEORY_ROOT_H
#define QEMU_THEORY_ROOT_H

#include "qemu/base/quad.h"

#include <stdbool.h>

#define ROOT_STEPS 200 /* some ten are enough */

struct root {
    quad low;
    quad high;
    quad below;      /* value at low, less than 0 */
    quad above;      /* value at high, 0 or more */
    quad near;       /* final distance of the ends, as a fraction of `high` */
    int last;        /* the end that moved last: -1 low, 1 high, 0 none */
    bool high_known; /* false: `above` is unknown, so steps go to the middle */
};

/* Returns whether root->low and root->high are still apart. */
static inline bool root_open(const struct root *root, unsigned step)
{
    return step < ROOT_STEPS &&
           root->high - root->low > root->high * root->near;
}

static inline quad root_next(const struct root *root, unsigned step)
{
    quad part = 0.5L;

    if (root->high_known && step % 3 != 2) {
        part = root->below / (root->below - root->above);
    }
    return root->low + part * (root->high - root->low);
}

/* Moves one end to a place that has this value. */
static inline void root_set(struct root *root, quad at, quad value)
{
    int end = value < 0 ? -1 : 1;

    if (end < 0) {
        root->low = at;
        root->below = value;
        root->above /= root->last == end ? 2 : 1;
    } else {
        root->high = at;
        root->above = value;
        root->high_known = true;
        root->below /= root->last == end ? 2 : 1;
    }
    root->last = end;
}

#endif
