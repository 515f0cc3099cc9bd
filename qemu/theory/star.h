/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans for a star: a master that holds the load, and workers (Beaumont et al.,
 * papers.md). The master sends to one worker at a time. A worker may compute
 * while it receives the next chunk. A chunk of a units takes G + g a on the
 * worker's link, then W + w a of computing. The file's user chooses the units
 * of time and load; a rate is load units per time unit.
 *
 * The caller frees each theory_star_*() plan by theory_star_plan_free().
 */
#ifndef QEMU_THEORY_STAR_H
#define QEMU_THEORY_STAR_H

#include "qemu/theory/workers.h"

/* Most workers for which all orders of all subsets are tried: 13,700 orders. */
#define THEORY_SEARCH_MAX 7

#define THEORY_INSTALLMENTS_MAX 64

/* Most sends of a plan by theory_star_installments(). */
#define THEORY_SENDS_MAX 2000

/* Columns of a worker's line in the file. */
enum theory_star_column {
    THEORY_G,       /* g, transfer of a unit */
    THEORY_W,       /* w, computing of a unit */
    THEORY_STARTUP, /* G, startup of a transfer */
    THEORY_LATENCY, /* W, startup of computing */
};

struct theory_star {
    const struct theory_workers *workers; /* the caller's */
    quad load;                            /* units, more than 0 */
    quad master_rate; /* units that the master computes per time unit */
};

struct theory_star_plan {
    unsigned long rounds;
    bool searched; /* best of all orders and subsets; false: by rule */
    size_t sends;
    size_t *worker; /* worker of each send by time, from 0 */
    quad *units;    /* units of each send, more than 0 */
    quad makespan;
    quad rate; /* load / makespan */
    quad master_units;
    quad period; /* length of a period; 0: no equal periods. `sends` are those
                    of each period but the last */
    quad rate_limit; /* with periods: limit of the rate for long loads */
};

/*
 * Plans one chunk for each worker (Beaumont et al., sections 3.1 and 3.3). All
 * chosen workers finish at the makespan T. With time s left when worker i's
 * transfer begins, its chunk is
 *
 *     a_i = (s - G_i - W_i) / (g_i + w_i)      then s becomes s - G_i - g_i a_i
 *
 * and the master computes T times its rate. The order is optimal for up to
 * THEORY_SEARCH_MAX workers, and without startups for any number (ties to the
 * order whose first workers come first in the file). Otherwise it is the best
 * of some orders by theory_star_sort(). Then single workers are moved, removed
 * or added as long as the plan ends earlier (0.5 s at most).
 */
void theory_star_one_round(struct theory_star_plan *plan,
                           const struct theory_star *star);

/*
 * Plans `rounds` chunks, 2 or more, for each of P workers (Beaumont et al.,
 * section 4.1, for any speeds), in the order of theory_star_sort(). The link
 * never rests. A worker's chunk ends when its next one has come; the last ones
 * end at the makespan T. With a_n the chunk of send n and e_n the time from its
 * end to T, the paper's equations (7) to (9) become
 *
 *     a_n = (e_n - e_{n+P} - W) / w     e_n = 0 beyond the last send
 *     e_{n-1} = e_n + G + g a_n         T = e_0
 *
 * Returns whether every chunk is more than 0. If not, there is no such
 * schedule; the plan must be freed nevertheless.
 */
NODISCARD bool theory_star_installments(struct theory_star_plan *plan,
                                        const struct theory_star *star,
                                        unsigned rounds);

/*
 * Plans uniform multi-round chunks (UMR; Beaumont et al., section 4.2) for P
 * equal workers in M rounds. In each round j but the last, all get chunks of
 * a_j, and their next ones have come when worker P, served last, is done:
 * W + w a_j = P (G + g a_{j+1}). The last round has P a_{M-1} units in falling
 * chunks, with which all finish at T. Worker P never waits, so its last chunk z
 * gives
 *
 *     T = P (G + g a_0) + M W + w (a_0 + .. + a_{M-2} + z).
 *
 * The others wait for each chunk that is smaller than the one before; the last
 * of them may also wait for the last round. If nobody waits and V is the
 * workers' load, T = V w / P + M W + (P + 1)/2 (G + g a_0).
 *
 * M, up to THEORY_INSTALLMENTS_MAX, is the least number of rounds with the
 * least T and chunks of more than 0; M = 1 is the plan of one round.
 */
void theory_star_umr(struct theory_star_plan *plan,
                     const struct theory_star *star);

/*
 * Plans equal periods for long jobs (Beaumont et al., section 4.3). The
 * workers, by rising transfer time g of a unit, get what they compute in a
 * period, until the master's link is busy all the time. plan->rate_limit is the
 * rate without startups, load / rate_limit = T_opt. A period is the square root
 * of T_opt, but at least twice the chosen workers' startups and at least T_opt
 * / 10^9. plan->rounds periods, the fewest that hold the load, end at the
 * makespan. Workers receive in all but the last and compute in all but the
 * first. All units of a period are then reduced by one factor, so that all
 * periods hold exactly the load.
 */
void theory_star_periodic(struct theory_star_plan *plan,
                          const struct theory_star *star);

void theory_star_plan_free(struct theory_star_plan *plan);

/* ---- for the solvers ---- */

/*
 * Sorts all workers: if `time` is 0 by rising g, then by rising G w - g W, then
 * as in the file; else by rising k = g (time - W) + G w, with `time` the time
 * left. For long jobs that is the order of rising g. Without startups it is the
 * best order, in which all workers take part.
 */
void theory_star_sort(size_t *order, const struct theory_star *star, quad time);

/* Makes a plan of one round without sends, with room for `sends_max`. */
void theory_star_plan_init(struct theory_star_plan *plan, size_t sends_max);

void theory_star_plan_add(struct theory_star_plan *plan, size_t worker,
                          quad units);

void theory_star_plan_finish(struct theory_star_plan *plan,
                             const struct theory_star *star, quad makespan);

#endif
