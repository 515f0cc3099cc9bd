/* SPDX-License-Identifier: Apache-2.0 */
/* A better order of a star's workers, found by moving one at a time. */
#ifndef QEMU_PAPERS_REINSERT_H
#define QEMU_PAPERS_REINSERT_H

#include "qemu/papers/plan.h"

/*
 * Changes the order of the `count` workers that take part, with room for all:
 * as long as it ends earlier, a worker is moved to another place, taken out, or
 * taken in. Computes with doubles, so that what is found is a proposal: the
 * caller plans for it exactly. Result: how many take part then. Cost: n^3 for n
 * workers each time round, at most some 10^8 steps (0.3 s).
 */
size_t papers_reinsert(size_t *order, size_t count,
                       const struct papers_star *star);

#endif
