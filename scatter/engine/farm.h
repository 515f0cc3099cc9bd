/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever serves workers of a farm, the originator or a master: it computes
 * slices of the units that it has, and between them gives chunks of these to
 * workers that ask. The originator has the load; a master has the chunk that it
 * got last, and gets more (farm_worker.c).
 *
 * Units that are given or computed are taken off the range in struct scatter.
 */

#ifndef SCATTER_ENGINE_FARM_H
#define SCATTER_ENGINE_FARM_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/originator.h"
#include "scatter/plan/farm.h"

/* What is known of a worker. */
struct farm_worker {
    uint8_t head[WIRE_CHUNK_BYTES]; /* of its last chunk's message */
    uint16_t chunks;                /* that it was given, the end included */
    bool waits; /* has none yet; or asked when nothing was left, and got neither
                   a chunk nor the end */
    bool ended;
    struct torus_path path;
    struct farm_member member;
};

/* The farm of the job at hand; behind it, in the same memory, its workers. */
struct farm_state {
    struct farm farm;
    struct farm_member own;
    uint64_t own_ps; /* what the own slices took; .. */
    uint32_t own_units;
    uint32_t at_work; /* workers that have a chunk, and not the end */
    uint32_t workers;
    uint32_t turn;              /* of the worker that is served first of those
                                   that wait */
    struct circuit_segment job; /* comes with first chunks; none of a tail */
    /* Of a master: gets more units. Sets `more`, and farm.left if that was 0;
       sends chunks to those that wait. Result: 0 or the error. */
    int (*refill)(struct scatter *scatter, struct farm_state *state);
    bool more; /* units may come besides those left */
    /* Of a tail: the originator computes so many units before the first demand
       comes; the layer that gets its ends, and how many of it have none. */
    uint32_t first_units;
    uint32_t layer_left;
    uint8_t layer;
    /* Where demands are received ahead; the messages' room in bytes. */
    uint8_t *slot;
    uint32_t slot_bytes;
    uint8_t slots; /* to CIRCUIT_AHEAD_MAX */
    struct farm_worker worker[];
};

/* Demands that are received ahead of so many workers. */
static inline uint32_t farm_slots(uint32_t workers)
{
    return workers < CIRCUIT_AHEAD_MAX ? workers : CIRCUIT_AHEAD_MAX;
}

/*
 * Makes the state of a farm of input->nodes members, one of them this node, in
 * new memory, with slots for demands. Workers have no path, and are as fast as
 * input->compute_ps says. Result: 0 or ERR_MEMORY.
 */
NODISCARD int farm_open(struct scatter *scatter, struct farm_state **state,
                        const struct farm_input *input);

/* Queues chunks for all workers that wait, as far as there are units; if none
   come any more, the end for those that have had a chunk. Result: 0 or the
   error. */
NODISCARD int farm_serve_waiting(struct scatter *scatter,
                                 struct farm_state *state);

/* Answers a demand. Result: 0; ERR_LENGTH; ERR_PLACE (of a node that is no
   worker, has the end, or has asked before, or out of order); an error of
   sending. */
NODISCARD int farm_serve(struct scatter *scatter, struct farm_state *state,
                         const struct circuit_delivery *delivery);

/* Computes and serves until nothing is left, none comes, and every worker knows
   it. Result: 0, as farm_serve(), or an error of the kernel or of receiving. */
NODISCARD int farm_work_off(struct scatter *scatter, struct farm_state *state);

/* ---- the originator ---- */

/* Writes the job. How fast the workers are is not known: it takes them to be as
   fast as this node. Result: 0; ERR_RANGE if the order's ports are not 1, 2 or
   4, or its times beyond PLANNER_TIME_MAX_PS; ERR_PLAN if its tree says no path
   to a worker; or ERR_MEMORY. */
NODISCARD int farm_plan_job(struct scatter *scatter,
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
NODISCARD int farm_send(struct scatter *scatter, struct originator *originator,
                        uint64_t start_ps);

/*
 * Computes and serves until nothing is left and every worker knows it, then
 * merges their results. Result: 0; ERR_LENGTH; ERR_PLACE (a demand of a node
 * that is no worker, has the end, or has asked before, or out of order); an
 * error of the kernel, of receiving or of sending.
 */
NODISCARD int farm_lead(struct scatter *scatter, struct originator *originator);

#endif
