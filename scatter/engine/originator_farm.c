/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/originator_farm.h"

#include "scatter/engine/compute.h"
#include "scatter/engine/farm_serve.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/measure.h"
#include "scatter/engine/policy.h"
#include "scatter/plan/farm.h"
#include "scatter/plan/fixed.h"
#include "scatter/plan/tree_input.h"
#include "torus/direct.h"

/* A worker's first chunks, and its last one, are smaller than others may be. */
#define SMALL_CHUNKS 5u
/* Demands with outputs are received ahead in this part of the memory that all
   outputs take. */
#define SLOTS_PART 8u

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

/* Two chunks fit a worker's memory, and the output of each fits a slot. */
static uint32_t most_units(const struct scatter *scatter, uint32_t units,
                           uint32_t nodes)
{
    return scatter_has_output(scatter)
               ? units / (SLOTS_PART * farm_slots(nodes)) + 1
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
        .call_ps = originator->report.call_ps,
        .load_units = units,
        .most_units = most_units(scatter, units, nodes),
        .varies = scatter->terms.cost_varies || originator->unlikely,
        .nodes = nodes,
        .ports = order->ports,
        .installment = order->rounds == WIRE_BEST ? 0 : order->rounds};
}

/* Bounds the number of pieces of output: each has a head and is padded, which
   must fit the memory that outputs leave. */
static void bound_pieces(const struct scatter *scatter,
                         struct farm_state *state, uint32_t nodes)
{
    uint32_t output = compute_output_room(scatter, scatter->units) +
                      CIRCUIT_HEADER_BYTES +
                      scatter_result_head_bytes(&scatter->terms);
    uint32_t room = (uint32_t)(scatter->free_to - scatter->free_from);
    uint32_t pieces =
        room > output ? (room - output) / (WIRE_OUTPUT_CHUNK_BYTES + 3u) : 0;
    uint32_t small = SMALL_CHUNKS * nodes;

    state->farm.floor =
        scatter->units / (pieces > small ? pieces - small : 1u) + 1;
}

/* Writes the job into new memory. A worker's result is sent at once: there are
   no slots. */
static int store_job(struct scatter *scatter, struct originator *originator,
                     const struct farm_input *input)
{
    static const uint64_t no_times[2];
    struct farm_state *state = originator->farm;
    struct wire_farm_terms terms = {.compute_ps = input->compute_ps,
                                    .call_ps = input->call_ps,
                                    .demand_ps = (uint32_t)input->demand_ps,
                                    .installment = state->farm.installment};

    scatter->job.phases = 1;
    scatter->job.rounds = 1;
    scatter->job.slots = (struct wire_slots){.gather_ps = 0};
    scatter->job_bytes = wire_job_bytes(&scatter->job);
    originator->job = originator_allocate(scatter, scatter->job_bytes);
    if (originator->job == NULL) {
        return ERR_MEMORY;
    }
    wire_job_store(originator->job, &scatter->job, no_times);
    wire_job_store_farm(originator->job, &terms);
    state->job = (struct circuit_segment){originator->job, scatter->job_bytes};
    return ERR_OK;
}

/* What a node computes, as the order says. */
static uint32_t speed_of(const uint8_t *branch)
{
    return FARM_SPEED_ONE >> tree_slow_shift(branch);
}

/* The same of all nodes of a group, its master included. */
static uint64_t speed_of_group(const uint8_t *master)
{
    const uint8_t *end = tree_next(master);
    uint64_t speed = 0;

    for (const uint8_t *at = master; at < end;
         at = tree_next_of_group(master, at)) {
        speed += speed_of(at);
    }
    return speed;
}

/* Counts the nodes that the originator serves, itself included, and those that
   masters serve. */
static void count_members(const uint8_t *tree, struct farm_input *input)
{
    const uint8_t *end = tree_next(tree);

    input->nodes = 0;
    for (const uint8_t *at = tree; at < end; at += TREE_BRANCH_BYTES) {
        input->nodes += !tree_in_group(at);
    }
    input->served = tree_nodes(tree) - input->nodes;
}

/* Makes workers of all nodes that the originator serves. Result: 0; or ERR_PLAN
   if one has no path. */
