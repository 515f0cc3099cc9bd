/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A star of workers, and what a master sends to each of them. The master uses
 * one link at a time; a worker may compute while it receives the next chunk.
 * Chunk of a units for a worker: G + g a on its link, then W + w a of
 * computing. Times and units are of any kind, as in the file; a rate is units a
 * time.
 */
#ifndef QEMU_THEORY_PAPERS_PLAN_H
#define QEMU_THEORY_PAPERS_PLAN_H

#include "qemu/theory/workers.h"

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

/* What theory_star_plan_free() frees. */
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

/* A plan of one round without sends, with room for so many. Ends the program if
   there is no memory. */
void theory_star_plan_init(struct theory_star_plan *plan, size_t sends_max);
void theory_star_plan_free(struct theory_star_plan *plan);

/* Adds a send, for which there is room. */
void theory_star_plan_add(struct theory_star_plan *plan, size_t worker,
                          quad units);

/* Sets makespan, rate and the master's units. */
void theory_star_plan_finish(struct theory_star_plan *plan,
                             const struct theory_star *star, quad makespan);

#endif
