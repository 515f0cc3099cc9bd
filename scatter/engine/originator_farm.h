/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The originator of a farm: every other node is a worker and gets chunks of the
 * load when it asks (scatter/plan/farm.h). The originator computes slices of
 * what is left, and serves the demands that have come between them.
 */
#ifndef SCATTER_ENGINE_ORIGINATOR_FARM_H
#define SCATTER_ENGINE_ORIGINATOR_FARM_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator_state.h"

/* Writes the job. How fast the workers are is not known: it takes them to be as
   fast as this node. Result: 0; ERR_RANGE if the order's ports are not 1, 2 or
   4, or its times beyond PLANNER_TIME_MAX_PS; ERR_PLAN if its tree says no path
   to a worker; or ERR_MEMORY. */
NODISCARD int originator_plan_farm(struct scatter *scatter,
                                   struct originator *originator);

/* What planned rounds leave to a farm. */
struct farm_tail {
    uint32_t units;       /* at the end of the originator's range */
    uint32_t own_units;   /* of them the originator's share, by the plan */
    uint32_t early_units; /* of that what it computes before the others begin
                             their last planned round, and ask */
};

/* Makes the farm that follows the rounds, and marks the job. Result: 0 or
   ERR_MEMORY. */
NODISCARD int originator_plan_tail(struct scatter *scatter,
                                   struct originator *originator,
                                   const struct farm_tail *tail);

/* Makes what is left the originator's range, when the sends of all rounds are
   queued. Result: 0, or ERR_MEMORY if an output's head has no room. */
NODISCARD int originator_begin_tail(struct scatter *scatter,
                                    struct originator *originator);

/* Queues every worker's first chunk, as far as the load goes. Result: 0 or the
   error. */
NODISCARD int originator_send_farm(struct scatter *scatter,
                                   struct originator *originator,
                                   uint64_t start_ps);

/*
 * Computes and serves until nothing is left and every worker knows it, then
 * merges their results. Result: 0; ERR_LENGTH; ERR_PLACE (a demand of a node
 * that is no worker, has the end, or has asked before, or out of order); an
 * error of the kernel, of receiving or of sending.
 */
NODISCARD int originator_lead_farm(struct scatter *scatter,
                                   struct originator *originator);

#endif
