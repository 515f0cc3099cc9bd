/* SPDX-License-Identifier: Apache-2.0 */
/* The originator of a job that goes along a tree. */
#include "scatter/engine/originator_tree.h"

#include "scatter/engine/result_slots.h"
#include "scatter/engine/tree.h"

#include <stddef.h>
#include <string.h>

/* Compute time per unit on a node without a slowdown; the measured one is that
   of the originator, which may have one. */
static uint64_t reference_ps(const struct originator *originator)
{
    uint32_t shift = tree_first_unit(originator->order.tree);
    uint64_t compute_ps =
        originator->report.compute_ps >>
        (shift < TREE_SLOW_SHIFT_MAX ? shift : TREE_SLOW_SHIFT_MAX);

    return compute_ps > 0 ? compute_ps : 1;
}

/* The latest phase of the order's tree. */
static uint8_t last_phase(const uint8_t *tree)
{
    const uint8_t *end = tree_next(tree);
    unsigned last = 1;

    for (const uint8_t *at = tree; at < end; at += TREE_BRANCH_BYTES) {
        last = tree_phase(at) > last ? tree_phase(at) : last;
    }
    return (uint8_t)last;
}

static struct tree_input input_of(const struct scatter *scatter,
                                  const struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    const struct scatter_costs *costs = scatter->costs;
    struct wire_job job = scatter->job;
    uint32_t fixed_bytes;

    job.phases = last_phase(order->tree);
    fixed_bytes = CIRCUIT_HEADER_BYTES + wire_job_bytes(&job) +
                  job.before_bytes + job.after_bytes;
    return (struct tree_input){
        .load_units = scatter->units,
        .compute_ps = reference_ps(originator),
        .transfer_ps = order->transfer_ps * order->unit_bytes,
        .startup_ps = order->startup_ps + order->transfer_ps * fixed_bytes,
        .hop_ps = order->hop_delay_ps,
        .branch_ps = order->transfer_ps * TREE_BRANCH_BYTES,
        .split_ps = costs->branch_split_ps,
        .queue_ps = costs->branch_queue_ps,
        .kernel_start_ps = costs->kernel_start_ps + originator->report.call_ps,
        .ports = order->ports,
        .store_and_forward = (order->flags & WIRE_STORE_AND_FORWARD) != 0,
        .equal = (order->flags & WIRE_EQUAL_SHARES) != 0};
}

static uint32_t longest_path(const uint8_t *tree)
{
    const uint8_t *end = tree_next(tree);
    uint32_t longest = 0;

    for (const uint8_t *at = tree; at < end; at += TREE_BRANCH_BYTES) {
        uint32_t hops = torus_path_hops(tree_path(at));

        longest = hops > longest ? hops : longest;
    }
    return longest;
}

/* Adds the order's first unit to that of every branch: a tree is planned from
   unit 0. */
static void shift_ranges(uint8_t *tree, uint32_t first_unit)
{
    const uint8_t *end = tree_next(tree);

    for (uint8_t *at = tree; at < end; at += TREE_BRANCH_BYTES) {
        bytes_store_u32(at + 4, tree_first_unit(at) + first_unit);
    }
}

/* Sets when each phase's outputs leave; a phase lasts as long as its longest
   output takes. */
static void plan_returns(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t result_ps[])
{
    const uint8_t *tree = scatter->branch;
    const uint8_t *end = tree_next(tree);
    unsigned phases = scatter->job.phases;

    memset(result_ps, 0, (phases + 1u) * sizeof *result_ps);
    if (scatter->terms.output_varies) {
        return;
    }
    for (const uint8_t *at = tree; at < end; at += TREE_BRANCH_BYTES) {
        if (tree_units(at) > 0 && tree_phase(at) <= phases) {
            uint64_t takes_ps =
                slots_output_ps(scatter, originator, tree_units(at),
                                tree_nodes(at), torus_path_hops(tree_path(at)));
            uint64_t *most_ps = &result_ps[tree_phase(at)];

            *most_ps = takes_ps > *most_ps ? takes_ps : *most_ps;
        }
    }
    slots_time_returns(originator, result_ps, phases);
}

/* Writes the job into new memory. */
static int store_job(struct scatter *scatter, struct originator *originator)
{
    uint64_t *result_ps = (uint64_t *)(void *)originator_allocate(
        scatter, 8u * (TREE_PHASES_MAX + 1u));
    int error;

    scatter->job_bytes = wire_job_bytes(&scatter->job);
    originator->job = originator_allocate(scatter, scatter->job_bytes);
    if (result_ps == NULL || originator->job == NULL) {
        return ERR_MEMORY;
    }
    error = slots_set_long(scatter, originator, longest_path(scatter->branch));
    if (scatter_has_output(scatter)) {
        plan_returns(scatter, originator, result_ps);
    }
    wire_job_store(originator->job, &scatter->job, NULL, NULL, result_ps);
    return error;
}

int originator_read_tree(struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    uint32_t bytes = TREE_BRANCH_BYTES * order->tree_nodes;
    uint8_t *tree;

    if (!tree_valid(order->tree, bytes, scatter->size)) {
        return ERR_PLAN;
    }
    tree = originator_allocate(scatter, bytes);
    if (tree == NULL) {
        return ERR_MEMORY;
    }
    memcpy(tree, order->tree, bytes);
    scatter->branch = tree;
    return ERR_OK;
}

int originator_plan_tree(struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    struct tree_input input = input_of(scatter, originator);
    /* The tree lies in the received order, which this node may write. */
    uint8_t *memory = scatter->circuit->memory;
    uint8_t *tree = memory + (order->tree - memory);
    uint64_t start_ps = originator_now_ps(scatter);
    uint8_t *free_from = scatter->free_from;
    void *work =
        originator_allocate(scatter, tree_work_bytes(order->tree_nodes));
    unsigned phases = 0;
    int error;

    if (work == NULL) {
        return ERR_MEMORY;
    }
    error =
        tree_plan(tree, &input, work, &originator->report.makespan_ps, &phases);
    scatter->free_from = free_from;
    originator->report.plan_ps = originator_now_ps(scatter) - start_ps;
    if (error != ERR_OK) {
        return error;
    }
    originator->report.phases = (uint8_t)phases;
    originator->report.phases_feasible = (uint8_t)phases;
    originator->report.rounds = 1;
    scatter->branch = tree;
    scatter->job.phases = (uint8_t)(phases > 0 ? phases : 1);
    scatter->job.rounds = 1;
    shift_ranges(tree, order->first_unit);
    error = store_job(scatter, originator);
    return error == ERR_OK ? circuit_drain(scatter->circuit) : error;
}

int originator_send_tree(struct scatter *scatter, struct originator *originator,
                         uint64_t start_ps)
{
    wire_job_store_gather(originator->job,
                          slots_gather_ps(scatter, originator, start_ps));
    scatter->job_data = originator->job;
    return branch_distribute(scatter);
}
