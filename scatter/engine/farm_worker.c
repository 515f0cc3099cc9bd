/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/farm.h"

#include "scatter/engine/announce.h"
#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/plan/fixed.h"
#include "scatter/plan/tree.h"
#include "torus/torus.h"

#include <string.h>

static void return_to_originator(struct scatter *scatter,
                                 struct torus_path from_originator)
{
    scatter->layer = 1;
    scatter->number = scatter->worker.number;
    scatter->path_from_parent = from_originator;
    scatter_prepare_return(scatter);
}

static int read_job(struct scatter *scatter,
                    const struct circuit_delivery *delivery)
{
    int error = scatter_read_job(scatter, delivery->payload + WIRE_CHUNK_BYTES,
                                 delivery->bytes - WIRE_CHUNK_BYTES);

    if (error != ERR_OK) {
        return error;
    }
    if (policy_row(scatter->job.flags) != WIRE_FARM ||
        scatter->job.rounds == 0) {
        return ERR_FIELD;
    }
    scatter->circuit->job = delivery->job;
    if (!torus_path_valid(scatter->size, tree_direct(scatter->tree.branch))) {
        return ERR_PLAN;
    }
    return_to_originator(scatter, tree_direct(scatter->tree.branch));
    scatter->worker.path = scatter->result_message.path;
    return ERR_OK;
}

/* Reads a chunk into this node's range. Result: as farm_receive(). */
static int read_chunk(struct scatter *scatter,
                      const struct circuit_delivery *delivery)
{
    struct scatter_worker *worker = &scatter->worker;
    const uint8_t *begin = delivery->payload + WIRE_CHUNK_BYTES;
    bool first = scatter->job.rounds == 0; /* the job is not known yet */
    struct wire_chunk chunk;
    int error =
        wire_load(&chunk, sizeof chunk, delivery->payload, delivery->bytes);

    if (error == ERR_OK && chunk.number != worker->chunks) {
        error = ERR_PLACE;
    }
    if (error == ERR_OK && first) {
        worker->number = chunk.worker;
        error = read_job(scatter, delivery);
        begin += scatter->job_bytes;
    }
    if (error != ERR_OK) {
        return error;
    }
    if (chunk.worker != worker->number) {
        return ERR_PLACE;
    }
    worker->chunks += 1;
    worker->ended = chunk.units == 0;
    if (worker->ended) {
        return first ? ERR_PLAN : ERR_OK;
    }
    scatter->units = chunk.units;
    scatter->first_unit = chunk.first_unit;
    scatter->split.share_units = chunk.units;
    return chunk.first_unit + chunk.units < chunk.units
               ? ERR_PLAN
               : scatter_set_range(scatter, begin,
                                   delivery->payload + delivery->bytes);
}

/* Makes room for an output, over outputs already sent. */
static void free_outputs(struct scatter *scatter)
{
    uint32_t bytes = (uint32_t)(scatter->outputs_end - scatter->free_to);
    uint32_t room = WIRE_OUTPUT_CHUNK_BYTES +
                    WIRE_PAD4(compute_output_room(scatter, scatter->units));

    if (room > (uint32_t)(scatter->free_to - scatter->free_from)) {
        scatter->outputs_end = scatter->room_end;
        memmove(scatter->outputs_end - bytes, scatter->free_to, bytes);
        scatter->free_to = scatter->outputs_end - bytes;
    }
}

static int ask_for_chunk(struct scatter *scatter)
{
    struct scatter_worker *worker = &scatter->worker;
    uint8_t *out = scatter->memory->report; /* free: a worker sends no report */
    struct torus_path path = worker->path;
    struct wire_demand demand = {.worker = worker->number,
                                 .number = worker->chunks,
                                 .units = worker->computed_units,
                                 .compute_ps = worker->computed_ps};
    struct circuit_message message = {
        .path = path, .kind = WIRE_DEMAND, .head = {out, WIRE_DEMAND_BYTES}};

    worker->computed_ps = 0;
    worker->computed_units = 0;
    memcpy(out, &demand, sizeof demand);
    if (scatter_has_output(scatter)) {
        free_outputs(scatter);
        message.shared = scatter_own_outputs(scatter);
        scatter->outputs_end = scatter->free_to;
    }
    return scatter_send(scatter, 1u << path.port, &message);
}

/* An output's head, and 8 bytes for rounding up output and chunk. */
#define OUTPUT_FIXED_BYTES (WIRE_OUTPUT_CHUNK_BYTES + 8u)

/*
 * Divides the memory from worker.chunk to free_to between two chunks and two
 * outputs, in proportion to a unit's bytes in a chunk and in an output:
 *
 *   chunk | stock_bytes | stock_bytes | output | output | free_to
 */
