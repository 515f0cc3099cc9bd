/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A farm that hands out falling chunks (Gonzalez-Velez and Cole, papers.md).
 * Calibration measures each worker's time t_i for a unit. F_i = (1/t_i) / sum
 * of 1/t is the worker's share, k >= 1 a factor. A worker that asks gets
 *
 *     floor(S/k F_i + 1/2) of the S remaining units, (9) in the paper
 *
 * and all workers' first chunks take S as the whole load. If the result is 0,
 * suppose that the S remaining units were handed out one by one. A worker that
 * would complete one of them gets one unit (of equal times the first worker in
 * the file is earlier); another worker gets no more. The paper prints no such
 * rule, but its table 1 follows from this one. Transfers take no time.
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
    size_t worker[THEORY_CHUNKS_MAX];  /* worker of each chunk, from 0 */
    uint64_t units[THEORY_CHUNKS_MAX]; /* units of each chunk */
    quad ends[THEORY_WORKERS_MAX];     /* end of each worker; 0: no chunk */
    quad makespan;
    quad bound; /* load / sum of 1/t: no farm ends earlier */
};

/*
 * Plans the farm for one column of unit times, a load of at least 1 unit and a
 * factor k >= 1. The caller frees the result by free(). Returns NULL if the
 * plan needs more than THEORY_CHUNKS_MAX chunks. Cost: O(workers) a chunk.
 */
NODISCARD struct theory_farm *theory_farm(const struct theory_workers *workers,
                                          uint64_t load, quad factor);

/* Returns the factor k = ln(load)^CV, but at least 1 (Gonzalez-Velez and Cole,
   equations (7) and (8)). CV is the deviation of a unit's times over their
   mean. The value has a double's precision. */
quad theory_farm_factor(const struct theory_workers *workers, uint64_t load);

#endif
