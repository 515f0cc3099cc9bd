/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans for a star: a master that holds the load, and workers (Beaumont et al.,
 * papers.md). The master uses one link at a time; a worker may compute while it
 * receives the next chunk. A chunk of a units takes G + g a on the worker's
 * link, then W + w a of computing. Times and units are of any kind, as in the
 * file; a rate is units a time.
 *
 * Each theory_star_*() plan is the caller's to theory_star_plan_free().
 */
#ifndef QEMU_THEORY_STAR_H
#define QEMU_THEORY_STAR_H

#include "qemu/theory/workers.h"

/* Up to so many workers, all orders of all subsets are tried: 13,700. */
#define THEORY_SEARCH_MAX 7

#define THEORY_INSTALLMENTS_MAX 64

/* Sends of a plan of theory_star_installments(). */
#define THEORY_SENDS_MAX 2000

/* The columns of a worker's line. */
enum theory_star_column {
    THEORY_G,       /* g, transfer of a unit */
    THEORY_W,       /* w, computing of a unit */
    THEORY_STARTUP, /* G, startup of a transfer */
    THEORY_LATENCY, /* W, startup of computing */
};

struct theory_star {
    const struct theory_workers *workers; /* the caller's */
    quad load;                            /* units, more than 0 */
    quad master_rate; /* units that the master computes in a unit of time */
};

struct theory_star_plan {
    unsigned long rounds;
    bool searched; /* the best of all orders and subsets; else by rule */
    size_t sends;
    size_t *worker; /* of each send in time's order, from 0 */
    quad *units;    /* of each send, more than 0 */
    quad makespan;
    quad rate; /* load / makespan */
    quad master_units;
    quad period;     /* of a schedule of equal periods; the sends are those of
                        each but the last; else 0 */
    quad rate_limit; /* of such a schedule: the rate of ever longer loads */
};

/*
 * Sections 3.1 and 3.3: one chunk for each worker. All who take part finish
 * together at T. With s left when worker i's transfer begins,
 *
 *     a_i = (s - G_i - W_i) / (g_i + w_i)      then s becomes s - G_i - g_i a_i
 *
 * and the master computes T / W0. The order is the best there is for up to
 * THEORY_SEARCH_MAX workers and for any number without startups (ties to what
 * begins with the workers that come first in the file); else the best of the
 * orders that a rule gives for a long job and for this one, then improved: as
 * long as it ends earlier, one worker is moved to another place, taken out, or
 * taken in (0.5 s at most).
 */
void theory_star_one_round(struct theory_star_plan *plan,
                           const struct theory_star *star);

/*
 * Section 4.1, for any speeds: all workers by theory_star_sort(), `rounds` (2
 * or more) times; the link never rests, a worker's chunk ends when its next one
 * has come, the last ones at T. With e_n what is left of T when send n of P
 * workers ends, (7) to (9) become
 *
 *     a_n = (e_n - e_{n+P} - W) / w     e_n = 0 beyond the last send
 *     e_{n-1} = e_n + G + g a_n         T = e_0
 *
 * Result: whether every chunk is more than nothing. If not, there is no such
 * schedule, and the plan is to be freed too.
 */
NODISCARD bool theory_star_installments(struct theory_star_plan *plan,
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
 * M, up to THEORY_INSTALLMENTS_MAX, is the least number of rounds of the least
 * T whose chunks are more than nothing; M = 1 is the plan of one round.
 */
void theory_star_umr(struct theory_star_plan *plan,
                     const struct theory_star *star);

/*
 * Section 4.3, for long jobs: equal periods; in each the workers by rising g
 * get what they compute in one, until the link is full. plan->rate_limit is the
 * rate without startups, V / rate_limit = T_opt; the length of a period is the
 * root of T_opt, but at least twice the startups of those who take part, and at
 * least T_opt / 10^9; plan->rounds periods, as few as hold the load, end at the
 * makespan. Workers receive in all but the last and compute in all but the
 * first. What everybody gets in a period is then cut by the same part, so that
 * all periods hold the load and no more.
 */
void theory_star_periodic(struct theory_star_plan *plan,
                          const struct theory_star *star);

void theory_star_plan_free(struct theory_star_plan *plan);

/* ---- for the solvers ---- */

/*
 * Sorts all workers by rising g, then by rising G w - g W, then as in the file.
 * With `time` > 0 left, by rising k = g (time - W) + G w: of two neighbours the
 * one of the smaller k goes first. For long jobs that is the order of rising g,
 * and without startups the best, in which all take part.
 */
void theory_star_sort(size_t *order, const struct theory_star *star, quad time);

/* Makes a plan of one round without sends, with room for so many. */
void theory_star_plan_init(struct theory_star_plan *plan, size_t sends_max);

/* Adds a send, for which there is room. */
void theory_star_plan_add(struct theory_star_plan *plan, size_t worker,
                          quad units);

/* Sets makespan, rate and the master's units. */
void theory_star_plan_finish(struct theory_star_plan *plan,
                             const struct theory_star *star, quad makespan);

#endif
