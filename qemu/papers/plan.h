/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A star of workers, and what a master sends to each of them. The master uses
 * one link at a time; a worker may compute while it receives the next chunk.
 * Chunk of a units for a worker: G + g a on its link, then W + w a of
 * computing. Times and units are of any kind, as in the file; a rate is units a
 * time.
 */
#ifndef QEMU_PAPERS_PLAN_H
#define QEMU_PAPERS_PLAN_H

#include "qemu/papers/workers.h"

/* The columns of a worker's line. */
enum papers_star_column {
    PAPERS_G,       /* g, transfer of a unit */
    PAPERS_W,       /* w, computing of a unit */
    PAPERS_STARTUP, /* G, startup of a transfer */
    PAPERS_LATENCY, /* W, startup of computing */
};

/* All of it is the caller's. */
struct papers_star {
    const struct papers_workers *workers;
    mpq_srcptr load;   /* units, more than 0 */
    mpq_srcptr master; /* time in which the master computes a unit; 0: it does
                          not compute */
};

/* What papers_plan_free() frees. */
struct papers_plan {
    unsigned long rounds;
    bool searched; /* the best of all orders and subsets; else by rule */
    size_t sends;
    size_t *worker; /* of each send in time's order, from 0 */
    mpq_t *units;   /* of each send, more than 0 */
    mpq_t makespan;
    mpq_t rate; /* load / makespan */
    mpq_t master_units;
    mpq_t period;     /* of a schedule of equal periods; the sends are those of
                         each but the last; else 0 */
    mpq_t rate_limit; /* of such a schedule: the rate of ever longer loads */
};

/* A plan without sends, with room for so many. Ends the program if there is no
   memory. */
void papers_plan_init(struct papers_plan *plan, size_t sends_max);
void papers_plan_free(struct papers_plan *plan);

/* Adds a send, for which there is room. Result: its units, to be set. */
mpq_ptr papers_plan_add(struct papers_plan *plan, size_t worker);

/* Sets the master's units and the rate, load over makespan, when the makespan
   is known. */
void papers_plan_finish(struct papers_plan *plan,
                        const struct papers_star *star);

/* A column of a worker. */
mpq_srcptr papers_star_at(const struct papers_star *star, size_t worker,
                          enum papers_star_column column);

/* What the master computes a unit of time: 1/W0, or 0. */
void papers_star_master_rate(mpq_t rate, const struct papers_star *star);

#endif