static int add_workers(const struct scatter *scatter, struct farm_state *state)
{
    const uint8_t *end = tree_next(scatter->branch);
    struct farm_worker *worker = state->worker;

    for (const uint8_t *at = scatter->branch + TREE_BRANCH_BYTES; at < end;
         at += TREE_BRANCH_BYTES) {
        if (tree_in_group(at)) {
            continue;
        }
        worker->path = tree_direct(at);
        farm_set_speed(&state->farm, &worker->member,
                       state->farm.masters ? speed_of_group(at) : speed_of(at));
        if (!torus_path_valid(scatter->size, worker->path)) {
            return ERR_PLAN;
        }
        worker += 1;
    }
    return ERR_OK;
}

/* Makes a farm along the order's tree. Result: 0 or the error. */
static int open_farm(struct scatter *scatter, struct originator *originator,
                     struct farm_input *input)
{
    const uint8_t *tree = scatter->branch;
    struct farm_state *state;
    int error;

    count_members(tree, input);
    /* Nobody would serve who is in the group of no master; and masters pass on
       no outputs. */
    if (tree_in_group(tree) ||
        tree_next_of_group(tree, tree) < tree_next(tree) ||
        (input->served > 0 && scatter_has_output(scatter))) {
        return ERR_PLAN;
    }
    error = farm_open(scatter, &originator->farm, input);
    if (error != ERR_OK) {
        return error;
    }
    state = originator->farm;
    farm_set_speed(&state->farm, &state->own, speed_of(tree));
    return add_workers(scatter, state);
}

int originator_plan_farm(struct scatter *scatter, struct originator *originator)
{
    struct wire_report *report = &originator->report;
    uint64_t start_ps = originator_now_ps(scatter);
    struct farm_input input;
    int error = check_order(&originator->order);

    if (error != ERR_OK) {
        return error;
    }
    input = input_of(scatter, originator, scatter->units,
                     tree_nodes(scatter->branch));
    input.compute_ps =
        (input.compute_ps >> tree_slow_shift(scatter->branch)) + 1;
    error = open_farm(scatter, originator, &input);
    if (error != ERR_OK) {
        return error;
    }
    report->meanwhile = report->output;
    report->phases = 1;
    report->phases_feasible = 1;
    report->rounds = 1;
    report->plan_ps = originator_now_ps(scatter) - start_ps;
    error = store_job(scatter, originator, &input);
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
    error = farm_open(scatter, &originator->farm, &input);
    if (error != ERR_OK) {
        return error;
    }
    state = originator->farm;
    for (uint32_t i = 0; i < state->workers; ++i) {
        state->worker[i].waits = false;
        state->worker[i].path =
            torus_direct(scatter->size, torus_coord_of(scatter->size, i + 1));
    }
    state->at_work = state->workers;
    state->first_units = tail->early_units;
    state->layer = 1;
    state->layer_left = TORUS_PORTS;
    state->farm.growth = 1; /* speeds are known */
    state->farm.last_units = (uint32_t)(state->farm.least >> 16);
    return ERR_OK;
}

/* Demands, with outputs, come from here on. A demand's head may be longer than
   a result's; and what lies before them still leaves with first chunks, or
   demands are received ahead there. Result: 0 or ERR_MEMORY. */
static int begin_outputs(struct scatter *scatter)
{
    scatter_begin_outputs(scatter);
    if (!scatter_has_output(scatter)) {
        return ERR_OK;
    }
    scatter->child_outputs += WIRE_DEMAND_BYTES;
    if (scatter->child_outputs > scatter->free_to) {
        return ERR_MEMORY;
    }
    scatter->free_from = scatter->child_outputs;
    return ERR_OK;
}

int originator_begin_tail(struct scatter *scatter,
                          struct originator *originator)
{
    originator_take_off(scatter, originator,
                        scatter->units - originator->farm->farm.left);
    return begin_outputs(scatter);
}

/* ---- carrying out ---- */

int originator_send_farm(struct scatter *scatter, struct originator *originator,
                         uint64_t start_ps)
{
    int error;

    (void)start_ps;
    error = begin_outputs(scatter);
    return error == ERR_OK ? farm_serve_waiting(scatter, originator->farm)
                           : error;
}

int originator_lead_farm(struct scatter *scatter, struct originator *originator)
{
    struct farm_state *state = originator->farm;
    uint32_t workers = state->at_work;
    int error = farm_work_off(scatter, state);

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
