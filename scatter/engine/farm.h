/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A farm: nodes ask a server, the originator or a master, for chunks of the
 * load. The server computes slices itself, and between slices gives chunks to
 * workers that ask.
 *
 *   server   | slice | chunk to 3 | slice | chunks to 1, 2 | slice | ..
 *                    ^ demand of 3        ^ demands of 1, 2
 *
 * When a worker has got a chunk, it asks for the next one, then computes. The
 * demand tells the time that the chunk before took. A chunk of no units is the
 * worker's end, the last message to it.
 *
 * A master is a worker of the originator, and serves the workers of its group
 * (scatter/plan/tree.h) from its own chunk. It asks for its next chunk when
 * little is left.
 *
 *      originator              master                    worker
 *          | -- chunk, units -->  |                          |
 *          |                      | -- chunk, some of it --> |
 *          |                      | <-- demand ------------- | computes
 *          |                      | -- chunk, some of it --> |
 *          | <-- demand --------- | little is left           |
 *          | -- chunk ----------> |                          |
 *          :                      :                          :
 *          | -- end ------------> | -- end, when all is given |
 *          |                      | <-- result ------------- |
 *          | <-- result of all -- |
 */
#ifndef SCATTER_ENGINE_FARM_H
#define SCATTER_ENGINE_FARM_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/originator.h"
#include "scatter/plan/farm.h"

static_assert(FARM_LOG_BYTES == WIRE_CHUNK_BYTES, "the log has chunks' heads");

/* A worker, as its server knows it. */
struct farm_worker {
    struct wire_chunk head;    /* of its end; of a chunk that is not logged */
    uint16_t chunks;           /* number of chunks sent, the end included */
    bool waits;                /* the worker waits for a chunk or its end */
    bool ended;                /* the end, a chunk of no units, has been sent */
    bool asked;                /* a demand of the worker has come */
    bool gone;                 /* its result has come, or the worker is lost */
    struct torus_path path;    /* from the server to the worker */
    struct farm_member member; /* speed and last chunk's units (plan/farm.h) */
};

/* A server's farm: the originator's of the job, or a master's of its group. */
struct farm_state {
    struct farm farm;       /* units left, and state of the rule for chunks */
    struct farm_member own; /* the server's own speed */
    uint64_t own_ps;        /* time in which the server has computed, ps */
    uint32_t own_units;     /* number of units that the server has computed */
    uint32_t at_work;       /* number of workers with a chunk but no end yet */
    uint32_t results;       /* number of results that are due */
    uint32_t owing;         /* number of workers that were asked for last */
    uint64_t wait_ps;       /* time until the next question to them, ps */
    uint64_t wait_most_ps;  /* farm_wait_most_ps() when all was given */
    uint32_t workers;       /* number of workers: length of worker[] */
    uint32_t turn;          /* index of the waiting worker to try first */
    struct circuit_segment job; /* sent with first chunks; of a tail: empty */
    /* Of a master: waits for units, and sets farm.left and `more`. */
    int (*refill)(struct scatter *scatter, struct farm_state *state);
    bool more; /* of a master: more chunks may come from the originator */
    /* Answers worker[worker] when no units are left; NULL: with its end. */
    int (*end)(struct scatter *scatter, struct farm_state *state,
               uint32_t worker);
    uint32_t first_units; /* units of the next slice; 0: farm_slice() tells */
    /* Of a tail (tail.h), whose layers end one after the other: */
    uint8_t layer;       /* the layer whose nodes get their ends now */
    uint32_t layer_left; /* number of nodes of that layer without their end */
    struct wire_chunk *log; /* heads of the chunks sent, of all workers */
    uint32_t logged;        /* number of heads in the log */
    uint32_t log_most;      /* most heads that the log has room for */
    uint8_t *slot;          /* buffers for demands */
    uint32_t slot_bytes;    /* length of each buffer */
    uint8_t slots;          /* number of buffers, up to CIRCUIT_AHEAD_MAX */
    struct farm_worker worker[];
};

/* ---- any server ---- */

/* Makes a farm of input->nodes nodes, this server included. Workers have no
   path yet. Result: 0 or ERR_MEMORY. */
NODISCARD int farm_open(struct scatter *scatter, struct farm_state **state,
                        const struct plan_job *input);

