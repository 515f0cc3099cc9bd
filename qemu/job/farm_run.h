/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A farm of one level, event by event, by the rule of scatter/plan/farm.h: how
 * long it takes from the first chunk's send to the last unit computed, and
 * until the last result is back.
 *
 * A worker that gets a chunk asks for the next one at once, with the output of
 * the chunk before, and computes. The originator computes slices, and serves
 * between them whoever has asked. A demand and a chunk are a circuit each: with
 * b bytes over h hops it takes
 *
 *   startup + h hop delays + b transfer                       with circuits
 *   h (startup + hop delay + b transfer)                      store and forward
 *
 * and holds the originator's port to that worker, both ways. That
 * paths out of different ports meet is rare, and left out: ports are all that
 * circuits wait for. Where fewer ports work at once, chunks leave in the order
 * of their demands: one that waits for its port holds up those behind it.
 */
#ifndef QEMU_JOB_FARM_RUN_H
#define QEMU_JOB_FARM_RUN_H

#include "hal/nodiscard.h"
#include "scatter/plan/farm.h"
#include "torus/torus.h"

#include <stdbool.h>

struct farm_run_input {
    struct plan_job farm; /* `served` is 0 */
    /* As an order carries it, of farm.nodes branches, for one level: with the
       path from the root to each node, and how slow that is. */
    const uint8_t *tree;
    uint64_t startup_ps;
    uint64_t hop_delay_ps;
    uint64_t byte_ps;
    uint64_t run_ps;      /* of any node, for each run of its kernel */
    uint64_t software_ps; /* of the originator, for each demand */
    /* Until then the announcement holds the originator's port. */
    uint64_t announced_ps[TORUS_PORTS];
    uint32_t unit_bytes;
    uint32_t chunk_bytes;  /* beside its units, of every chunk */
    uint32_t first_bytes;  /* more of the first one: the job */
    uint32_t demand_bytes; /* beside the output */
    uint32_t result_bytes; /* beside the output */
    double output_bytes;   /* of a unit */
    bool store_and_forward;
};

struct farm_run {
    uint64_t makespan_ps;
    uint64_t with_results_ps;
};

/* Result: 0; ERR_RANGE if it might take 2^62 ps or more, or 2^24 chunks. Ends
   the program without memory. Cost: about 0.2 us for each chunk. */
NODISCARD int farm_run(struct farm_run *run,
                       const struct farm_run_input *input);

#endif
