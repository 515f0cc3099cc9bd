/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/farm_serve.h"

#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/originator_state.h"

#include <string.h>

/* A demand without an output, with its header. */
#define DEMAND_ROOM_BYTES 32u
static_assert(DEMAND_ROOM_BYTES == CIRCUIT_HEADER_BYTES + WIRE_DEMAND_BYTES,
              "a demand fits");

/* ---- the state ---- */

/* Makes the slots in new memory. Result: 0 or ERR_MEMORY. */
static int make_slots(struct scatter *scatter, struct farm_state *state,
                      const struct farm_input *input)
{
    state->slots = (uint8_t)farm_slots(state->workers);
    state->slot_bytes = DEMAND_ROOM_BYTES;
    if (scatter_has_output(scatter)) {
        uint32_t output = compute_output_room(scatter, input->most_units);

        state->slot_bytes += WIRE_OUTPUT_CHUNK_BYTES + ((output + 8u) & ~7u);
    }
    state->slot =
        originator_allocate(scatter, state->slots * state->slot_bytes);
    return state->slot != NULL ? ERR_OK : ERR_MEMORY;
}

int farm_open(struct scatter *scatter, struct farm_state **made,
              const struct farm_input *input)
{
    uint32_t workers = input->nodes - 1;
    struct farm_state *state = (struct farm_state *)(void *)originator_allocate(
        scatter, (uint32_t)(sizeof *state + workers * sizeof *state->worker));

    *made = state;
    if (state == NULL) {
        return ERR_MEMORY;
    }
    *state = (struct farm_state){.own = farm_member(), .workers = workers};
    farm_init(&state->farm, input);
    for (uint32_t i = 0; i < workers; ++i) {
        state->worker[i] =
            (struct farm_worker){.member = farm_member(), .waits = true};
    }
    return make_slots(scatter, state, input);
}

/* ---- chunks ---- */

/*
 * Whether a worker's chunks come from the end of the range: those of workers 1,
 * 3, 5, .. do, the others' from its beginning. Where the last part of a load
 * takes long, half of the workers then compute it from the start, and nobody
 * gets a large chunk of it late. The chunks of one worker lie near each other,
 * so the time that one took tells what the next one will take.
 */
static bool takes_from_end(uint32_t index)
{
    return (index & 1u) != 0;
}

/* Queues a worker's next chunk; one of no units if nothing is left. */
static int send_chunk(struct scatter *scatter, struct farm_state *state,
                      uint32_t index)
{
    struct farm_worker *worker = &state->worker[index];
    struct torus_path path = worker->path;
    const struct wire_job *job = &scatter->job;
    uint32_t units = farm_next(&state->farm, &worker->member);
    uint32_t skipped = takes_from_end(index) ? state->farm.left : 0;
    struct wire_chunk chunk = {.units = units,
                               .first_unit = scatter->first_unit + skipped,
                               .worker = (uint16_t)index,
                               .number = worker->chunks};
    struct circuit_message message = {.path = path,
                                      .kind = WIRE_CHUNK,
                                      .head = {worker->head, WIRE_CHUNK_BYTES}};

    wire_chunk_store(worker->head, &chunk);
    if (worker->chunks == 0) {
        message.shared = state->job;
    }
    if (units > 0) {
        struct circuit_segment *body = &message.body[path.port];
        uint32_t unit_bytes = scatter->announced.unit_bytes;

        body->data =
            scatter->range_data + skipped * unit_bytes - job->before_bytes;
        body->bytes = units * unit_bytes + job->before_bytes + job->after_bytes;
        scatter_clip_to_load(scatter, body);
    } else {
        worker->ended = true;
        state->at_work -= 1;
    }
    worker->chunks += 1;
    if (!takes_from_end(index)) {
        scatter_skip(scatter, units);
    }
    return scatter_send(scatter, 1u << path.port, &message);
}

int farm_serve_waiting(struct scatter *scatter, struct farm_state *state)
{
    uint32_t index = state->turn;
    int error = ERR_OK;

    for (uint32_t i = 0; error == ERR_OK && i < state->workers; ++i) {
        struct farm_worker *worker = &state->worker[index];

        if (state->farm.left == 0 && state->more) {
            break;
        }
        if (worker->waits && (state->farm.left > 0 || worker->chunks > 0)) {
            worker->waits = false;
            state->at_work += worker->chunks == 0;
            error = send_chunk(scatter, state, index);
        }
        index = index + 1 < state->workers ? index + 1 : 0;
    }
    state->turn = index;
    return error;
}