/* Returns the number of nodes of a farm, its server included. `server`: the
   server's branch of the tree. */
uint32_t farm_count_members(const uint8_t *server);

/* Sets all workers' paths and speeds from the tree. Result: 0; ERR_PLAN if a
   path is invalid. */
NODISCARD int farm_add_workers(const struct scatter *scatter,
                               struct farm_state *state);

/* Queues a chunk for each worker that waits. If no more units come, queues the
   end for those that have had a chunk. Result: 0 or the error. */
NODISCARD int farm_serve_waiting(struct scatter *scatter,
                                 struct farm_state *state);

/* Answers the demand in `delivery`. Result: 0; ERR_LENGTH if it is malformed;
   ERR_PLACE if its sender may not ask; an error of sending. */
NODISCARD int farm_serve(struct scatter *scatter, struct farm_state *state,
                         const struct circuit_delivery *delivery);

/* Computes slices and serves demands until every worker has its end. Result: as
   farm_serve(); an error of the kernel or of receiving. */
NODISCARD int farm_work_off(struct scatter *scatter, struct farm_state *state);

/* Queues the next chunk of worker[index]; if no units are left, its end.
   Result: 0 or an error of sending. */
NODISCARD int farm_send_chunk(struct scatter *scatter, struct farm_state *state,
                              uint32_t index);

/* Returns the longest time, ps, between two questions to workers that can be
   reached, eight times the job's: then the order counts as lost. */
uint64_t farm_wait_most_ps(const struct scatter *scatter);

/* Receives and merges the results of all workers that got units, but of those
   that are lost. Result: 0 or the error. */
NODISCARD int farm_gather_results(struct scatter *scatter,
                                  struct farm_state *state);

/* The hook `lost` of a farm (core.h). `number`: index of the worker. */
NODISCARD int farm_lost(struct scatter *scatter, struct originator *originator,
                        uint32_t number);

/* ---- the originator ---- */

/* Sets *input for a farm of `units` units and `nodes` nodes. Result: 0;
   ERR_RANGE if the order's ports or times are out of range. */
NODISCARD int farm_input_of(struct plan_job *input,
                            const struct scatter *scatter,
                            const struct originator *originator, uint32_t units,
                            uint32_t nodes);

/* Calls farm_work_off(), and keeps the kernel's rate for the next job. Result:
   as farm_work_off(). */
NODISCARD int farm_lead_served(struct scatter *scatter,
                               struct originator *originator);

/* Receives and merges the results of the workers. Result: 0 or the error. */
NODISCARD int farm_gather_workers(struct scatter *scatter,
                                  const struct originator *originator);

/* Plans the farm, serves, computes, and merges results. Result: as
   farm_work_off(); ERR_RANGE; ERR_MEMORY; ERR_PLAN if the order's tree is
   invalid. */
NODISCARD int farm_carry_out(struct scatter *scatter,
                             struct originator *originator);

/* The hook `lead` of a farm (core.h). */
NODISCARD int farm_lead(struct scatter *scatter, struct originator *originator);

/* ---- a worker (farm_worker.c) ---- */

/* Waits for a chunk, and asks for the next one; at the end sets worker.ended. A
   master returns when its group's work is done. Result: 0; ERR_LENGTH or
   ERR_FIELD if the chunk is malformed; ERR_PLACE if it is for another worker or
   out of order; ERR_PLAN if path or range is invalid; an error of receiving or
   sending. */
NODISCARD int farm_receive(struct scatter *scatter);

/* As farm_receive(), for the chunk in `delivery`. */
NODISCARD int farm_begin(struct scatter *scatter,
                         struct circuit_delivery *delivery);

/* Makes this node worker `number` of a tail, and asks for the first chunk.
   `path`: from the originator to here. Result: 0 or an error of sending. */
NODISCARD int farm_join(struct scatter *scatter, uint16_t number,
                        struct torus_path path);

/* Computes the last chunk; the next demand tells its time. Result: as
   scatter_compute(). */
NODISCARD int farm_compute(struct scatter *scatter);

/* Receives and merges the results of a master's group. Result: 0 or error. */
NODISCARD int farm_gather(struct scatter *scatter);

#endif
