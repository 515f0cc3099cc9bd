/* SPDX-License-Identifier: Apache-2.0 */
/* The reference policy, a tree (scatter/plan/tree.h). A branch is an entry of
   the tree's array, for one node. A piece is a node's branch, then the
   branches of its descendants. tree_units() of a branch counts the units of
   its piece. */
#include "scatter/engine/tree.h"

#include "scatter/engine/announce.h"
#include "scatter/engine/farm.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/lost.h"
#include "scatter/engine/measure.h"
#include "scatter/engine/slots.h"
#include "scatter/plan/fixed.h"
#include "scatter/plan/tree_rounds.h"

#include <stddef.h>
#include <string.h>

/* ---- every node ---- */

int tree_prepare(struct scatter *scatter)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;

    scatter->layer = identity->x != identity->originator_x ||
                     identity->y != identity->originator_y;
    scatter->message[0] = (struct circuit_message){.kind = WIRE_BRANCH};
    return ERR_OK;
}

static bool branch_is_whole(const struct scatter *scatter,
                            const uint8_t *branch, const uint8_t *end)
{
    return tree_nodes(branch) > 0 && tree_next(branch) <= end &&
           tree_phase(branch) > 0 &&
           torus_path_valid(scatter->size, tree_path(branch));
}

int tree_place(struct scatter *scatter, const uint8_t *announcement,
               uint32_t bytes, uint32_t *head_bytes)
{
    if (bytes < TREE_BRANCH_BYTES ||
        bytes / TREE_BRANCH_BYTES < tree_nodes(announcement)) {
        return ERR_LENGTH;
    }
    *head_bytes = TREE_BRANCH_BYTES * tree_nodes(announcement);
    scatter->tree.branch = announcement;
    return branch_is_whole(scatter, announcement, tree_next(announcement))
               ? ERR_OK
               : ERR_PLAN;
}

/* Copies the tree for announcements: planning changes the order's tree. */
static int read_tree(struct scatter *scatter, const struct wire_order *order)
{
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
    scatter->tree.branch = tree;
    return ERR_OK;
}

int tree_announce(struct scatter *scatter, struct originator *originator,
                  struct circuit_segment shared, struct circuit_segment arg)
{
    const uint8_t *child;
    const uint8_t *end;
    int error =
        originator != NULL ? read_tree(scatter, &originator->order) : ERR_OK;

    if (error != ERR_OK) {
        return error;
    }
    end = tree_next(scatter->tree.branch);
    child = scatter->tree.branch + TREE_BRANCH_BYTES;
    for (; error == ERR_OK && child < end; child = tree_next(child)) {
        struct torus_path path = tree_path(child);
        struct circuit_message message = {
            .path = path,
            .kind = scatter->announced_by,
            .head = {child, TREE_BRANCH_BYTES * tree_nodes(child)},
            .shared = shared};

        if (!branch_is_whole(scatter, child, end)) {
            return ERR_PLAN;
        }
        message.body[path.port] = arg;
        error = circuit_send(scatter->circuit, 1u << path.port, &message);
    }
    return error;
}

/* Returns the branch's word in the table: the first unit of its range. */
static const uint8_t *entry_of(const struct scatter *scatter,
                               const uint8_t *branch)
{
    return scatter->tree.tables +
           (branch - scatter->tree.branch) / (ptrdiff_t)(TREE_BRANCH_BYTES / 4);
}

static uint32_t first_unit_of(const struct scatter *scatter,
                              const uint8_t *child)
{
    return scatter->round > 0 ? bytes_load_u32(entry_of(scatter, child))
                              : tree_first_unit(child);
}

static uint32_t units_of(const struct scatter *scatter, const uint8_t *child)
{
    return scatter->round > 0
               ? bytes_load_u32(entry_of(scatter, tree_next(child))) -
                     bytes_load_u32(entry_of(scatter, child))
               : tree_units(child);
}

/* Sets the head of messages: the job or, after round 0, the round. */
static void set_head(struct scatter *scatter)
{
    struct circuit_message *message = &scatter->message[0];

    message->head =
        (struct circuit_segment){scatter->job_data, scatter->job_bytes};
    if (scatter->round > 0) {
        message->kind = WIRE_BRANCH_ROUND;
        message->head = scatter->tree.passed_on;
    }
}

