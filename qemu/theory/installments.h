/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several chunks for each worker of a star: the three shapes of Beaumont et al.
 * (DESIGN.md), section 4. Plans are to be freed with theory_star_plan_free().
 */
#ifndef QEMU_THEORY_INSTALLMENTS_H
#define QEMU_THEORY_INSTALLMENTS_H

#include "qemu/theory/papers_plan.h"

#define THEORY_ROUNDS_MAX 64

/* Sends of a plan of theory_installments(). */
#define THEORY_SENDS_MAX 2000

/*
 * Section 4.1, for any speeds: all workers by theory_order_by_rule(), `rounds`
 * (2 or more) times; the link never rests, a worker's chunk ends when its next
 * one has come, the last ones at T. With e_n what is left of T when send n of P
 * workers ends, (7) to (9) become
 *
 *     a_n = (e_n - e_{n+P} - W) / w     e_n = 0 beyond the last send
 *     e_{n-1} = e_n + G + g a_n         T = e_0
 *
 * Result: whether every chunk is more than nothing. If not, there is no such
 * schedule, and the plan is to be freed too.
 */
NODISCARD bool theory_installments(struct theory_star_plan *plan,
                                   const struct theory_star *star,
                                   unsigned rounds);

/*
 * Section 4.2, UMR, for equal workers: in each round but the last, equal chunks
 * for all P workers, the next ones of which have come when worker P is done:
 * W + w a_j = P (G + g a_{j+1}); in the last round, falling ones, as many units
 * in all, with which all finish together. Worker P never waits, so z being what
 * it gets last,
 *
 *     T = P (G + g a_0) + M W + w (a_0 + .. + a_{M-2} + z).
 *
 * The others wait for each chunk that is smaller than the one before, and the
 * last ones of them perhaps for the last round. If nobody waits, V the workers'
 * load, T = V w / P + M W + (P + 1)/2 (G + g a_0).
 *
 * M, up to THEORY_ROUNDS_MAX, is the least number of rounds of the least T
 * whose chunks are more than nothing; M = 1 is the plan of one round.
 */
void theory_umr(struct theory_star_plan *plan, const struct theory_star *star);

/*
 * Section 4.3, for long jobs: equal periods; in each the workers by rising g
 * get what they compute in one, until the link is full. plan->rate_limit is the
 * rate without startups, V / rate_limit = T_opt; the length of a period is the
 * root of T_opt, but at least twice the startups of those who take part, and at
 * least T_opt / 10^9; plan->rounds periods, as few as hold the load, end at the
 * makespan. Workers receive in all
 * but the last and compute in all but the first. What everybody gets in a
 * period is then cut by the same part, so that all periods hold the load and no
 * more.
 */
void theory_periodic(struct theory_star_plan *plan,
                     const struct theory_star *star);

#endif
