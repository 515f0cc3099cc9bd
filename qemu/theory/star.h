/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans for a star: a master that holds the load, and workers, after Beaumont
 * et al. (papers.md). Symbols of the paper, in the units of the user's file:
 *   G  startup of a transfer to a worker    g  transfer time of a unit
 *   W  startup of a worker's computing      w  compute time of a unit
 *
 * So a chunk of a units takes G + g a on the worker's link, then W + w a of
 * computing. The master sends to one worker at a time. A worker may compute
 * while it receives the next chunk. A rate is load units per time unit.
 *
 * The caller frees each theory_star_*() plan by theory_star_plan_free().
 */
#ifndef QEMU_THEORY_STAR_H
#define QEMU_THEORY_STAR_H

#include "qemu/theory/workers.h"

/* Most workers for which all orders of all subsets of workers are tried: 13,700
   orders. */
#define THEORY_SEARCH_MAX 7

#define THEORY_INSTALLMENTS_MAX 64

/* Most sends in a plan that theory_star_installments() makes. */
#define THEORY_SENDS_MAX 2000

/* Columns of a worker's line in the user's file. */
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
    /* true: the best of all orders and subsets of workers; false: a rule chose
       the order */
    bool searched;
    size_t sends;
    /* index of each send's worker, from 0; sends sorted by time */
    size_t *worker;
    quad *units; /* units of each send, more than 0 */
    quad makespan;
    quad rate; /* load / makespan */
    quad master_units;
    /* Length of each of several equal periods; 0: the plan has none. With
       periods, worker[] and units[] are the sends of one period. */
    quad period;
    quad rate_limit; /* with periods: limit of `rate` for ever larger loads */
};

/*
 * Plans one chunk for each worker (Beaumont et al., sections 3.1 and 3.3). All
 * chosen workers finish at the makespan T. If s is the time left until T when
 * worker i's transfer begins, its chunk a_i is
 *
 *     a_i = (s - G_i - W_i) / (g_i + w_i)      then s becomes s - G_i - g_i a_i
 *
 * where G_i and W_i are startups and g_i and w_i times of a unit, of transfer
 * and of computing. The master computes T times its rate.
 *
 * The order of workers is the best for up to THEORY_SEARCH_MAX workers, and for
 * any number without startups; of equal orders, the one whose first workers
 * come first in the file. Otherwise it is the best of some orders by
 * theory_star_sort(), in which single workers are moved, removed or added as
 * long as the plan ends earlier (0.5 s at most).
 */
void theory_star_one_round(struct theory_star_plan *plan,
                           const struct theory_star *star);

/*
 * Plans `rounds` chunks, 2 or more, for each of P workers (Beaumont et al.,
 * section 4.1, but for workers of any speed), in the order of
 * theory_star_sort(). The link never rests. A worker computes a chunk until its
 * next one has come, and its last chunk until the makespan T. Let a_n be the
 * units of send n, e_n the time from its end to T, G and g a transfer's startup
 * and time of a unit, W and w those of computing. The paper's equations (7) to
 * (9) become
 *
 *     a_n = (e_n - e_{n+P} - W) / w     e_n = 0 beyond the last send
 *     e_{n-1} = e_n + G + g a_n         T = e_0
 *
 * Returns whether every chunk is more than 0. If not, there is no such
 * schedule; the caller must free the plan nevertheless.
 */
NODISCARD bool theory_star_installments(struct theory_star_plan *plan,
                                        const struct theory_star *star,
                                        unsigned rounds);

/*
 * Plans uniform multi-round chunks (UMR; Beaumont et al., section 4.2) for P
 * equal workers in M rounds. G and g are a transfer's startup and time of a
 * unit, W and w those of computing. In round j, but not in the last, each
 * worker gets a chunk of a_j units, and all next chunks have come when worker
 * P, served last, has computed its a_j: W + w a_j = P (G + g a_{j+1}). The last
 * round has P a_{M-1} units in falling chunks, with which all workers finish at
 * the makespan T. Worker P never waits, so with its last chunk of z units
 *
 *     T = P (G + g a_0) + M W + w (a_0 + .. + a_{M-2} + z).
 *
 * Other workers wait for each chunk that is smaller than the one before; those
 * served last may also wait for the last round. If nobody waits and V is the
 * workers' load, T = V w / P + M W + (P + 1)/2 (G + g a_0).
 *
 * M, up to THEORY_INSTALLMENTS_MAX, is the least number of rounds with the
 * least T and chunks of more than 0. M = 1 is the plan of one round.
 */
void theory_star_umr(struct theory_star_plan *plan,
                     const struct theory_star *star);

/* Plans equal periods for long jobs (Beaumont et al., section 4.3). Workers are
   chosen by rising transfer time of a unit. Each gets the units that it
   computes in a period, until the master's link is always busy.
   plan->rate_limit is the rate without startups, so T_opt = load / rate_limit
   is a lower bound of the makespan. A period lasts the square root of T_opt,
   but at least twice the sum of the chosen workers' startups, and at least
   T_opt / 10^9. plan->rounds periods, the fewest that hold the load, end at the
   makespan. Workers receive in all periods but the last and compute in all but
   the first. At the end all chunks are multiplied by one factor, so that all
   periods together hold exactly the load. */
void theory_star_periodic(struct theory_star_plan *plan,
                          const struct theory_star *star);

void theory_star_plan_free(struct theory_star_plan *plan);

/* ---- for the solvers ---- */

/* Sorts all workers into an order of sending. G and g are a transfer's startup
   and time of a unit, W and w those of computing. If `time` is 0, workers are
   sorted by rising g, then by rising G w - g W, then as in the file. Else
   `time` is the time left until the makespan, and they are sorted by rising g
   (time - W) + G w. Without startups this is the best order, in which all
   workers take part. */
void theory_star_sort(size_t *order, const struct theory_star *star, quad time);

/* Makes an empty plan of one round, with room for `sends_max` sends. */
void theory_star_plan_init(struct theory_star_plan *plan, size_t sends_max);

void theory_star_plan_add(struct theory_star_plan *plan, size_t worker,
                          quad units);

void theory_star_plan_finish(struct theory_star_plan *plan,
                             const struct theory_star *star, quad makespan);

#endif
