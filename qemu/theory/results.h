/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A star of a master and workers whose results come back, after Ghatpande et
 * al. (papers.md). Symbols of the paper, in the units of the user's file:
 *   a_i  units that worker i gets      C_i  a unit's transfer time to worker i
 *   E_i  its compute time of a unit    T    time until all results are back
 *
 * The master sends a chunk to each worker in one order and collects the
 * results, `ratio` units for each unit of the load, in another order. Its link
 * carries one transfer at a time. A worker does not compute while it receives
 * or sends. For each pair of orders a linear programme gives the best chunks,
 * equations (10) to (13) of the paper:
 *
 *     sum of C_j a_j up to i as sent + E_i a_i
 *         + ratio * sum of C_j a_j from i on as collected    <= T, each i
 *     (1 + ratio) * sum of C_j a_j                           <= T
 */
#ifndef QEMU_THEORY_RESULTS_H
#define QEMU_THEORY_RESULTS_H

#include "qemu/theory/workers.h"

/* Most workers for which all pairs of orders (sending, collecting) are tried:
   14,400 pairs. */
#define THEORY_PAIRS_MAX 5

enum theory_results_column {
    THEORY_TRANSFER, /* C, transfer of a unit */
    THEORY_COMPUTE,  /* E, computing of a unit */
};

struct theory_collection {
    size_t takers; /* number of workers that get units */
    /* workers that get units, in the order of sending */
    size_t sent[THEORY_WORKERS_MAX];
    /* these workers, in the order of collecting */
    size_t collected[THEORY_WORKERS_MAX];
    quad makespan;
    quad share[THEORY_WORKERS_MAX]; /* units of each worker */
    /* Time of each worker from its last unit's computing until its results
       begin to return; 0 for workers without units. */
    quad idle[THEORY_WORKERS_MAX];
    quad units; /* units that a plan of makespan 1 computes */
    /* sum of all workers' compute times, in a plan of makespan 1 */
    quad computing;
};

struct theory_results {
    /* best plan that collects in the reverse order of sending */
    struct theory_collection lifo;
    /* best plan that collects in the order of sending */
    struct theory_collection fifo;
    /* best plan of all pairs of orders, or the best one found */
    struct theory_collection optimal;
    bool exact; /* true: `optimal` is proven to be the best */
};

/* Finds the plans with the least makespans for a load > 0 and a ratio of
   results >= 0. The caller frees the result by free(). For up to
   THEORY_PAIRS_MAX workers, all pairs of orders are tried. Of equal makespans
   the plan with the least computing wins, then the one that was tried first. */
NODISCARD struct theory_results *
theory_results(const struct theory_workers *workers, quad load, quad ratio);

#endif
