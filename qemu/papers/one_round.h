/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One chunk for each worker of a star, in a given order, exactly: sections 3.1
 * and 3.3 of Beaumont et al. (DESIGN.md), with startups. All who take part
 * finish together at T. With s left when worker i's transfer begins,
 *
 *     a_i = (s - G_i - W_i) / (g_i + w_i)      then s becomes s - G_i - g_i a_i
 *
 * and the master computes T / W0. Who would get nothing or less is passed over.
 */
#ifndef QEMU_PAPERS_ONE_ROUND_H
#define QEMU_PAPERS_ONE_ROUND_H

#include "qemu/papers/plan.h"

/*
 * Plans for `count` different workers, at least one, in this order. Makes the
 * plan, to be freed with papers_plan_free(). The plan is exact, but that some
 * other subset of the order may do better: with startups it is a heuristic who
 * is passed over (of those who get nothing or less, nobody is taken in again
 * unless that ends earlier). Cost: O(count^2) for short numbers and each time
 * that workers are passed over; 1000 workers take some 50 ms.
 */
void papers_one_round(struct papers_plan *plan, const struct papers_star *star,
                      const size_t *order, size_t count);

#endif
