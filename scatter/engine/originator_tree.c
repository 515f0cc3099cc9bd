/* SPDX-License-Identifier: Apache-2.0 */
/* The originator of a job that goes along a tree. */
#include "scatter/engine/originator_tree.h"

#include "scatter/engine/originator_farm.h"
#include "scatter/engine/policy.h"
#include "scatter/engine/slots.h"
#include "scatter/engine/tree.h"
#include "scatter/plan/fixed.h"
#include "scatter/plan/tree_rounds.h"

#include <stddef.h>
#include <string.h>

/* A load is given to who asks if it takes all nodes together longer than so
   many demands of each. */
#define DEMANDS 3u

/* Compute time per unit on a node without a slowdown; the measured one is that
   of the originator, which may have one. */
static uint64_t reference_ps(const struct originator *originator)
{
    uint64_t compute_ps = originator->report.compute_ps >>
                          tree_slow_shift(originator->order.tree);

    return compute_ps > 0 ? compute_ps : 1;
}

static struct tree_input input_of(const struct scatter *scatter,
                                  const struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    const struct scatter_costs *costs = scatter->costs;
    struct wire_job job = scatter->job;
    unsigned phases = tree_last_phase(order->tree);
    uint32_t fixed_bytes;

    job.phases = (uint8_t)(phases > 0 ? phases : 1);
    fixed_bytes = CIRCUIT_HEADER_BYTES + wire_job_bytes(&job) +
                  job.before_bytes + job.after_bytes;
    return (struct tree_input){
        .load_units = scatter->units,
        .compute_ps = reference_ps(originator),
        .transfer_ps = order->transfer_ps * order->unit_bytes,
        .circuit_ps = {.startup =
                           order->startup_ps + order->transfer_ps * fixed_bytes,
                       .hop = order->hop_delay_ps,
                       .branch = order->transfer_ps * TREE_BRANCH_BYTES},
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

uint64_t originator_plan_tree_ps(const struct scatter *scatter,
                                 const struct originator *originator)
{
    const struct scatter_costs *costs = scatter->costs;

    return costs->plan_ps +
           (uint64_t)originator->order.tree_nodes * costs->plan_tree_ps / 2;
}

/* Words of a round's table. */
static uint32_t table_words(const struct scatter *scatter)
{
    return TREE_ROUND_WORDS(tree_nodes(scatter->branch));
}

/* Adds the order's first unit to that of every branch, and of the tables: a
   tree is planned from unit 0, or from that before it which is the originator's
   for its ports. */
static void shift_ranges(const struct scatter *scatter,
                         const struct originator *originator, uint8_t *tree)
{
    uint32_t ports_units =
        scatter->job.rounds == 1 ? tree_units(tree) - scatter->units : 0;
    uint32_t first_unit = originator->order.first_unit - ports_units;
    uint32_t *table = originator->tree_tables;
    const uint8_t *end = tree_next(tree);

    for (uint8_t *at = tree; at < end; at += TREE_BRANCH_BYTES) {
        bytes_store_u32(at + 4, tree_first_unit(at) + first_unit);
    }
    for (unsigned round = 1; round < scatter->job.rounds; ++round) {
        table += table_words(scatter);
        for (uint32_t i = 1; i < table_words(scatter); ++i) {
            table[i] += first_unit;
        }
    }
}

/* Units of the subtree of node `index`, of all rounds. */
static uint32_t units_of(const struct scatter *scatter,
                         const struct originator *originator, uint32_t index)
{
    const uint8_t *branch = scatter->branch + TREE_BRANCH_BYTES * index;
    const uint32_t *table = originator->tree_tables;
    uint32_t units = tree_units(branch);

    for (unsigned round = 1; round < scatter->job.rounds; ++round) {
        table += table_words(scatter);
        units += table[1 + index + tree_nodes(branch)] - table[1 + index];
    }
    return units;
}

/* Sets when each phase's outputs leave; a phase lasts as long as its longest
   output takes. */
static void plan_returns(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t result_ps[])
{
    uint32_t nodes = tree_nodes(scatter->branch);
    unsigned phases = scatter->job.phases;

    memset(result_ps, 0, (phases + 1u) * sizeof *result_ps);
    if (scatter->terms.output_varies) {
        return;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        const uint8_t *at = scatter->branch + TREE_BRANCH_BYTES * i;
        uint32_t units = units_of(scatter, originator, i);

        if (units > 0 && tree_phase(at) <= phases) {
            uint64_t takes_ps =
                slots_output_ps(scatter, originator, units, tree_nodes(at),
                                torus_path_hops(tree_path(at)));
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
    wire_job_store(originator->job, &scatter->job, result_ps);
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

/* Whether the order asks for more rounds than one: for the best number only
   where rounds can be held back until their time. */
static bool several_rounds(const struct scatter *scatter,
                           const struct originator *originator)
{
    unsigned rounds = originator->order.rounds;

    return rounds == WIRE_BEST ? scatter->costs->tree_holds : rounds != 1;
}

/* Plans the order's number of rounds, or the best one if it is better than the
   one round that is planned, with their tables. `tree` has
   been planned with `work`. Result: 0 or the error. */
static int plan_rounds(struct scatter *scatter, struct originator *originator,
                       const struct tree_input *input, uint8_t *tree,
                       void *work)
{
    const struct scatter_costs *costs = scatter->costs;
    unsigned rounds = originator->order.rounds;
    bool best = rounds == WIRE_BEST;
    uint32_t nodes = tree_nodes(tree);
    struct tree_rounds_input rounds_input = {
        .tree = input,
        .round_end_ps = costs->round_end_ps,
        .overhead_ps = costs->round_overhead_ps,
        .sends_max = costs->tree_sends,
        .plan_ps = best ? (uint64_t)nodes * costs->plan_tree_ps : 0,
        .rounds_min = (uint8_t)(best ? 2 : rounds),
        .rounds_max = (uint8_t)(best ? ROUNDS_MAX : rounds)};
    void *memory;

    memory = originator_allocate(scatter, tree_rounds_bytes(nodes));
    if (memory == NULL) {
        return ERR_MEMORY;
    }
    scatter->job.rounds = (uint8_t)tree_rounds_plan(
        tree, originator->tree_tables, originator->round_begin_ps,
        &originator->report.makespan_ps, &rounds_input, work, memory);
    return best || scatter->job.rounds == rounds ? ERR_OK : ERR_PHASES;
}

/* Plans the load along `tree`. Result: 0 or the error. */
static int plan(struct scatter *scatter, struct originator *originator,
                uint8_t *tree)
{
    struct tree_input input = input_of(scatter, originator);
    struct wire_report *report = &originator->report;
    uint32_t nodes = originator->order.tree_nodes;
    uint32_t table_bytes = 4 * TREE_ROUND_WORDS(nodes);
    uint8_t *free_from = scatter->free_from;
    bool several = several_rounds(scatter, originator);
    unsigned phases = 0;
    void *work;
    int error;

    scatter->job.rounds = 1;
    originator->tree_tables = several ? (uint32_t *)(void *)originator_allocate(
                                            scatter, ROUNDS_MAX * table_bytes)
                                      : NULL;
    work = originator_allocate(scatter, tree_work_bytes(nodes));
    if (work == NULL || (several && originator->tree_tables == NULL)) {
        return ERR_MEMORY;
    }
    if (!several) {
        input.load_units += originator_ports_units(scatter, originator);
    }
    error = tree_plan(tree, &input, work, &report->makespan_ps, &phases);
    if (error == ERR_OK && several) {
        error = plan_rounds(scatter, originator, &input, tree, work);
    }
    scatter->free_from = free_from;
    if (scatter->job.rounds > 1) {
        (void)originator_allocate(scatter, scatter->job.rounds * table_bytes);
    }
    report->phases = (uint8_t)phases;
    report->phases_feasible = (uint8_t)phases;
    report->rounds = scatter->job.rounds;
    return error;
}

/* Leaves all to the root: nobody else is in the tree. */
static int plan_alone(struct scatter *scatter, struct originator *originator,
                      uint8_t *tree)
{
    struct wire_report *report = &originator->report;

    if (originator->order.tree_nodes == 0) {
        return ERR_PLAN;
    }
    bytes_store_u16(tree + 8, 1);
    tree_store_range(tree, 0, scatter->units);
    scatter->job.rounds = 1;
    report->phases = 0;
    report->rounds = 1;
    report->makespan_ps =
        fixed_product(report->compute_ps, scatter->units) + report->call_ps;
    return ERR_OK;
}

/* Whether the job had better be a farm: the order leaves that open, what was
   measured does not tell what others take, and by samples, if there are any, it
   takes longer than some demands of all nodes. */
static bool prefers_farm(const struct scatter *scatter,
                         const struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    uint32_t nodes = order->tree_nodes;
    uint64_t demands_ps =
        DEMANDS * nodes * (scatter->costs->demand_ps + order->startup_ps);
    uint64_t load_ps =
        fixed_product(originator->report.compute_ps, scatter->units);

    return originator->unlikely && order->reserve == WIRE_BEST &&
           (originator->varies_ps == 0 || load_ps / nodes > demands_ps);
}

int originator_plan_tree(struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    /* The tree lies in the received order, which this node may write. */
    uint8_t *memory = scatter->circuit->memory;
    uint8_t *tree = memory + (order->tree - memory);
    uint64_t start_ps = originator_now_ps(scatter);
    int error;

    if (prefers_farm(scatter, originator)) {
        scatter->policy = scatter->policy->farm;
        scatter->job.flags ^= WIRE_FLAGS(0, WIRE_TREE ^ WIRE_FARM);
        return originator_plan_farm(scatter, originator);
    }
    error = order->rounds != WIRE_BEST &&
                    (order->rounds == 0 || order->rounds > ROUNDS_MAX)
                ? ERR_PHASES
            : originator->alone ? plan_alone(scatter, originator, tree)
                                : plan(scatter, originator, tree);

    originator->report.plan_ps = originator_now_ps(scatter) - start_ps;
    if (error != ERR_OK) {
        return error;
    }
    scatter->branch = tree;
    scatter->job.phases =
        originator->report.phases > 0 ? originator->report.phases : 1;
    originator->plan.rounds = scatter->job.rounds;
    shift_ranges(scatter, originator, tree);
    error = store_job(scatter, originator);
    return error == ERR_OK ? circuit_drain(scatter->circuit) : error;
}

/* Makes the next `units` of the load, behind those at hand, the originator's
   range. */
static void next_range(struct scatter *scatter, uint32_t units)
{
    uint32_t bytes = scatter->units * scatter->announced.unit_bytes;

    scatter->first_unit += scatter->units;
    scatter->range_data += bytes;
    scatter->range_before_bytes += bytes;
    scatter->range_to_end_bytes -= bytes;
    scatter->units = units;
}

int originator_send_tree(struct scatter *scatter, struct originator *originator,
                         uint64_t start_ps)
{
    uint32_t *table = originator->tree_tables;
    uint32_t share_units;
    int error;

    wire_job_store_gather(originator->job,
                          slots_gather_ps(scatter, originator, start_ps));
    scatter->job_data = originator->job;
    if (scatter->job.rounds == 1) {
        return branch_distribute(scatter);
    }
    scatter->units = tree_units(scatter->branch);
    error = branch_distribute(scatter);
    share_units = scatter->split.share_units;
    for (unsigned round = 1; error == ERR_OK && round < scatter->job.rounds;
         ++round) {
        table += table_words(scatter);
        next_range(scatter, table[table_words(scatter) - 1] - table[1]);
        scatter->round = round;
        /* A lane that is done earlier does not get in the way of others. */
        if (scatter->costs->tree_holds) {
            scatter->message[0].ready_ps =
                start_ps + originator->round_begin_ps[round];
        }
        scatter->passed_on =
            (struct circuit_segment){(const uint8_t *)table, 4};
        scatter->tables = (const uint8_t *)(table + 1);
        error = branch_distribute(scatter);
    }
    originator_set_range(scatter, &originator->order);
    scatter->round = 0;
    scatter->split.share_units = share_units;
    return error;
}