static void divide_memory(struct scatter *scatter)
{
    struct scatter_worker *worker = &scatter->worker;
    const struct kernel_terms *terms = &scatter->terms;
    uint32_t most = (uint32_t)(scatter->free_to - worker->chunk) / 2;
    uint32_t fixed = CIRCUIT_HEADER_BYTES + WIRE_CHUNK_BYTES +
                     WIRE_PAD4(scatter->job_bytes) + scatter->job.before_bytes +
                     scatter->job.after_bytes + 8;
    uint64_t unit =
        (uint64_t)scatter->announced.unit_bytes * terms->output_denominator;

    if (scatter_has_output(scatter) && most > fixed + OUTPUT_FIXED_BYTES) {
        most -= OUTPUT_FIXED_BYTES;
        if (terms->output_numerator > 0) {
            most = fixed + (uint32_t)((most - fixed) * unit /
                                      (unit + terms->output_numerator));
        }
    }
    worker->stock_bytes = most & ~7u;
}

/* Returns where to receive the next chunk; the last one may be in use. */
static uint8_t *next_place(const struct scatter *scatter)
{
    const struct scatter_worker *worker = &scatter->worker;

    scatter_check_heap(scatter);
    return worker->chunk + (worker->chunks & 1u) * worker->stock_bytes;
}

#define CHUNK_PORTS (CIRCUIT_ALL_PORTS | CIRCUIT_ONLY(WIRE_CHUNK))

/* Asks for the next chunk, to be received while the last one is computed. */
static int ask_ahead(struct scatter *scatter)
{
    struct scatter_worker *worker = &scatter->worker;
    int error = circuit_receive_ahead(scatter->circuit, CHUNK_PORTS,
                                      next_place(scatter), worker->stock_bytes);

    scatter->free_from = worker->chunk + 2 * worker->stock_bytes;
    return error == ERR_OK ? ask_for_chunk(scatter) : error;
}

/* ---- a master ---- */

/* A master asks for a chunk when a LOW_PART-th of its last chunk is left. */
#define LOW_PART 2u

static bool is_master(const struct scatter *scatter)
{
    const uint8_t *branch = scatter->tree.branch;

    return !tree_in_group(branch) &&
           tree_next_of_group(branch, branch) < tree_next(branch);
}

/* Makes the last chunk the group's load. farm.ahead is an estimate. */
static void begin_stock(struct scatter *scatter, struct farm_state *state)
{
    struct farm *farm = &state->farm;
    uint64_t ahead = (uint64_t)scatter->units * (farm->installment - 1u);

    farm->left = scatter->units;
    farm->ahead = fixed_smaller(ahead, UINT32_MAX);
    scatter->worker.low_units = scatter->units / LOW_PART;
    scatter->worker.asked = false;
}

static int take_chunk(struct scatter *scatter, struct farm_state *state,
                      const struct circuit_delivery *delivery)
{
    int error =
        scatter->worker.asked ? read_chunk(scatter, delivery) : ERR_PLACE;

    if (error != ERR_OK) {
        return error;
    }
    state->more = !scatter->worker.ended;
    if (state->more) {
        begin_stock(scatter, state);
    }
    return farm_serve_waiting(scatter, state);
}

static int serve_next(struct scatter *scatter, struct farm_state *state)
{
    struct scatter_worker *worker = &scatter->worker;
    struct circuit_delivery delivery;
    /* Units whose send is queued may lie where the next chunk is received. */
    int error = scatter_drain(scatter);

    if (error == ERR_OK) {
        scatter->circuit->node->status.state = NODE_STATE_WAITING;
        error = circuit_receive(scatter->circuit, &delivery, CIRCUIT_ALL_PORTS,
                                next_place(scatter), worker->stock_bytes);
    }
    if (error != ERR_OK) {
        return error;
    }
    if (delivery.kind == WIRE_CHUNK) {
        return take_chunk(scatter, state, &delivery);
    }
    return delivery.kind == WIRE_DEMAND ? farm_serve(scatter, state, &delivery)
                                        : ERR_KIND;
}

/* Asks for the next chunk, and tells the group's estimated time. */
static int ask(struct scatter *scatter, struct farm_state *state)
{
    struct scatter_worker *worker = &scatter->worker;

    worker->asked = true;
    worker->computed_units = scatter->units;
    worker->computed_ps =
        fixed_product(farm_unit_ps(&state->farm), scatter->units);
    return ask_for_chunk(scatter);
}

static int ask_if_low(struct scatter *scatter, struct farm_state *state)
{
    const struct scatter_worker *worker = &scatter->worker;

    return state->more && !worker->asked &&
                   state->farm.left <= worker->low_units
               ? ask(scatter, state)
               : ERR_OK;
}

/* Serves messages until units are left. */
static int refill(struct scatter *scatter, struct farm_state *state)
{
    int error;

    do {
        error = ask_if_low(scatter, state);
    } while (error == ERR_OK && state->more && state->farm.left == 0 &&
             (error = serve_next(scatter, state)) == ERR_OK);
    return error;
}

/* Makes the group's state. ERR_PLAN if a path is invalid or the job has an
   output, which masters do not pass on. */
