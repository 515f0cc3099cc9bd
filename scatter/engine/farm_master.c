/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/farm_master.h"

#include "scatter/engine/farm_serve.h"
#include "scatter/engine/farm_worker.h"
#include "scatter/engine/gather.h"
#include "scatter/plan/fixed.h"
#include "scatter/plan/tree_input.h"

/* A master asks when it has less than this part of the chunk in hand. */
#define LOW_PART 2u

bool farm_is_master(const struct scatter *scatter)
{
    const uint8_t *branch = scatter->branch;

    return !tree_in_group(branch) &&
           tree_next_of_group(branch, branch) < tree_next(branch);
}

/* ---- the group ---- */

/* Counts this node and its workers. */
static uint32_t count_members(const uint8_t *branch)
{
    const uint8_t *end = tree_next(branch);
    uint32_t nodes = 0;

    for (const uint8_t *at = branch; at < end;
         at = tree_next_of_group(branch, at)) {
        nodes += 1;
    }
    return nodes;
}

/* Makes workers of all nodes of the group. Result: 0, or ERR_PLAN if one has no
   path. */
static int add_workers(struct scatter *scatter, struct farm_state *state)
{
    const uint8_t *branch = scatter->branch;
    const uint8_t *at = branch;

    for (uint32_t i = 0; i < state->workers; ++i) {
        struct farm_worker *worker = &state->worker[i];

        at = tree_next_of_group(branch, at);
        worker->path = tree_direct(at);
        farm_set_speed(&state->farm, &worker->member,
                       FARM_SPEED_ONE >> tree_slow_shift(at));
        if (!torus_path_valid(scatter->size, worker->path)) {
            return ERR_PLAN;
        }
    }
    return ERR_OK;
}

/* The chunk in hand is what there is; as its installment is a part of what the
   group may expect, that is so many times as much. */
static void begin_stock(struct scatter *scatter, struct farm_state *state)
{
    struct farm *farm = &state->farm;
    uint64_t ahead = (uint64_t)scatter->units * (farm->installment - 1u);

    farm->left = scatter->units;
    farm->ahead = ahead < UINT32_MAX ? (uint32_t)ahead : UINT32_MAX;
    scatter->worker.low_units = scatter->units / LOW_PART;
    scatter->worker.asked = false;
}

static int take_chunk(struct scatter *scatter, struct farm_state *state,
                      const struct circuit_delivery *delivery)
{
    int error =
        scatter->worker.asked ? farm_read_chunk(scatter, delivery) : ERR_PLACE;

    if (error != ERR_OK) {
        return error;
    }
    state->more = !scatter->worker.ended;
    if (state->more) {
        begin_stock(scatter, state);
    }
    return farm_serve_waiting(scatter, state);
}

/* Waits for a chunk or a demand, and serves it. */
static int serve_next(struct scatter *scatter, struct farm_state *state)
{
    struct scatter_worker *worker = &scatter->worker;
    unsigned any_port = (1u << TORUS_PORTS) - 1u;
    struct circuit_delivery delivery;
    /* What lies where the next chunk will has then been sent. */
    int error = circuit_drain(scatter->circuit);

    if (error == ERR_OK) {
        scatter->circuit->node->status.state = NODE_STATE_WAITING;
        error = circuit_receive(scatter->circuit, &delivery, any_port,
                                farm_next_place(scatter), worker->stock_bytes);
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

/* Asks for the next chunk as a group of this speed. */
static int ask(struct scatter *scatter, struct farm_state *state)
{
    struct scatter_worker *worker = &scatter->worker;

    worker->asked = true;
    worker->computed_units = scatter->units;
    worker->computed_ps =
        fixed_product(farm_unit_ps(&state->farm), scatter->units);
    return farm_ask(scatter);
}

/* The same when little is left. */
static int ask_if_low(struct scatter *scatter, struct farm_state *state)
{
    const struct scatter_worker *worker = &scatter->worker;

    return state->more && !worker->asked &&
                   state->farm.left <= worker->low_units
               ? ask(scatter, state)
               : ERR_OK;
}

static int refill(struct scatter *scatter, struct farm_state *state)
{
    int error = ask_if_low(scatter, state);

    while (error == ERR_OK && state->more && state->farm.left == 0) {
        error = serve_next(scatter, state);
        if (error == ERR_OK) {
            error = ask_if_low(scatter, state);
        }
    }
    return error;
}

int farm_open_group(struct scatter *scatter)
{
    struct wire_farm_terms terms;
    struct farm_state *state;
    struct farm_input input = {.most_units = UINT32_MAX,
                               .nodes = count_members(scatter->branch)};
    int error = wire_job_farm(&terms, scatter->job_data);

    if (error == ERR_OK && scatter_has_output(scatter)) {
        error = ERR_PLAN;
    }
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
    farm_set_speed(&state->farm, &state->own,
                   FARM_SPEED_ONE >> tree_slow_shift(scatter->branch));
    scatter->worker.group = state;
    return add_workers(scatter, state);
}

/* ---- carrying out ---- */

int farm_lead_group(struct scatter *scatter)
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

int farm_gather_group(struct scatter *scatter)
{
    const struct farm_state *state = scatter->worker.group;
    uint32_t results = 0;

    for (uint32_t i = 0; i < state->workers; ++i) {
        results += state->worker[i].ended;
    }
    return scatter_gather_any(scatter, 1, results);
}
