/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One chunk for each worker of a star, in a given order: sections 3.1 and 3.3
 * of Beaumont et al. (DESIGN.md), with startups. All who take part finish
 * together at T. With s left when worker i's transfer begins,
 *
 *     a_i = (s - G_i - W_i) / (g_i + w_i)      then s becomes s - G_i - g_i a_i
 *
 * and the master computes T / W0. Who would get nothing or less is passed over.
 */
#ifndef QEMU_THEORY_ONE_ROUND_H
#define QEMU_THEORY_ONE_ROUND_H

#include "qemu/theory/papers_plan.h"

/*
 * Workers that are served one after the other, with s left when the first
 * transfer begins: they take `taken s - late` units in all, and leave
 * `kept s - delay` to those behind them. Each gets more than nothing if s is
 * more than `least`.
 */
struct theory_chain {
    quad taken, late;
    quad kept, delay;
    quad least;
};

/* The chain of nobody. */
static inline struct theory_chain theory_chain_none(void)
{
    return (struct theory_chain){.kept = 1, .least = -LDBL_MAX};
}

/* The chain of one worker. */
struct theory_chain theory_chain_of(const struct theory_star *star,
                                    size_t worker);

/* The chain of the workers of two, those of `next` behind those of `first`. */
struct theory_chain theory_chain_join(const struct theory_chain *first,
                                      const struct theory_chain *next);

/* The makespan with which a chain and the master take the load; 0: one of the
   chain would get nothing or less, or nobody takes anything. */
quad theory_chain_makespan(const struct theory_chain *chain,
                           const struct theory_star *star);

/*
 * Plans for `count` different workers, at least one, in this order. Makes the
 * plan, to be freed with theory_star_plan_free(). Some other subset of the
 * order may do better: with startups it is a heuristic who is passed over (of
 * those who get nothing or less, nobody is taken in again unless that ends
 * earlier). Cost: O(count) each time that workers are passed over.
 */
void theory_one_round(struct theory_star_plan *plan,
                      const struct theory_star *star, const size_t *order,
                      size_t count);

#endif
