/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the zero of a growing function between two ends, `low` and `high`. A
 * step evaluates the function where the secant through both ends is 0 (false
 * position with the Illinois rule). Every third step takes the middle, so that
 * both ends move.
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

#define ROOT_STEPS 200 /* most steps; some ten are enough */

struct root {
    quad low;
    quad high;
    quad below; /* the function's value at `low`, less than 0 */
    quad above; /* the function's value at `high`, 0 or more */
    /* steps end at this distance of the ends, as a fraction of `high` */
    quad near;
    int last; /* which end moved last: -1 low, 1 high, 0 none */
    /* false: `above` is unknown, so each step takes the middle */
    bool high_known;
};

/* Returns whether another step is needed: the ends are still apart. */
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

/* Moves one end to `at`, where the function has this value. */
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