/* Queues the child's piece or its words of the table, then its range. */
static int send_branch(struct scatter *scatter, const uint8_t *child,
                       uint32_t first_unit, uint32_t units)
{
    uint32_t nodes = tree_nodes(child);
    struct circuit_message *message = &scatter->message[0];
    struct torus_path path = tree_path(child);

    if (path.port >= TORUS_PORTS || path.turn > TORUS_RIGHT) {
        return ERR_NO_ROUTE;
    }
    message->path = path;
    message->shared =
        scatter->round > 0
            ? (struct circuit_segment){entry_of(scatter, child),
                                       4 * (nodes + 1)}
            : (struct circuit_segment){child, TREE_BRANCH_BYTES * nodes};
    message->body[path.port] =
        scatter_cut(scatter, first_unit - scatter->first_unit, units);
    return circuit_send(scatter->circuit, 1u << path.port, message);
}

/*
 * The node's own share comes first, then the children's ranges:
 *
 *   | own share | child 1 | child 2 | .. |
 *   ^ first_unit          ^ at           ^ end_unit
 */
static int branch_distribute(struct scatter *scatter)
{
    const uint8_t *branch = scatter->tree.branch;
    const uint8_t *end = tree_next(branch);
    const uint8_t *child = branch + TREE_BRANCH_BYTES;
    uint32_t end_unit = scatter->first_unit + scatter->units;
    uint32_t at = child < end ? first_unit_of(scatter, child) : end_unit;
    unsigned phase = tree_phase(branch) + 1u;
    /* If `at` exceeds end_unit, the difference wraps and is large. */
    int error = end_unit - at <= scatter->units ? ERR_OK : ERR_PLAN;

    scatter->split.share_units = at - scatter->first_unit;
    set_head(scatter);
    for (; error == ERR_OK && child < end; child = tree_next(child)) {
        uint32_t units;

        /* The child itself checks the other branches of its piece. */
        if (tree_nodes(child) == 0 || tree_next(child) > end ||
            tree_phase(child) < phase || first_unit_of(scatter, child) != at) {
            return ERR_PLAN;
        }
        units = units_of(scatter, child);
        if (units > end_unit - at) {
            return ERR_PLAN;
        }
        phase = tree_phase(child);
        /* Children without units in round 0 get no messages. */
        if (tree_units(child) > 0) {
            error = send_branch(scatter, child, at, units);
        } else if (units > 0) {
            return ERR_PLAN;
        }
        at += units;
    }
    if (scatter->round == 0) {
        scatter_record(scatter, EVENT_FORWARDED, scatter->layer,
                       scatter->units);
    }
    return error == ERR_OK && at != end_unit ? ERR_PLAN : error;
}