static int open_group(struct scatter *scatter)
{
    struct wire_farm_terms terms;
    struct farm_state *state;
    struct plan_job input = {.most_units = UINT32_MAX,
                             .nodes = farm_count_members(scatter->tree.branch)};
    int error = scatter_has_output(scatter)
                    ? ERR_PLAN
                    : wire_job_farm(&terms, scatter->job_data);

    if (error != ERR_OK) {
        return error;
    }
    input.compute_ps = terms.compute_ps;
    input.demand_ps = terms.demand_ps;
    input.call_ps = terms.call_ps;
    input.installment = terms.installment;
    input.load_units = scatter->units;
    error = farm_open(scatter, &state, &input);
    if (error != ERR_OK) {
        return error;
    }
    state->job =
        (struct circuit_segment){scatter->job_data, scatter->job_bytes};
    state->refill = refill;
    state->more = true;
    state->farm.masters = true;
    scatter->worker.group = state;
    return farm_add_workers(scatter, state);
}

static int lead_group(struct scatter *scatter)
{
    struct farm_state *state = scatter->worker.group;
    int error;

    begin_stock(scatter, state);
    error = ask(scatter, state);
    if (error == ERR_OK) {
        error = farm_serve_waiting(scatter, state);
    }
    return error == ERR_OK ? farm_work_off(scatter, state) : error;
}

/* ---- any worker ---- */

static bool is_announced(const struct scatter *scatter, uint16_t job)
{
    return scatter->kernel != NULL && scatter->announced_job == job;
}

/* A chunk may overtake the announcement of its job: waits for it. */
static int await_announcement(struct scatter *scatter,
                              struct circuit_delivery *first)
{
    struct circuit_delivery delivery;
    uintptr_t end;
    int error =
        scatter->kernel != NULL ? announce_drop(scatter, first) : ERR_OK;

    end = (uintptr_t)first->payload + first->bytes;
    scatter->free_from = (uint8_t *)((end + 7u) & ~(uintptr_t)7u);
    while (error == ERR_OK && !is_announced(scatter, first->job)) {
        error = scatter_receive(scatter, &delivery, CIRCUIT_ALL_PORTS);
        if (error == ERR_OK) {
            error = await_serve(scatter, delivery);
        }
    }
    return error;
}

static int read_first(struct scatter *scatter,
                      struct circuit_delivery *delivery)
{
    int error = is_announced(scatter, delivery->job)
                    ? ERR_OK
                    : await_announcement(scatter, delivery);

    scatter->worker = (struct scatter_worker){.ended = false};
    scatter->worker.chunk = scatter->free_from;
    if (error == ERR_OK) {
        error = read_chunk(scatter, delivery);
    }
    if (error == ERR_OK && is_master(scatter)) {
        error = open_group(scatter);
        scatter->worker.chunk = scatter->free_from;
    }
    divide_memory(scatter);
    return error == ERR_OK && CIRCUIT_HEADER_BYTES + delivery->bytes >
                                  scatter->worker.stock_bytes
               ? ERR_BUFFER
               : error;
}

int farm_join(struct scatter *scatter, uint16_t number, struct torus_path path)
{
    struct scatter_worker *worker = &scatter->worker;

    worker->number = number;
    worker->chunks = 0;
    worker->chunk = scatter->free_from;
    worker->path = torus_path_reverse(path);
    if (scatter_has_output(scatter)) {
        return_to_originator(scatter, path);
    }
    divide_memory(scatter);
    return ask_ahead(scatter);
}

int farm_begin(struct scatter *scatter, struct circuit_delivery *delivery)
{
    struct scatter_worker *worker = &scatter->worker;
    int error = scatter->round == 0 ? read_first(scatter, delivery)
                                    : read_chunk(scatter, delivery);

    scatter->free_from = worker->chunk;
    if (error != ERR_OK || worker->ended) {
        return error;
    }
    return worker->group != NULL ? lead_group(scatter) : ask_ahead(scatter);
}

int farm_receive(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    int error;

    if (scatter->round == 0) {
        error =
            await_message(scatter, WIRE_CHUNK, &delivery, CIRCUIT_ALL_PORTS);
    } else {
        scatter->circuit->node->status.state = NODE_STATE_WAITING;
        error =
            circuit_receive(scatter->circuit, &delivery, CHUNK_PORTS,
                            next_place(scatter), scatter->worker.stock_bytes);
    }
    return error == ERR_OK ? farm_begin(scatter, &delivery) : error;
}

int farm_compute(struct scatter *scatter)
{
    struct scatter_worker *worker = &scatter->worker;
    uint64_t start_ps = clock_now_ps(scatter->circuit->clock);
    int error = scatter_compute(scatter);

    worker->computed_ps += clock_now_ps(scatter->circuit->clock) - start_ps;
    worker->computed_units += scatter->split.share_units;
    return error;
}

int farm_gather(struct scatter *scatter)
{
    struct farm_state *group = scatter->worker.group;
    int error = ERR_OK;

    scatter_begin_outputs(scatter);
    if (group != NULL) {
        error = farm_gather_results(scatter, group);
    }
    if (scatter->lost > 0) {
        /* Which units its workers had only the master knows: all count as lost.
         */
        scatter->computed_units = 0;
    }
    return error;
}
