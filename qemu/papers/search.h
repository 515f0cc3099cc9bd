/* SPDX-License-Identifier: Apache-2.0 */
/* All orders of all subsets of a few workers of a star, exactly. */
#ifndef QEMU_PAPERS_SEARCH_H
#define QEMU_PAPERS_SEARCH_H

#include "qemu/papers/plan.h"

/*
 * Writes the order of those who take part in the plan of one round that ends
 * first; ties to what begins with the workers that come first in the file.
 * Result: their number, 0 to all. Cost: e n! solutions for n workers.
 */
size_t papers_search(size_t *order, const struct papers_star *star);

#endif