/* Reads a WIRE_BRANCH: the job, this node's piece of the tree, its range. */
static int read_branch(struct scatter *scatter,
                       const struct circuit_delivery *delivery)
{
    const uint8_t *end = delivery->payload + delivery->bytes;
    const uint8_t *branch;
    int error = scatter_read_job(scatter, delivery->payload, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (policy_row(scatter->job.flags) != WIRE_TREE ||
        scatter->job.rounds == 0 || delivery->job != scatter->announced_job ||
        scatter->kernel == NULL) {
        return ERR_FIELD;
    }
    branch = delivery->payload + scatter->job_bytes;
    if (end - branch < (ptrdiff_t)TREE_BRANCH_BYTES) {
        return ERR_LENGTH;
    }
    scatter->circuit->job = delivery->job;
    scatter->tree.branch = branch;
    scatter->units = tree_units(branch);
    scatter->first_unit = tree_first_unit(branch);
    scatter->layer = (uint8_t)tree_phase(branch);
    scatter->path_from_parent = tree_path(branch);
    if (tree_nodes(branch) == 0 || tree_next(branch) > end ||
        scatter->layer == 0 || scatter->layer > scatter->job.phases ||
        !torus_path_valid(scatter->size, scatter->path_from_parent)) {
        return tree_next(branch) > end ? ERR_LENGTH : ERR_PLAN;
    }
    scatter_prepare_return(scatter);
    return scatter_set_range(scatter, tree_next(branch), end);
}

/* Reads a WIRE_BRANCH_ROUND: the round's number and table, and the range. */
static int read_round(struct scatter *scatter,
                      const struct circuit_delivery *delivery)
{
    const uint8_t *in = delivery->payload;
    const uint8_t *end = in + delivery->bytes;
    uint32_t entries_bytes = 4 * tree_nodes(scatter->tree.branch);
    uint32_t end_unit;

    if (delivery->bytes < 8 + entries_bytes) {
        return ERR_LENGTH;
    }
    if (bytes_load_u32(in) != scatter->round) {
        return ERR_PLACE;
    }
    scatter->tree.passed_on = (struct circuit_segment){in, 4};
    scatter->tree.tables = in + 4;
    scatter->first_unit = bytes_load_u32(scatter->tree.tables);
    end_unit = bytes_load_u32(scatter->tree.tables + entries_bytes);
    scatter->units = end_unit - scatter->first_unit;
    return end_unit < scatter->first_unit
               ? ERR_PLAN
               : scatter_set_range(scatter, in + 8 + entries_bytes, end);
}

int tree_receive(struct scatter *scatter)
{
    bool later = scatter->round > 0;
    struct circuit_delivery delivery;
    int error = await_message(scatter, later ? WIRE_BRANCH_ROUND : WIRE_BRANCH,
                              &delivery, CIRCUIT_ALL_PORTS);

    if (error == ERR_KIND && delivery.kind == WIRE_CHUNK && !later) {
        /* The originator made the job a farm, as samples of the load differ. */
        policy_become(scatter, WIRE_FARM);
        return farm_begin(scatter, &delivery);
    }
    if (error == ERR_OK) {
        error = later ? read_round(scatter, &delivery)
                      : read_branch(scatter, &delivery);
    }
    return error == ERR_OK ? branch_distribute(scatter) : error;
}

static int gather_child(struct scatter *scatter, const uint8_t *child)
{
    const struct gather_from from = {
        .path = tree_path(child),
        .phase = (uint16_t)tree_phase(child),
        .number = (uint16_t)((child - scatter->tree.branch) /
                             (ptrdiff_t)TREE_BRANCH_BYTES)};

    return scatter_gather_children(scatter, &from, 1u << from.path.port);
}

/* Results of the last phase come first. */
int tree_gather(struct scatter *scatter)
{
    const uint8_t *branch = scatter->tree.branch;
    const uint8_t *end = tree_next(branch);
    int error = ERR_OK;

    scatter_begin_gather(scatter);
    for (unsigned phase = tree_last_phase(branch); phase > 0; --phase) {
        for (const uint8_t *child = branch + TREE_BRANCH_BYTES;
             error == ERR_OK && child < end; child = tree_next(child)) {
            if (tree_phase(child) == phase && tree_units(child) > 0) {
                /* A child of a later phase has refused the job, and sends no
                   result. */
                error = phase <= scatter->job.phases
                            ? gather_child(scatter, child)
                            : ERR_PLAN;
            }
        }
    }
    return error;
}

/* ---- the originator ---- */

#define DEMANDS 3u /* demands per node that a farm must have time to serve */

/* Returns a unit's time, ps, on a node without a slowdown. */
static uint64_t reference_ps(const struct originator *originator)
{
    uint64_t compute_ps = originator->report.compute_ps >>
                          tree_slow_shift(originator->order.tree);

    return compute_ps > 0 ? compute_ps : 1;
}

/* Sets originator->input. `several`: there may be several rounds. */
static void set_input(const struct scatter *scatter,
                      struct originator *originator, bool several)
{
    const struct wire_order *order = &originator->order;
    const struct scatter_costs *costs = scatter->costs;
    struct plan_job *input = &originator->input;
    struct wire_job job = scatter->job;
    unsigned phases = tree_last_phase(order->tree);
    uint32_t fixed_bytes;

    job.phases = (uint8_t)(phases > 0 ? phases : 1);
    fixed_bytes = wire_job_bytes(&job) + job.before_bytes + job.after_bytes;
    input->load_units =
        scatter->units +
        (several ? 0 : originator_ports_units(scatter, originator));
    input->compute_ps = reference_ps(originator);
    input->transfer_ps = order->transfer_ps * order->unit_bytes;
    input->circuit_ps =
        (struct plan_circuit){.startup = order_message_ps(order, fixed_bytes),
                              .hop = order->hop_delay_ps,
                              .branch = order->transfer_ps * TREE_BRANCH_BYTES};
    input->split_ps = costs->branch_split_ps;
    input->queue_ps = costs->branch_queue_ps;
    input->start_ps = costs->kernel_start_ps + originator->report.call_ps;
    input->round_ps = costs->round_end_ps;
    input->overhead_ps = costs->round_overhead_ps;
    input->gain_ps = order->rounds == WIRE_BEST
                         ? (uint64_t)order->tree_nodes * costs->plan_tree_ps
                         : 0;
    input->sends_max = costs->tree_sends;
    input->ports = order->ports;
    input->store_and_forward = (order->flags & WIRE_STORE_AND_FORWARD) != 0;
    input->equal = (order->flags & WIRE_EQUAL_SHARES) != 0;
    input->begin_ps = 0;
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

static uint32_t table_words(const struct scatter *scatter)
{
    return TREE_ROUND_WORDS(tree_nodes(scatter->tree.branch));
}

/* Turns the planner's indices of units into the order's. The plan's extra units
   go from the front of the root's share. */
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

/* Returns the units of the piece at branch `index`, in all rounds. */
static uint32_t all_units_of(const struct scatter *scatter,
                             const struct originator *originator,
                             uint32_t index)
{
    const uint8_t *branch = scatter->tree.branch + TREE_BRANCH_BYTES * index;
    const uint32_t *table = originator->tree_tables;
    uint32_t units = tree_units(branch);

    for (unsigned round = 1; round < scatter->job.rounds; ++round) {
        table += table_words(scatter);
        units += table[1 + index + tree_nodes(branch)] - table[1 + index];
    }
    return units;
}

/* Sets result_ps[i]: departure of layer i's results, ps after gather_ps; 0 if
   at once. */
static void plan_returns(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t result_ps[])
{
    uint32_t nodes = tree_nodes(scatter->tree.branch);
    unsigned phases = scatter->job.phases;

    memset(result_ps, 0, (phases + 1u) * sizeof *result_ps);
    if (scatter->terms.output_varies) {
        return;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        const uint8_t *at = scatter->tree.branch + TREE_BRANCH_BYTES * i;
        uint32_t units = all_units_of(scatter, originator, i);

        if (units > 0 && tree_phase(at) <= phases) {
            uint64_t takes_ps = slots_output_ps(
                scatter, &originator->order, scatter->job.rounds, units,
                tree_nodes(at), torus_path_hops(tree_path(at)));
            uint64_t *most_ps = &result_ps[tree_phase(at)];

            *most_ps = takes_ps > *most_ps ? takes_ps : *most_ps;
        }
    }
    slots_time_returns(originator, result_ps, phases);
}

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
    error =
        slots_set_long(scatter, originator, longest_path(scatter->tree.branch));
    if (scatter_has_output(scatter)) {
        plan_returns(scatter, originator, result_ps);
    }
    wire_job_store(originator->job, &scatter->job, result_ps);
    return error;
}

/* For WIRE_BEST, keeps the plan only if it ends before `tree`, one round. */
static int plan_rounds(struct scatter *scatter, struct originator *originator,
                       uint8_t *tree, void *work)
{
    unsigned asked = originator->order.rounds;
    bool best = asked == WIRE_BEST;
    struct tree_rounds rounds = {
        .least = best ? 2 : asked,
        .most = best ? ROUNDS_MAX : asked,
        .tables = originator->tree_tables,
        .begin_ps = originator->round_begin_ps,
        .memory =
            originator_allocate(scatter, tree_rounds_bytes(tree_nodes(tree)))};

    if (rounds.memory == NULL) {
        return ERR_MEMORY;
    }
    scatter->job.rounds = (uint8_t)tree_rounds_plan(
        tree, &rounds, &originator->report.makespan_ps, &originator->input,
        work);
    return best || scatter->job.rounds == asked ? ERR_OK : ERR_PHASES;
}

/* Plans one round. If the root's share has fewer units than the ports take time
   for, plans without them: the root computes last of all. */
static int plan_one(const struct scatter *scatter,
                    struct originator *originator, uint8_t *tree, void *work,
                    unsigned *phases)
{
    struct plan_job *input = &originator->input;
    uint64_t *makespan_ps = &originator->report.makespan_ps;
    int error = tree_plan(tree, input, work, makespan_ps, phases);

    if (error == ERR_OK && tree_first_unit(tree + TREE_BRANCH_BYTES) <
                               input->load_units - scatter->units) {
        input->load_units = scatter->units;
        error = tree_plan(tree, input, work, makespan_ps, phases);
    }
    return error;
}

static int plan(struct scatter *scatter, struct originator *originator,
                uint8_t *tree)
{
    struct wire_report *report = &originator->report;
    uint32_t nodes = originator->order.tree_nodes;
    uint32_t table_bytes = 4 * TREE_ROUND_WORDS(nodes);
    uint8_t *free_from = scatter->free_from;
    unsigned rounds = originator->order.rounds;
    /* For WIRE_BEST rounds are several only if sends leave at set times. */
    bool several =
        rounds == WIRE_BEST ? scatter->costs->tree_holds : rounds != 1;
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
    set_input(scatter, originator, several);
    error = plan_one(scatter, originator, tree, work, &phases);
    if (error == ERR_OK && several) {
        error = plan_rounds(scatter, originator, tree, work);
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

/* A farm is better if measured units do not predict other units' time. */
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

/* Writes the plan into the order's tree, and writes the job. Then waits until
   the announcement is sent. */
static int plan_job(struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    /* The received order lies in this memory, so its tree may be written. */
    uint8_t *memory = scatter->circuit->memory;
    uint8_t *tree = memory + (order->tree - memory);
    uint64_t start_ps = originator_now_ps(scatter);
    int error;

    error = order->rounds != WIRE_BEST &&
                    (order->rounds == 0 || order->rounds > ROUNDS_MAX)
                ? ERR_PHASES
            : originator->alone ? plan_alone(scatter, originator, tree)
                                : plan(scatter, originator, tree);

    originator->report.plan_ps = originator_now_ps(scatter) - start_ps;
    if (error != ERR_OK) {
        return error;
    }
    scatter->tree.branch = tree;
    scatter->job.phases =
        originator->report.phases > 0 ? originator->report.phases : 1;
    shift_ranges(scatter, originator, tree);
    error = store_job(scatter, originator);
    return error == ERR_OK ? scatter_drain(scatter) : error;
}

static int send_rounds(struct scatter *scatter, struct originator *originator)
{
    uint64_t start_ps = originator->report.scatter_start_ps;
    uint32_t *table = originator->tree_tables;
    uint32_t share_units;
    int error;

    wire_job_store_gather(originator->job,
                          slots_gather_ps(scatter, originator, start_ps));
    scatter->job_data = originator->job;
    if (scatter->job.rounds == 1) {
        return branch_distribute(scatter);
    }
    scatter->units = tree_units(scatter->tree.branch);
    error = branch_distribute(scatter);
    share_units = scatter->split.share_units;
    for (unsigned round = 1; error == ERR_OK && round < scatter->job.rounds;
         ++round) {
        table += table_words(scatter);
        scatter_skip(scatter, scatter->units);
        scatter->units = table[table_words(scatter) - 1] - table[1];
        scatter->round = round;
        /* No port begins a round while another port sends the round before. */
        if (scatter->costs->tree_holds) {
            scatter->message[0].ready_ps =
                start_ps + originator->round_begin_ps[round];
        }
        scatter->tree.passed_on =
            (struct circuit_segment){(const uint8_t *)table, 4};
        scatter->tree.tables = (const uint8_t *)(table + 1);
        error = branch_distribute(scatter);
    }
    /* Each round moved the range: set it to the load again. */
    originator_set_range(scatter, &originator->order);
    scatter->round = 0;
    scatter->split.share_units = share_units;
    return error;
}

int tree_lost(struct scatter *scatter, struct originator *originator,
              uint32_t number)
{
    const uint8_t *tree = scatter->tree.branch;
    const uint8_t *branch = tree + TREE_BRANCH_BYTES * number;
    const uint32_t *table = originator->tree_tables;

    if (number >= tree_nodes(tree)) {
        return ERR_PLACE;
    }
    lost_range(scatter, originator, tree_first_unit(branch),
               tree_units(branch));
    for (unsigned round = 1; round < scatter->job.rounds; ++round) {
        const uint32_t *first =
            table + table_words(scatter) * round + 1 + number;

        lost_range(scatter, originator, *first,
                   first[tree_nodes(branch)] - *first);
    }
    return ERR_OK;
}

int tree_lead(struct scatter *scatter, struct originator *originator)
{
    int error = measure_kernel(scatter, originator);

    if (error == ERR_OK && prefers_farm(scatter, originator)) {
        policy_become(scatter, WIRE_FARM);
        scatter->job.flags = WIRE_FLAGS(scatter->job.flags & 0xfu, WIRE_FARM);
        return farm_carry_out(scatter, originator);
    }
    if (error == ERR_OK) {
        error = plan_job(scatter, originator);
    }
    if (error == ERR_OK) {
        originator_begin(scatter, originator);
        error = send_rounds(scatter, originator);
    }
    if (error == ERR_OK) {
        error = measure_share(scatter, originator);
    }
    return error == ERR_OK ? tree_gather(scatter) : error;
}
