/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/farm.h"

#include "scatter/engine/await.h"
#include "scatter/engine/gather.h"
#include "scatter/plan/tree.h"

static uint64_t now_ps(const struct scatter *scatter)
{
    return clock_now_ps(scatter->circuit->clock);
}

/* Reads the job that comes with the first chunk, and where results go. */
static int read_job(struct scatter *scatter,
                    const struct circuit_delivery *delivery)
{
    int error = scatter_read_job(scatter, delivery->payload + WIRE_CHUNK_BYTES,
                                 delivery->bytes - WIRE_CHUNK_BYTES);

    if (error != ERR_OK) {
        return error;
    }
    if (WIRE_POLICY(scatter->job.flags) != WIRE_FARM ||
        scatter->kernel == NULL || delivery->job != scatter->announced_job) {
        return ERR_FIELD;
    }
    scatter->job.rounds = 0; /* as many as there are demands */
    scatter->circuit->job = delivery->job;
    scatter->layer = 1;
    scatter->path_from_parent = tree_direct(scatter->branch);
    scatter_prepare_return(scatter);
    return torus_path_valid(scatter->size, scatter->path_from_parent)
               ? ERR_OK
               : ERR_PLAN;
}

/* Reads a chunk; one of no units is the end. */
static int read_chunk(struct scatter *scatter,
                      const struct circuit_delivery *delivery)
{
    struct scatter_worker *worker = &scatter->worker;
    const uint8_t *begin = delivery->payload + WIRE_CHUNK_BYTES;
    struct wire_chunk chunk;
    int error = wire_chunk_load(&chunk, delivery->payload, delivery->bytes);

    if (error == ERR_OK && scatter->round == 0) {
        worker->number = chunk.worker;
        error = read_job(scatter, delivery);
        begin += scatter->job_bytes;
    }
    if (error != ERR_OK) {
        return error;
    }
    if (chunk.worker != worker->number ||
        chunk.number != (uint16_t)scatter->round) {
        return ERR_PLACE;
    }
    worker->ended = chunk.units == 0;
    if (worker->ended) {
        return scatter->round > 0 ? ERR_OK : ERR_PLAN;
    }
    scatter->units = chunk.units;
    scatter->first_unit = chunk.first_unit;
    scatter->split.share_units = chunk.units;
    return chunk.first_unit + chunk.units < chunk.units
               ? ERR_PLAN
               : scatter_set_range(scatter, begin,
                                   delivery->payload + delivery->bytes);
}

/* Asks for the chunk after the one in hand, and returns the output of the one
   before. What the demand before was sent from is free: it has been answered.
 */
static int ask(struct scatter *scatter)
{
    const struct scatter_worker *worker = &scatter->worker;
    uint8_t *out = scatter->memory->report; /* the originator's alone */
    struct torus_path path = scatter->result_message.path;
    struct wire_demand demand = {.worker = worker->number,
                                 .number = (uint16_t)(scatter->round + 1u),
                                 .units = worker->computed_units,
                                 .compute_ps = worker->computed_ps};
    struct circuit_message message = {
        .path = path, .kind = WIRE_DEMAND, .head = {out, WIRE_DEMAND_BYTES}};

    wire_demand_store(out, &demand);
    if (scatter_has_output(scatter)) {
        message.shared = scatter_own_outputs(scatter);
        scatter->outputs_end = scatter->free_to;
    }
    return scatter_send(scatter, 1u << path.port, &message);
}

/* The first chunk takes the straight way, so it may come before the job is
   announced: it stays where it lies till then. */
static int await_announcement(struct scatter *scatter,
                              struct circuit_delivery delivery)
{
    uintptr_t end = (uintptr_t)delivery.payload + delivery.bytes;
    unsigned any_port = (1u << TORUS_PORTS) - 1u;
    int error = ERR_OK;

    scatter->free_from = (uint8_t *)((end + 7u) & ~(uintptr_t)7u);
    while (error == ERR_OK && scatter->kernel == NULL) {
        error = scatter_receive(scatter, &delivery, any_port);
        if (error == ERR_OK) {
            error = await_serve(scatter, delivery);
        }
    }
    return error;
}

/* Reads the first chunk; later ones come to lie behind all that is kept. */
static int read_first(struct scatter *scatter,
                      const struct circuit_delivery *delivery)
{
    int error = scatter->kernel == NULL ? await_announcement(scatter, *delivery)
                                        : ERR_OK;

    scatter->worker = (struct scatter_worker){.chunk = scatter->free_from};
    if (error == ERR_OK) {
        error = read_chunk(scatter, delivery);
    }
    if (scatter->free_from < scatter->worker.chunk) {
        scatter->free_from = scatter->worker.chunk;
    }
    return error;
}

int farm_receive(struct scatter *scatter)
{
    struct scatter_worker *worker = &scatter->worker;
    unsigned any_port = (1u << TORUS_PORTS) - 1u;
    struct circuit_delivery delivery;
    int error;

    if (scatter->round > 0) {
        worker->computed_ps = now_ps(scatter) - worker->started_ps;
        worker->computed_units = scatter->units;
        scatter->free_from = worker->chunk;
    }
    error = await_message(scatter, WIRE_CHUNK, &delivery, any_port);
    if (error == ERR_OK) {
        error = scatter->round == 0 ? read_first(scatter, &delivery)
                                    : read_chunk(scatter, &delivery);
    }
    if (error == ERR_OK && !worker->ended) {
        error = ask(scatter);
    }
    worker->started_ps = now_ps(scatter);
    return error;
}

int farm_gather(struct scatter *scatter)
{
    scatter->circuit->node->status.state = NODE_STATE_GATHERING;
    scatter_begin_outputs(scatter);
    return ERR_OK;
}