/* ---- ends ---- */

/* Whether results return as the parts of the planned rounds came. Then the
   ends go out layer by layer: a node that has its end may send its result, for
   which its parent must not still wait for a chunk, whose circuit that of the
   result might block. */
static bool returns_by_layers(const struct scatter *scatter)
{
    return scatter_has_tail(scatter) && !scatter_has_output(scatter);
}

static unsigned layer_of(const struct scatter *scatter, uint32_t worker)
{
    const struct torus_coord origin = {0, 0};
    struct torus_coord away = torus_coord_of(scatter->size, worker + 1);

    return torus_role_of(scatter->size, origin, away).layer;
}

/* Ends those of the layer at hand that wait for it. */
static int end_waiting(struct scatter *scatter, struct farm_state *state)
{
    int error = ERR_OK;

    for (uint32_t i = 0; error == ERR_OK && i < state->workers; ++i) {
        if (state->worker[i].waits && layer_of(scatter, i) == state->layer) {
            state->worker[i].waits = false;
            state->layer_left -= 1;
            error = send_chunk(scatter, state, i);
        }
    }
    return error;
}

/* Answers a demand for which nothing is left: at once, or when all layers
   before the worker's have their ends. */
static int serve_end(struct scatter *scatter, struct farm_state *state,
                     uint32_t worker)
{
    int error = ERR_OK;

    if (layer_of(scatter, worker) == state->layer) {
        error = end_waiting(scatter, state);
    }
    while (error == ERR_OK && state->layer_left == 0 && state->at_work > 0) {
        error = circuit_drain(scatter->circuit);
        state->layer_left = TORUS_PORTS;
        for (unsigned i = 0; i < state->layer; ++i) {
            state->layer_left *= 5;
        }
        state->layer += 1;
        if (error == ERR_OK) {
            error = end_waiting(scatter, state);
        }
    }
    return error;
}

/* ---- demands ---- */

