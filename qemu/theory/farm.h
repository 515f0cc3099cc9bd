/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A farm that hands out falling chunks, after Gonzalez-Velez and Cole
 * (papers.md). Symbols of this header:
 *   t_i  worker i's time for a unit   F_i  worker i's share: 1/t_i / sum of 1/t
 *   S    units that remain            k    factor of at least 1
 *
 * A worker that asks for a chunk gets, by the paper's equation (9),
 *
 *     floor(S/k F_i + 1/2) units.
 *
 * For every worker's first chunk, S is the whole load. If the result is 0,
 * suppose that the S remaining units were handed out one by one. A worker that
 * would complete one of them gets one unit; any other worker gets no more. (If
 * two complete a unit at the same time, the first worker of the file counts as
 * earlier.) The paper prints no such rule, but its table 1 follows from it.
 * Transfers take no time.
 */
#ifndef QEMU_THEORY_FARM_H
#define QEMU_THEORY_FARM_H

#include "hal/nodiscard.h"
#include "qemu/theory/workers.h"

#include <stdint.h>

#define THEORY_CHUNKS_MAX 100000

struct theory_farm {
    size_t workers;
    size_t chunks;
    size_t worker[THEORY_CHUNKS_MAX]; /* index of each chunk's worker, from 0 */
    uint64_t units[THEORY_CHUNKS_MAX]; /* units of each chunk */
    /* time at which each worker ends; 0: it got no chunk */
    quad ends[THEORY_WORKERS_MAX];
    quad makespan;
    /* lower bound of the makespan: load / sum of 1 / (time of a unit) */
    quad bound;
};

/* Plans the farm for workers with one number each, the time of a unit. The load
   is at least 1 unit, and the factor k of farm.h at least 1. The caller frees
   the result by free(). Returns NULL if the plan needs more than
   THEORY_CHUNKS_MAX chunks. Cost: O(workers) for each chunk. */
NODISCARD struct theory_farm *theory_farm(const struct theory_workers *workers,
                                          uint64_t load, quad factor);

/* Returns the factor k = ln(load)^CV, but at least 1, by equations (7) and (8)
   of Gonzalez-Velez and Cole. CV is the standard deviation of the workers' unit
   times over their mean. The result has a double's precision. */
quad theory_farm_factor(const struct theory_workers *workers, uint64_t load);

#endif
