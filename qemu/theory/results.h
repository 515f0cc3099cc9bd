/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A star whose results come back (Ghatpande et al., papers.md). The master
 * sends a chunk to each worker in one order and collects the results, `ratio`
 * units for each unit of the load, in another order. Its link carries one
 * transfer at a time. A worker does not compute while it receives or sends.
 * Each pair of orders is a linear programme, equations (10) to (13) of the
 * paper. Worker i gets a_i units, with C_i the transfer time and E_i the
 * compute time of a unit; T is the time until all results are back:
 *
 *     sum of C_j a_j up to i as sent + E_i a_i
 *         + ratio * sum of C_j a_j from i on as collected    <= T, each i
 *     (1 + ratio) * sum of C_j a_j                           <= T
 */
#ifndef QEMU_THEORY_RESULTS_H
#define QEMU_THEORY_RESULTS_H

#include "qemu/theory/workers.h"

/* Most workers for which all pairs of orders are tried: 14,400 pairs. */
#define THEORY_PAIRS_MAX 5

enum theory_results_column {
    THEORY_TRANSFER, /* C, transfer of a unit */
    THEORY_COMPUTE,  /* E, computing of a unit */
};

struct theory_collection {
    size_t takers;                        /* workers that get units */
    size_t sent[THEORY_WORKERS_MAX];      /* takers, in the order of sending */
    size_t collected[THEORY_WORKERS_MAX]; /* takers, as collected */
    quad makespan;
    quad share[THEORY_WORKERS_MAX]; /* units of each worker */
    /* Time of each worker from its last unit to its results' sending; 0 without
       units. */
    quad idle[THEORY_WORKERS_MAX];
    quad units;     /* units in a time of 1 */
    quad computing; /* compute time of all workers, in a time of 1 */
};

struct theory_results {
    struct theory_collection lifo; /* best plan: last sent, first collected */
    struct theory_collection fifo; /* best plan with equal orders */
    struct theory_collection optimal; /* best of all pairs, or best found */
    bool exact; /* true: `optimal` is proven to be the best */
};

/*
 * Finds the plans with the least makespans for load > 0, ratio >= 0. The caller
 * frees the results by free(). For up to THEORY_PAIRS_MAX workers, all pairs of
 * orders are tried. Of equal makespans the plan with the least computing wins,
 * then the first one in the order of counting.
 */
NODISCARD struct theory_results *
theory_results(const struct theory_workers *workers, quad load, quad ratio);

#endif