int farm_serve(struct scatter *scatter, struct farm_state *state,
               const struct circuit_delivery *delivery)
{
    struct farm_worker *worker;
    struct wire_demand demand;
    int error = wire_demand_load(&demand, delivery->payload, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (delivery->bytes > WIRE_DEMAND_BYTES &&
        (!scatter_has_output(scatter) || delivery->bytes % 4 != 0)) {
        return ERR_LENGTH;
    }
    if (demand.worker >= state->workers) {
        return ERR_PLACE;
    }
    worker = &state->worker[demand.worker];
    if (worker->waits || worker->ended || demand.number != worker->chunks) {
        return ERR_PLACE;
    }
    if (demand.units > 0) {
        if (worker->chunks == 0) {
            farm_known(&worker->member);
        }
        farm_measured(&state->farm, &worker->member, demand.units,
                      demand.compute_ps);
    }
    if (state->farm.left > 0 || !(state->more || returns_by_layers(scatter))) {
        return send_chunk(scatter, state, demand.worker);
    }
    worker->waits = true;
    return state->more ? ERR_OK : serve_end(scatter, state, demand.worker);
}

#define DEMAND_PORTS (((1u << TORUS_PORTS) - 1u) | CIRCUIT_ONLY(WIRE_DEMAND))

/* Receives a demand ahead, at `at`. */
static int listen(const struct scatter *scatter, const struct farm_state *state,
                  uint8_t *at)
{
    return circuit_receive_ahead(scatter->circuit, DEMAND_PORTS, at,
                                 state->slot_bytes);
}

/* The same in all slots, so that demands come in while a slice is computed; if
   any come. */
static int listen_all(const struct scatter *scatter,
                      const struct farm_state *state)
{
    int error = ERR_OK;

    for (unsigned i = 0;
         error == ERR_OK && state->at_work > 0 && i < state->slots; ++i) {
        error = listen(scatter, state, state->slot + i * state->slot_bytes);
    }
    return error;
}

/* Receives a demand at `at`, unless it has come or comes to a slot, and serves
   it. */
static int serve_at(struct scatter *scatter, struct farm_state *state,
                    struct circuit_delivery *delivery, uint8_t *at,
                    uint32_t capacity_bytes, uint64_t until_ps)
{
    int error = circuit_receive_until(scatter->circuit, delivery, DEMAND_PORTS,
                                      at, capacity_bytes, until_ps);

    return error == ERR_OK ? farm_serve(scatter, state, delivery) : error;
}

/* Puts the output of a demand behind those before it, where it may lie already.
   Result: 0 or ERR_MEMORY. */
static int keep_output(struct scatter *scatter,
                       const struct gather_place *place,
                       const struct circuit_delivery *delivery)
{
    const uint8_t *from = delivery->payload + WIRE_DEMAND_BYTES;
    uint8_t *to = place->at + place->ahead_bytes;
    uint32_t bytes = delivery->bytes - WIRE_DEMAND_BYTES;

    if (to > scatter->free_to || bytes > (uint32_t)(scatter->free_to - to)) {
        return ERR_MEMORY;
    }
    if (to != from) {
        memcpy(to, from, bytes);
    }
    return ERR_OK;
}

static int serve_output(struct scatter *scatter, struct farm_state *state,
                        struct circuit_delivery *delivery, uint64_t until_ps)
{
    struct gather_place place;
    uint32_t bytes;
    int error = scatter_begin_append(scatter, &place, WIRE_DEMAND_BYTES);

    if (error != ERR_OK) {
        return error;
    }
    error = serve_at(scatter, state, delivery, place.at, place.capacity_bytes,
                     until_ps);
    if (error == ERR_OK) {
        error = keep_output(scatter, &place, delivery);
    }
    bytes = error == ERR_OK ? delivery->bytes - WIRE_DEMAND_BYTES : 0;
    scatter_end_append(scatter, &place, bytes);
    scatter->free_from += bytes;
    return error;
}

/* Whether a message was received ahead: it is in one of the slots. */
static bool is_in_slot(const struct farm_state *state, const uint8_t *at)
{
    return at >= state->slot &&
           at < state->slot + state->slots * state->slot_bytes;
}

/* Receives a demand that has come by `until_ps`, and serves it. Result: 0;
   ERR_TIMEOUT if none has; or the error. */
static int serve_until(struct scatter *scatter, struct farm_state *state,
                       uint64_t until_ps)
{
    struct circuit_delivery delivery;
    int error = scatter_has_output(scatter)
                    ? serve_output(scatter, state, &delivery, until_ps)
                    : serve_at(scatter, state, &delivery, state->slot,
                               state->slot_bytes, until_ps);
    uint8_t *at;

    if (error != ERR_OK) {
        return error;
    }
    at = delivery.payload - CIRCUIT_HEADER_BYTES;
    return is_in_slot(state, at) ? listen(scatter, state, at) : ERR_OK;
}

/* Computes a slice of what is left. */
static int compute_slice(struct scatter *scatter, struct farm_state *state)
{
    uint32_t units = state->first_units > 0
                         ? farm_take(&state->farm, state->first_units)
                         : farm_slice(&state->farm, &state->own);
    uint64_t start_ps = clock_now_ps(scatter->circuit->clock);
    uint64_t took_ps;
    int error;

    state->first_units = 0;
    scatter->split.share_units = units;
    error = scatter_compute(scatter);
    scatter->round += 1;
    took_ps = clock_now_ps(scatter->circuit->clock) - start_ps;
    farm_measured(&state->farm, &state->own, units, took_ps);
    state->own_ps += took_ps;
    state->own_units += units;
    scatter_skip(scatter, units);
    return error;
}

/* Serves all demands that are there. Result: 0 or the error. */
static int serve_all(struct scatter *scatter, struct farm_state *state)
{
    int error = ERR_OK;

    while (error == ERR_OK && state->at_work > 0) {
        error = serve_until(scatter, state, 0);
    }
    return error == ERR_TIMEOUT ? ERR_OK : error;
}

int farm_work_off(struct scatter *scatter, struct farm_state *state)
{
    int error = listen_all(scatter, state);

    while (error == ERR_OK && (state->farm.left > 0 || state->more)) {
        if (state->farm.left > 0) {
            error = compute_slice(scatter, state);
        }
        if (error == ERR_OK) {
            error = serve_all(scatter, state);
        }
        if (error == ERR_OK && state->more) {
            error = state->refill(scatter, state);
        }
    }
    if (error == ERR_OK && !scatter->has_result) {
        /* Workers have all of a small load: results are merged into that of no
           unit. */
        scatter->split.share_units = 0;
        error = scatter_compute(scatter);
    }
    while (error == ERR_OK && state->at_work > 0) {
        error = serve_until(scatter, state, UINT64_MAX);
    }
    return error;
}
