/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A farm, seen by the node that serves it: the originator, or a master. It
 * computes slices of the units that it has, and between slices gives chunks of
 * them to workers that ask. The originator has the load; a master has the chunk
 * that it got last, and asks for more (farm_worker.c).
 *
 *   server   | slice | chunk to 3 | slice | chunks to 1, 2 | slice | ..
 *                    ^ demand of 3        ^ demands of 1, 2
 *
 * Units that are given away or computed leave the range in struct scatter.
 */
#ifndef SCATTER_ENGINE_FARM_H
#define SCATTER_ENGINE_FARM_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/originator.h"
#include "scatter/plan/farm.h"

/* A worker, as its server knows it. */
struct farm_worker {
    uint8_t head[WIRE_CHUNK_BYTES]; /* head of the last chunk's message */
    uint16_t chunks;                /* given to it, the end included */
    bool waits;                     /* wants a chunk that there is none of */
    bool ended;                     /* has its end */
    struct torus_path path;         /* from the server */
    struct farm_member member;      /* its speed (scatter/plan/farm.h) */
};

/* The farm of a job; its workers lie behind it in the same memory. */
struct farm_state {
    struct farm farm;       /* the rule that sizes chunks, units left */
    struct farm_member own; /* the server's own speed */
    uint64_t own_ps;        /* compute time of the server's slices, ps */
    uint32_t own_units;     /* units of the server's slices */
    uint32_t at_work;       /* workers that have a chunk, and not the end */
    uint32_t workers;       /* length of worker[] */
    uint32_t turn;          /* index of the waiting worker served first */
    struct circuit_segment
        job; /* goes with first chunks; empty: none needs it */
    /* Gets a master more units: sets `more`, and farm.left if that was 0, and
       sends chunks to workers that wait. Result: 0 or the error. */
    int (*refill)(struct scatter *scatter, struct farm_state *state);
    bool more; /* units may come besides farm.left */
    /* Answers a worker's demand when nothing is left, at once or later; NULL:
       the end is sent at once. Result: 0 or the error. */
    int (*end)(struct scatter *scatter, struct farm_state *state,
               uint32_t worker);
    uint32_t first_units; /* the server's first slice; 0: by the rule */
    uint8_t layer;        /* layer that is given its ends, of a tail */
    uint32_t layer_left;  /* nodes of that layer without their end */
    uint8_t *slot;        /* memory of demands that are received ahead */
    uint32_t slot_bytes;  /* of each of them */
    uint8_t slots;        /* number of them, up to CIRCUIT_AHEAD_MAX */
    struct farm_worker worker[];
};

/* Number of demands that are received ahead for so many workers. */
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
                        const struct plan_job *input);

/* Counts the node of the branch `server` and those that it serves, by the tree
   (scatter/plan/tree.h). */
uint32_t farm_count_members(const uint8_t *server);

/* Gives all workers the paths and speeds that this node's branch says. Result:
   0, or ERR_PLAN if one has no path. */
NODISCARD int farm_add_workers(const struct scatter *scatter,
                               struct farm_state *state);

/* Queues chunks for the workers that wait, as long as units are left; then, if
   no more come, ends for those that have had a chunk. Result: 0 or the
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

/* Queues a worker's next chunk; one of no units, its end, if nothing is left.
   Result: 0 or an error of sending. */
NODISCARD int farm_send_chunk(struct scatter *scatter, struct farm_state *state,
                              uint32_t index);

/* ---- the originator ---- */

/* Sets what the chunk rule is given for so many units of the load and nodes,
   this one included. Result: 0; ERR_RANGE if the order's ports are not 1, 2 or
   4, or its times beyond PLANNER_TIME_MAX_PS. */
NODISCARD int farm_input_of(struct plan_job *input,
                            const struct scatter *scatter,
                            const struct originator *originator, uint32_t units,
                            uint32_t nodes);

/* Prepares for demands that bring outputs. A demand's head may be longer than a
   result's; and what lies before them still leaves with first chunks, or
   demands are received ahead there. Result: 0 or ERR_MEMORY. */
NODISCARD int farm_begin_outputs(struct scatter *scatter);

/* Computes and serves until nothing is left and every worker knows it, and
   keeps the rate. Result: as farm_work_off(). */
NODISCARD int farm_lead_served(struct scatter *scatter,
                               struct originator *originator);

/* Receives and merges the results of so many workers as they come. Result: 0 or
   the error. */
NODISCARD int farm_gather_workers(struct scatter *scatter, uint32_t workers);

/* Plans the farm, sends every worker its first chunk as far as the load goes,
   serves, computes, and merges their results. Result: 0; ERR_RANGE; ERR_PLAN if
   the order's tree says no path to a worker; ERR_MEMORY; or as
   farm_work_off(). */
NODISCARD int farm_carry_out(struct scatter *scatter,
                             struct originator *originator);

/* The hook of a farm's originator (scatter/engine/core.h): measures, then
   farm_carry_out(). One that does all alone is a tree's. */
NODISCARD int farm_lead(struct scatter *scatter, struct originator *originator);

#endif
