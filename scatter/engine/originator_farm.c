/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/originator_farm.h"

#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/measure.h"
#include "scatter/engine/policy.h"
#include "scatter/plan/farm.h"
#include "scatter/plan/fixed.h"
#include "scatter/plan/tree_input.h"
#include "torus/direct.h"

#include <string.h>

/* A worker's first chunks, and its last one, are smaller than others may be. */
#define SMALL_CHUNKS 5u
/* Demands with outputs are received ahead in this part of the memory that all
   outputs take. */
#define SLOTS_PART 8u
/* A demand without an output, with its header. */
#define DEMAND_ROOM_BYTES 32u
static_assert(DEMAND_ROOM_BYTES == CIRCUIT_HEADER_BYTES + WIRE_DEMAND_BYTES,
              "a demand fits");

/* What the originator knows of a worker. */
struct farm_worker {
    uint8_t head[WIRE_CHUNK_BYTES]; /* of its last chunk's message */
    uint16_t chunks;                /* that it was given, the end included */
    bool waits; /* asked when nothing was left, and got no end yet */
    bool ended;
    struct farm_member member;
};

/* The farm of the job at hand; behind it, in the same memory, its workers. */
struct farm_state {
    struct farm farm;
    struct farm_member own;
    uint64_t own_ps; /* what the originator's slices took; .. */
    uint32_t own_units;
    uint32_t at_work; /* workers that have not got the end */
    uint32_t workers;
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

/* The way to a worker: behind planned rounds workers are all other nodes, row
   by row, else those of the order's tree but for its root. */
static struct torus_path path_of(const struct scatter *scatter, uint32_t worker)
{
    return scatter_has_tail(scatter)
               ? torus_direct(scatter->size,
                              torus_coord_of(scatter->size, worker + 1))
               : tree_direct(scatter->branch +
                             TREE_BRANCH_BYTES * (worker + 1));
}

/* ---- planning ---- */

/* Whether the rule can count with the order's numbers. Result: 0 or ERR_RANGE.
 */
static int check_order(const struct wire_order *order)
{
    unsigned ports = order->ports;

    return (ports == 1 || ports == 2 || ports == TORUS_PORTS) &&
                   order->startup_ps <= PLANNER_TIME_MAX_PS &&
                   fixed_product(order->transfer_ps, order->unit_bytes) <=
                       PLANNER_TIME_MAX_PS
               ? ERR_OK
               : ERR_RANGE;
}

/* What a chunk takes of the originator: its software, or as a part of its ports
   two circuits, if that is more; up to what the rule counts with. */
static uint64_t demand_ps(const struct scatter *scatter,
                          const struct wire_order *order)
{
    uint64_t circuits_ps = 4 * order->startup_ps / order->ports;
    uint64_t software_ps = scatter->costs->demand_ps;
    uint64_t longer_ps = software_ps > circuits_ps ? software_ps : circuits_ps;

    return longer_ps < UINT32_MAX ? longer_ps : UINT32_MAX;
}

/* Of a worker that the order says is slower; behind the pattern none is. */
static unsigned slow_shift_of(const struct scatter *scatter, uint32_t worker)
{
    return scatter_has_tail(scatter)
               ? 0
               : tree_slow_shift(scatter->branch +
                                 TREE_BRANCH_BYTES * (worker + 1));
}

/* Demands that are received ahead, at most one of each worker. */
static uint32_t slots_of(uint32_t workers)
{
    return workers < CIRCUIT_AHEAD_MAX ? workers : CIRCUIT_AHEAD_MAX;
}

/* Two chunks fit a worker's memory, and the output of each fits a slot. */
static uint32_t most_units(const struct scatter *scatter, uint32_t units,
                           uint32_t nodes)
{
    return scatter_has_output(scatter)
               ? units / (SLOTS_PART * slots_of(nodes)) + 1
               : units - units / 2;
}

static struct farm_input input_of(const struct scatter *scatter,
                                  const struct originator *originator,
                                  uint32_t units, uint32_t nodes)
{
    const struct wire_order *order = &originator->order;

    return (struct farm_input){
        .compute_ps = originator->report.compute_ps,
        .transfer_ps = order->transfer_ps * order->unit_bytes,
        .demand_ps = demand_ps(scatter, order),
        .load_units = units,
        .most_units = most_units(scatter, units, nodes),
        .nodes = nodes,
        .ports = order->ports,
        .installment = order->rounds == WIRE_BEST ? 0 : order->rounds};
}

/* Bounds the number of pieces of output: each has a head and is padded, which
   must fit the memory that outputs leave. */
static void bound_pieces(const struct scatter *scatter,
                         struct farm_state *state, uint32_t nodes)
{
    uint32_t output = kernel_output_room(&scatter->terms, scatter->first_unit,
                                         scatter->units) +
                      CIRCUIT_HEADER_BYTES +
                      scatter_result_head_bytes(&scatter->terms);
    uint32_t room = (uint32_t)(scatter->free_to - scatter->free_from);
    uint32_t pieces =
        room > output ? (room - output) / (WIRE_OUTPUT_CHUNK_BYTES + 3u) : 0;
    uint32_t small = SMALL_CHUNKS * nodes;

