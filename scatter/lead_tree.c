/* SPDX-License-Identifier: Apache-2.0 */
/* The originator of a job that goes along a tree. */
#include "scatter/lead.h"

#include <stddef.h>

/* What lies behind the load, for the planner. */
static void *work_of(const struct scatter *scatter, const struct lead *lead)
{
    const struct wire_order *order = &lead->order;
    uintptr_t end = (uintptr_t)(order->load + order->load_bytes);
    uintptr_t start = (end + 7u) & ~(uintptr_t)7u;
    uintptr_t limit = (uintptr_t)scatter->receive + scatter->receive_bytes;

    return start + tree_work_bytes(order->tree_nodes) <= limit ? (void *)start
                                                               : NULL;
}

/* Per unit on a node that is not slow: the originator's may be. */
static uint64_t reference_ps(const struct lead *lead)
{
    uint32_t slow = tree_first_unit(lead->order.tree);
    uint64_t compute_ps = lead->report.compute_ps >>
                          (slow < TREE_SLOW_MAX ? slow : TREE_SLOW_MAX);

    return compute_ps > 0 ? compute_ps : 1;
}

static struct tree_input input_of(const struct scatter *scatter,
                                  const struct lead *lead)
{
    const struct wire_order *order = &lead->order;
    const struct scatter_costs *costs = scatter->costs;
    uint32_t fixed_bytes = CIRCUIT_HEADER_BYTES +
                           wire_tree_job_bytes(order->arg_bytes) +
                           scatter->terms.overlap_bytes;

    return (struct tree_input){
        .load_units = scatter->units,
        .compute_ps = reference_ps(lead),
        .transfer_ps = order->transfer_ps * order->unit_bytes,
        .startup_ps = order->startup_ps + order->transfer_ps * fixed_bytes,
        .hop_ps = order->hop_delay_ps,
        .branch_ps = order->transfer_ps * TREE_BRANCH_BYTES,
        .parse_ps = costs->branch_ps,
        .send_ps = costs->send_ps,
        .start_ps = costs->start_ps + lead->call_ps,
        .begin_ps = lead->report.begin_ps,
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

int lead_plan_tree(struct scatter *scatter, struct lead *lead)
{
    const struct wire_order *order = &lead->order;
    struct tree_input input = input_of(scatter, lead);
    uint8_t *tree = scatter->receive + (order->tree - scatter->receive);
    uint64_t start_ps = lead_now_ps(scatter);
    void *work = work_of(scatter, lead);
    unsigned phases = 0;
    int error;

    if (!tree_valid(tree, TREE_BRANCH_BYTES * order->tree_nodes,
                    scatter->size)) {
        return ERR_PROTOCOL;
    }
    if (work == NULL) {
        return ERR_MEMORY;
    }
    error = tree_plan(tree, &input, work, &lead->report.makespan_ps, &phases);
    lead->report.plan_ps = lead_now_ps(scatter) - start_ps;
    if (error != ERR_OK) {
        return error;
    }
    lead->report.phases = (uint8_t)phases;
    lead->report.phases_feasible = (uint8_t)phases;
    lead->report.rounds = 0;
    scatter->branch = tree;
    scatter->job.phases = (uint8_t)(phases > 0 ? phases : 1);
    scatter->job.rounds = 0;
    return lead_set_slots(scatter, lead, longest_path(tree));
}

int lead_send_tree(struct scatter *scatter, const struct lead *lead,
                   uint64_t start_ps)
{
    scatter->job.gather_ps = lead_gather_ps(scatter, lead, start_ps);
    wire_tree_job_store(scatter->memory->job[0], &scatter->job);
    scatter->job_data = scatter->memory->job[0];
    scatter->job_bytes = wire_tree_job_bytes(scatter->job.arg_bytes);
    return relay_distribute(scatter);
}
