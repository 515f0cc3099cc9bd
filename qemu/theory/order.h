/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order the workers of a star are served, and who takes part.
 *
 * Of two neighbours, with s left, the one of the smaller
 * k = g (s - W) + G w goes first: for long jobs that is the order of rising g
 * of Beaumont et al., and among equal g that of rising G w - g W. Without
 * startups this is the best order, and everybody takes part. With startups no
 * fast way to the best is known; few workers are searched through.
 */
#ifndef QEMU_THEORY_ORDER_H
#define QEMU_THEORY_ORDER_H

#include "qemu/theory/papers_plan.h"

/* Up to so many workers, all orders of all subsets are tried: 13,700. */
#define THEORY_SEARCH_MAX 7

/* All workers by rising g, then G w - g W, then as in the file. */
void theory_order_by_rule(size_t *order, const struct theory_star *star);

/*
 * The plan of one round: the best there is for up to THEORY_SEARCH_MAX workers
 * and for any number without startups (ties to what begins with the workers
 * that come first in the file); else the best of the orders that k gives for a
 * long job and for this one, then improved: as long as it ends earlier, one
 * worker is moved to another place, taken out, or taken in (0.5 s at most). To
 * be freed with theory_star_plan_free().
 */
void theory_order_best(struct theory_star_plan *plan,
                       const struct theory_star *star);

#endif