    state->farm.floor =
        scatter->units / (pieces > small ? pieces - small : 1u) + 1;
}

/* Makes the slots in new memory. Result: 0 or ERR_MEMORY. */
static int make_slots(struct scatter *scatter, struct originator *originator,
                      const struct farm_input *input)
{
    struct farm_state *state = originator->farm;

    state->slots = (uint8_t)slots_of(input->nodes - 1);
    state->slot_bytes = DEMAND_ROOM_BYTES;
    if (scatter_has_output(scatter)) {
        uint32_t output = kernel_output_room(
            &scatter->terms, scatter->first_unit, input->most_units);

        state->slot_bytes += WIRE_OUTPUT_CHUNK_BYTES + ((output + 8u) & ~7u);
    }
    state->slot =
        originator_allocate(scatter, state->slots * state->slot_bytes);
    return state->slot != NULL ? ERR_OK : ERR_MEMORY;
}

/* Writes the job into new memory. A worker's result is sent at once: there are
   no slots. */
static int store_job(struct scatter *scatter, struct originator *originator)
{
    static const uint64_t no_times[2];

    scatter->job.phases = 1;
    scatter->job.rounds = 1;
    scatter->job.slots = (struct wire_slots){.gather_ps = 0};
    scatter->job_bytes = wire_job_bytes(&scatter->job);
    originator->job = originator_allocate(scatter, scatter->job_bytes);
    if (originator->job == NULL) {
        return ERR_MEMORY;
    }
    wire_job_store(originator->job, &scatter->job, no_times);
    return ERR_OK;
}

/* Makes the state of a farm of so many workers. Result: 0, ERR_MEMORY or
   ERR_PLAN. */
static int make_state(struct scatter *scatter, struct originator *originator,
                      const struct farm_input *input)
{
    uint32_t workers = input->nodes - 1;
    struct farm_state *state = (struct farm_state *)(void *)originator_allocate(
        scatter, (uint32_t)(sizeof *state + workers * sizeof *state->worker));

    if (state == NULL) {
        return ERR_MEMORY;
    }
    *state = (struct farm_state){.own = farm_member(), .workers = workers};
    farm_init(&state->farm, input);
    for (uint32_t i = 0; i < workers; ++i) {
        if (!scatter_has_tail(scatter) &&
            !torus_path_valid(scatter->size, path_of(scatter, i))) {
            return ERR_PLAN;
        }
        state->worker[i] = (struct farm_worker){.member = farm_member()};
        farm_is_slow(&state->farm, &state->worker[i].member,
                     slow_shift_of(scatter, i));
    }
    originator->farm = state;
    return make_slots(scatter, originator, input);
}

int originator_plan_farm(struct scatter *scatter, struct originator *originator)
{
    struct wire_report *report = &originator->report;
    uint64_t start_ps = originator_now_ps(scatter);
    unsigned own_shift = tree_slow_shift(scatter->branch);
    struct farm_input input;
    int error = check_order(&originator->order);

    if (error != ERR_OK) {
        return error;
    }
    input = input_of(scatter, originator, scatter->units,
                     tree_nodes(scatter->branch));
    input.compute_ps = (input.compute_ps >> own_shift) + 1;
    error = make_state(scatter, originator, &input);
    if (error != ERR_OK) {
        return error;
    }
    farm_is_slow(&originator->farm->farm, &originator->farm->own, own_shift);
    report->phases = 1;
    report->phases_feasible = 1;
    report->rounds = 1;
    report->makespan_ps =
        farm_makespan_ps(&input, originator->order.startup_ps);
    report->plan_ps = originator_now_ps(scatter) - start_ps;
    error = store_job(scatter, originator);
    if (error == ERR_OK && scatter_has_output(scatter)) {
        bound_pieces(scatter, originator->farm, input.nodes);
    }
    return error;
}

int originator_plan_tail(struct scatter *scatter, struct originator *originator,
                         const struct farm_tail *tail)
{
    struct farm_input input;
    struct farm_state *state;
    int error = check_order(&originator->order);

    if (error != ERR_OK) {
        return error;
    }
    scatter->job.flags |= WIRE_TAIL;
    input =
        input_of(scatter, originator, tail->units, torus_nodes(scatter->size));
    input.installment = 0;
    error = make_state(scatter, originator, &input);
    if (error != ERR_OK) {
        return error;
    }
    state = originator->farm;
    state->at_work = state->workers;
    state->first_units = tail->early_units;
    state->layer = 1;
    state->layer_left = TORUS_PORTS;
    state->farm.growth = 1; /* speeds are known */
    state->farm.last_units = state->farm.least >> 16;
    return ERR_OK;
}

void originator_begin_tail(struct scatter *scatter,
                           struct originator *originator)
{
    originator_take_off(scatter, originator,
                        scatter->units - originator->farm->farm.left);
    scatter_begin_outputs(scatter);
    scatter->free_from = scatter->child_outputs;
}

/* ---- chunks ---- */

/* Queues a worker's next chunk; one of no units if nothing is left. */
static int send_chunk(struct scatter *scatter, struct originator *originator,
                      uint32_t index)
{
    struct farm_state *state = originator->farm;
    struct farm_worker *worker = &state->worker[index];
    struct torus_path path = path_of(scatter, index);
    const struct wire_job *job = &scatter->job;
    struct wire_chunk chunk = {.units =
                                   farm_next(&state->farm, &worker->member),
                               .first_unit = scatter->first_unit,
                               .worker = (uint16_t)index,
                               .number = worker->chunks};
    struct circuit_message message = {.path = path,
                                      .kind = WIRE_CHUNK,
                                      .head = {worker->head, WIRE_CHUNK_BYTES}};

    wire_chunk_store(worker->head, &chunk);
    if (worker->chunks == 0 && !scatter_has_tail(scatter)) {
        message.shared =
            (struct circuit_segment){originator->job, scatter->job_bytes};
    }
    if (chunk.units > 0) {
        struct circuit_segment *body = &message.body[path.port];

        body->data = scatter->range_data - job->before_bytes;
        body->bytes = chunk.units * scatter->announced.unit_bytes +
                      job->before_bytes + job->after_bytes;
        scatter_clip_to_load(scatter, body);
    } else {
        worker->ended = true;
        state->at_work -= 1;
    }
    worker->chunks += 1;
    originator_take_off(scatter, originator, chunk.units);
    return scatter_send(scatter, 1u << path.port, &message);
}

int originator_send_farm(struct scatter *scatter, struct originator *originator,
                         uint64_t start_ps)
{
    struct farm_state *state = originator->farm;
    int error = ERR_OK;

    (void)start_ps;
    /* A demand's head may be longer than a result's; and what lies there, the
       job, still leaves with first chunks. */
    scatter->free_from += WIRE_DEMAND_BYTES;
    scatter_begin_outputs(scatter);
    if (scatter_has_output(scatter) &&
        scatter->child_outputs > scatter->free_to) {
        return ERR_MEMORY;
    }
    scatter->free_from = scatter->child_outputs;
    for (uint32_t i = 0; error == ERR_OK && i < state->workers; ++i) {
        if (state->farm.left == 0) {
            break;
        }
        state->at_work += 1;
        error = send_chunk(scatter, originator, i);
    }
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
static int end_waiting(struct scatter *scatter, struct originator *originator)
{
    struct farm_state *state = originator->farm;
    int error = ERR_OK;

    for (uint32_t i = 0; error == ERR_OK && i < state->workers; ++i) {
        if (state->worker[i].waits && layer_of(scatter, i) == state->layer) {
            state->worker[i].waits = false;
            state->layer_left -= 1;
            error = send_chunk(scatter, originator, i);
        }
    }
    return error;
}

/* Answers a demand for which nothing is left: at once, or when all layers
   before the worker's have their ends. */
static int serve_end(struct scatter *scatter, struct originator *originator,
                     uint32_t worker)
{
    struct farm_state *state = originator->farm;
    int error = ERR_OK;

    if (state->worker[worker].waits) {
        return ERR_PLACE;
    }
    state->worker[worker].waits = true;
    if (layer_of(scatter, worker) == state->layer) {
        error = end_waiting(scatter, originator);
    }
    while (error == ERR_OK && state->layer_left == 0 && state->at_work > 0) {
        error = circuit_drain(scatter->circuit);
        state->layer_left = TORUS_PORTS;
        for (unsigned i = 0; i < state->layer; ++i) {
            state->layer_left *= 5;
        }
        state->layer += 1;
        if (error == ERR_OK) {
            error = end_waiting(scatter, originator);
        }
    }
    return error;
}

/* ---- demands ---- */

static int serve(struct scatter *scatter, struct originator *originator,
                 const struct circuit_delivery *delivery)
{
    struct farm_state *state = originator->farm;
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
    if ((worker->chunks == 0 && !scatter_has_tail(scatter)) || worker->ended ||
        demand.number != worker->chunks) {
        return ERR_PLACE;
    }
    if (demand.units > 0) {
        if (worker->chunks == 0) {
            farm_known(&worker->member);
        }
        farm_measured(&state->farm, &worker->member, demand.units,
                      demand.compute_ps);
    }
    return state->farm.left == 0 && returns_by_layers(scatter)
               ? serve_end(scatter, originator, demand.worker)
               : send_chunk(scatter, originator, demand.worker);
}

#define DEMAND_PORTS (((1u << TORUS_PORTS) - 1u) | CIRCUIT_ONLY(WIRE_DEMAND))

/* Receives a demand ahead, at `at`. */
static int listen(const struct scatter *scatter,
                  const struct originator *originator, uint8_t *at)
{
    return circuit_receive_ahead(scatter->circuit, DEMAND_PORTS, at,
                                 originator->farm->slot_bytes);
}

/* The same in all slots, so that demands come in while a slice is computed; if
   any come. */
static int listen_all(const struct scatter *scatter,
                      const struct originator *originator)
{
    const struct farm_state *state = originator->farm;
    int error = ERR_OK;

    for (unsigned i = 0;
         error == ERR_OK && state->at_work > 0 && i < state->slots; ++i) {
        error =
            listen(scatter, originator, state->slot + i * state->slot_bytes);
    }
    return error;
}

/* Receives a demand at `at`, unless it has come or comes to a slot, and serves
   it. */
static int serve_at(struct scatter *scatter, struct originator *originator,
                    struct circuit_delivery *delivery, uint8_t *at,
                    uint32_t capacity_bytes, uint64_t until_ps)
{
    int error = circuit_receive_until(scatter->circuit, delivery, DEMAND_PORTS,
                                      at, capacity_bytes, until_ps);

    return error == ERR_OK ? serve(scatter, originator, delivery) : error;
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

static int serve_output(struct scatter *scatter, struct originator *originator,
                        struct circuit_delivery *delivery, uint64_t until_ps)
{
    struct gather_place place;
    uint32_t bytes;
    int error = scatter_begin_append(scatter, &place, WIRE_DEMAND_BYTES);

    if (error != ERR_OK) {
        return error;
    }
    error = serve_at(scatter, originator, delivery, place.at,
                     place.capacity_bytes, until_ps);
    if (error == ERR_OK) {
        error = keep_output(scatter, &place, delivery);
    }
    bytes = error == ERR_OK ? delivery->bytes - WIRE_DEMAND_BYTES : 0;
    scatter_end_append(scatter, &place, bytes);
    scatter->free_from += bytes;
    return error;
}

/* Receives a demand that has come by `until_ps`, and serves it. Result: 0;
   ERR_TIMEOUT if none has; or the error. */
static int serve_until(struct scatter *scatter, struct originator *originator,
                       uint64_t until_ps)
{
    const struct farm_state *state = originator->farm;
    struct circuit_delivery delivery;
    int error = scatter_has_output(scatter)
                    ? serve_output(scatter, originator, &delivery, until_ps)
                    : serve_at(scatter, originator, &delivery, state->slot,
                               state->slot_bytes, until_ps);

    return error == ERR_OK ? listen(scatter, originator,
                                    delivery.payload - CIRCUIT_HEADER_BYTES)
                           : error;
}

/* Computes a slice of what is left. */
static int compute_slice(struct scatter *scatter, struct originator *originator)
{
    struct farm_state *state = originator->farm;
    uint32_t units = state->first_units > 0
                         ? farm_take(&state->farm, state->first_units)
                         : farm_slice(&state->farm, &state->own);
    uint64_t start_ps = originator_now_ps(scatter);
    uint64_t took_ps;
    int error;

    state->first_units = 0;
    scatter->split.share_units = units;
    error = scatter_compute(scatter);
    scatter->round += 1;
    took_ps = originator_now_ps(scatter) - start_ps;
    farm_measured(&state->farm, &state->own, units, took_ps);
    state->own_ps += took_ps;
    state->own_units += units;
    originator_take_off(scatter, originator, units);
    return error;
}

/* Serves all demands that are there. Result: 0 or the error. */
static int serve_all(struct scatter *scatter, struct originator *originator)
{
    int error = ERR_OK;

    while (error == ERR_OK && originator->farm->at_work > 0) {
        error = serve_until(scatter, originator, 0);
    }
    return error == ERR_TIMEOUT ? ERR_OK : error;
}

/* Computes and serves until nothing is left, and every worker knows it. */
static int work_off(struct scatter *scatter, struct originator *originator)
{
    struct farm_state *state = originator->farm;
    int error = listen_all(scatter, originator);

    while (error == ERR_OK && state->farm.left > 0) {
        error = compute_slice(scatter, originator);
        if (error == ERR_OK) {
            error = serve_all(scatter, originator);
        }
    }
    if (error == ERR_OK && !scatter->has_result) {
        /* Workers have all of a small load: results are merged into that of no
           unit. */
        scatter->split.share_units = 0;
        error = scatter_compute(scatter);
    }
    while (error == ERR_OK && state->at_work > 0) {
        error = serve_until(scatter, originator, UINT64_MAX);
    }
    return error;
}

int originator_lead_farm(struct scatter *scatter, struct originator *originator)
{
    struct farm_state *state = originator->farm;
    uint32_t workers = state->at_work;
    int error = work_off(scatter, originator);

    if (error == ERR_OK) {
        error =
            measure_keep(scatter, originator, state->own_units, state->own_ps);
    }
    if (error == ERR_OK && scatter_has_tail(scatter) &&
        !scatter_has_output(scatter)) {
        return scatter->policy->gather(scatter);
    }
    if (error == ERR_OK) {
        scatter->circuit->node->status.state = NODE_STATE_GATHERING;
        error = scatter_gather_any(scatter, 1, workers);
        scatter_record(scatter, EVENT_RESULT_MERGED, 1, scatter->result.bytes);
    }
    return error;
}
