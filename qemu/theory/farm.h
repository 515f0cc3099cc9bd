/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A farm that hands out falling chunks (Gonzalez-Velez and Cole, DESIGN.md).
 * Calibration has told the time t_i of each worker for a unit; F_i = (1/t_i) /
 * sum of 1/t. Whoever asks gets
 *
 *     floor(S/k F_i + 1/2) of the S units that are left, (9) there
 *
 * and all workers' first chunks are of the whole load. Where that is 0, a
 * worker gets one unit if it is among those who would complete the S units that
 * are left first, were they handed out one by one (ties to the worker that
 * comes first in the file); if not, it has done its work. That is the rule by
 * which the paper's table 1 comes out; the paper prints none. Transfers take no
 * time.
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
    size_t worker[THEORY_CHUNKS_MAX]; /* of each chunk, from 0, as handed out */
    uint64_t units[THEORY_CHUNKS_MAX]; /* of each chunk */
    quad ends[THEORY_WORKERS_MAX];     /* of each worker; 0: it gets nothing */
    quad makespan;
    quad bound; /* load / sum of 1/t: no farm ends earlier */
};

/*
 * Carries the farm out for one column of times, a load of 1 unit or more and a
 * factor k >= 1. Result: the caller's to free(); NULL if THEORY_CHUNKS_MAX
 * chunks are not enough. Cost: O(workers) a chunk.
 */
NODISCARD struct theory_farm *theory_farm(const struct theory_workers *workers,
                                          uint64_t load, quad factor);

/* The factor ln(load)^CV, (7) and (8) there, CV the deviation of the times over
   their mean; 1 if that is less. A double. */
quad theory_farm_factor(const struct theory_workers *workers, uint64_t load);

#endif
