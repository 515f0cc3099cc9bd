/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/outcome.h"
#include "qemu/job/request.h"
#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Fewest units of a share whose compute time gives a rate for the next job. */
#define RATE_UNITS_MIN 16u

#define ALL_GROUPS UINT32_MAX

static uint64_t last_ps(const struct outcome *outcome, uint32_t group)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->active && node->finished_ps > last &&
            (group == ALL_GROUPS || node->group == group)) {
            last = node->finished_ps;
        }
    }
    return last;
}

/* Sums a uint64_t member of struct outcome_batch over all batches but the
   first. Values of the first batch are in struct outcome. */
static uint64_t later_batches(const struct outcome *outcome, size_t field)
{
    uint64_t sum = 0;

    for (uint32_t i = 1; i < outcome->batch_count; ++i) {
        const char *batch = (const char *)&outcome->batch[i];

        sum += *(const uint64_t *)(const void *)(batch + field);
    }
    return sum;
}

#define LATER_BATCHES(outcome, field)                                          \
    later_batches(outcome, offsetof(struct outcome_batch, field))

uint32_t outcome_batches(const struct outcome *outcome)
{
    return outcome->batch_count + outcome->resumed - (outcome->resumed > 0);
}

struct outcome_batch outcome_sum(const struct outcome *outcome)
{
    struct outcome_batch sum = outcome->batch[0];
    size_t at = 0;

    /* all members before `rate` are of type uint64_t */
    for (; at < offsetof(struct outcome_batch, rate); at += sizeof(uint64_t)) {
        *(uint64_t *)(void *)((char *)&sum + at) += later_batches(outcome, at);
    }
    memset((char *)&sum + at, 0, sizeof sum - at);
    return sum;
}

/* ---- originators ---- */

const struct wire_report *outcome_plan_of(const struct outcome *outcome,
                                          const struct outcome_node *node)
{
    return &outcome->originator[node->group].plan;
}

/* Returns the time from the start of the scatter until the last result is
   merged, ps. An originator that is alone merges nothing and is done at
   end_ps. */
static uint64_t with_results(const struct wire_report *plan, uint64_t end_ps)
{
    return plan->gather_done_ps > plan->scatter_start_ps
               ? plan->gather_done_ps - plan->scatter_start_ps
               : end_ps;
}

struct outcome_group_times outcome_group_times(const struct outcome *outcome,
                                               uint32_t index)
{
    const struct wire_report *plan = &outcome->originator[index].plan;
    struct outcome_group_times times = {
        .start_ps = plan->scatter_start_ps - outcome->plan.scatter_start_ps};

    times.makespan_ps = last_ps(outcome, index) - times.start_ps;
    times.with_results_ps = with_results(plan, times.makespan_ps);
    times.answer_ps =
        plan->scatter_start_ps - plan->ordered_ps + times.with_results_ps;
    return times;
}

/* ---- times ---- */

uint32_t outcome_active_nodes(const struct outcome *outcome)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        count += outcome->node[i].active;
    }
    return count;
}

uint64_t outcome_makespan_ps(const struct outcome *outcome)
{
    return last_ps(outcome, ALL_GROUPS) + LATER_BATCHES(outcome, makespan_ps);
}

uint64_t outcome_planned_ps(const struct outcome *outcome)
{
    return outcome->plan.makespan_ps + LATER_BATCHES(outcome, planned_ps);
}

uint64_t outcome_spread_ps(const struct outcome *outcome)
{
    uint64_t last = last_ps(outcome, ALL_GROUPS);
    uint64_t first = last;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->active && node->finished_ps < first) {
            first = node->finished_ps;
        }
    }
    return last - first;
}

uint64_t outcome_with_results_ps(const struct outcome *outcome)
{
    return with_results(&outcome->plan, last_ps(outcome, ALL_GROUPS)) +
           LATER_BATCHES(outcome, with_results_ps);
}

static struct outcome_preparing sum(const struct outcome_preparing *a,
                                    const struct outcome_preparing *b)
{
    return (struct outcome_preparing){
        .all_ps = a->all_ps + b->all_ps,
        .announce_ps = a->announce_ps + b->announce_ps,
        .begin_ps = a->begin_ps + b->begin_ps,
        .measure_ps = a->measure_ps + b->measure_ps,
        .plan_ps = a->plan_ps + b->plan_ps,
        .meanwhile_measure_ps =
            a->meanwhile_measure_ps + b->meanwhile_measure_ps,
        .meanwhile_plan_ps = a->meanwhile_plan_ps + b->meanwhile_plan_ps};
}

uint64_t outcome_scatter_start_ps(const struct outcome *outcome)
{
    return outcome->plan.scatter_start_ps - outcome->plan.ordered_ps;
}

struct outcome_preparing outcome_preparing(const struct outcome *outcome)
{
    const struct wire_report *plan = &outcome->plan;
    struct outcome_preparing all = {.all_ps = outcome_scatter_start_ps(outcome),
                                    .announce_ps = plan->announce_ps,
                                    .begin_ps = plan->begin_ps};

    if (plan->advance) {
        all.meanwhile_measure_ps = plan->measure_ps;
        all.meanwhile_plan_ps = plan->plan_ps;
    } else {
        all.measure_ps = plan->measure_ps;
        all.plan_ps = plan->plan_ps;
    }
    for (uint32_t i = 1; i < outcome->batch_count; ++i) {
        all = sum(&all, &outcome->batch[i].preparing);
    }
    return all;
}

uint64_t outcome_answer_ps(const struct outcome *outcome)
{
    return outcome_preparing(outcome).all_ps + outcome_with_results_ps(outcome);
}

/* Returns the rate of `units` units that took share_ps in `calls` calls of the
   kernel. The plan has the time of a call; the rest is the units' compute
   time. */
static struct job_rate share_rate(const struct wire_report *plan,
                                  uint32_t units, uint64_t share_ps,
                                  unsigned calls)
{
    uint64_t call_ps = plan->call_ps < share_ps / calls ? plan->call_ps : 0;

    return (struct job_rate){.compute_ps = (share_ps - calls * call_ps) / units,
                             .call_ps = call_ps,
                             .units = units};
}

uint64_t outcome_compute_ps(const struct outcome_node *node)
{
    uint64_t sum_ps = 0;

    for (unsigned k = 0; k < node->intervals; ++k) {
        sum_ps += node->interval[k].compute_end_ps -
                  node->interval[k].compute_start_ps;
    }
    return sum_ps;
}

uint64_t outcome_computed_units(const struct outcome_node *node)
{
    uint64_t units = 0;

    for (unsigned k = 0; k < node->intervals; ++k) {
        units += node->interval[k].units;
    }
    return units;
}

struct job_rate outcome_batch_rate(const struct outcome *outcome)
{
    const struct outcome_node *node = &outcome->node[torus_index(
        outcome->request->size, outcome->originator[0].at)];
    const struct wire_report *plan = outcome_plan_of(outcome, node);
    uint32_t units = (uint32_t)outcome_computed_units(node);

    if (units >= RATE_UNITS_MIN) {
        return share_rate(plan, units, outcome_compute_ps(node),
                          node->intervals);
    }
    return (struct job_rate){.compute_ps = plan->compute_ps,
                             .call_ps = plan->call_ps,
                             .units = plan->measured_units};
}

struct job_rate outcome_rate(const struct outcome *outcome)
{
    struct job_rate best = {.units = 0};

    for (uint32_t i = 0; i < outcome->batch_count; ++i) {
        if (outcome->batch[i].rate.units >= best.units) {
            best = outcome->batch[i].rate;
        }
    }
    return best;
}

/* Returns the time in which originators measured units whose results count, ps.
   Samples of the load are left out: their results are computed again. */
static uint64_t measure_ps(const struct outcome *outcome)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < outcome->originators; ++i) {
        const struct wire_report *plan = &outcome->originator[i].plan;

        sum += plan->measure_ps - plan->sampled_ps;
    }
    return sum;
}

uint64_t outcome_ports_ps(const struct outcome *outcome)
{
    uint64_t sum = LATER_BATCHES(outcome, ports_ps);

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        sum += outcome->node[i].ports_ps;
    }
    return sum;
}

/* Returns the sum of all units' compute times, ps, as if no node were slowed
   and no interrupt of a port delayed a kernel. */
static uint64_t compute_all_ps(const struct outcome *outcome)
{
    /* [0]: by nodes of normal speed, [1]: by slowed nodes */
    uint64_t computed_ps[2] = {0, 0};
    uint64_t units[2] = {0, 0};

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        computed_ps[node->slowed] += outcome_compute_ps(node) - node->ports_ps;
        units[node->slowed] += node->units;
    }
    if (units[false] == 0) {
        return computed_ps[false] + computed_ps[true];
    }
    return (uint64_t)((double)computed_ps[false] *
                      (1 + (double)units[true] / (double)units[false]));
}

uint64_t outcome_computing_ps(const struct outcome *outcome)
{
    return measure_ps(outcome) + compute_all_ps(outcome) + outcome->waves_ps +
           LATER_BATCHES(outcome, computing_ps);
}

uint64_t outcome_calls(const struct outcome *outcome)
{
    uint64_t calls = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        calls += outcome->node[i].intervals;
    }
    return calls;
}

uint64_t outcome_calls_ps(const struct outcome *outcome)
{
    uint64_t calls = outcome_calls(outcome);

    return (calls > 0 ? (calls - 1) * outcome->plan.call_ps : 0) +
           LATER_BATCHES(outcome, calls_ps);
}

/* Estimates the answer time of one board, ps. At most half of all compute time
   counts as the cost of calls, because a call's time may be measured
   wrongly. */
static uint64_t estimate_one_board_ps(const struct outcome *outcome)
{
    uint64_t all_ps = outcome_computing_ps(outcome);
    uint64_t calls_ps = outcome_calls_ps(outcome);

    return outcome_preparing(outcome).begin_ps + all_ps -
           (calls_ps < all_ps / 2 ? calls_ps : all_ps / 2);
}

uint64_t outcome_one_board_ps(const struct outcome *outcome)
{
    if (outcome->alone_ps > 0) {
        return outcome->alone_ps;
    }
    return outcome_active_nodes(outcome) == 1 ? outcome_answer_ps(outcome)
                                              : estimate_one_board_ps(outcome);
}

double outcome_answer_speedup(const struct outcome *outcome)
{
    return outcome_ratio(outcome_one_board_ps(outcome),
                         outcome_answer_ps(outcome));
}

uint64_t outcome_free_ps(const struct outcome_node *node, unsigned index)
{
    return index == 0 ? 0 : node->interval[index - 1].compute_end_ps;
}

uint64_t outcome_turn_ps(const struct outcome_node *node, unsigned index)
{
    uint64_t free_ps = outcome_free_ps(node, index);
    uint64_t received_ps = node->interval[index].received_ps;

    return received_ps > free_ps ? received_ps : free_ps;
}

uint64_t outcome_idle_ps(const struct outcome_node *node)
{
    uint64_t sum = 0;

    for (unsigned k = 1; k < node->intervals; ++k) {
        sum += outcome_turn_ps(node, k) - outcome_free_ps(node, k);
    }
    return sum;
}

uint64_t outcome_idle_max_ps(const struct outcome *outcome)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        uint64_t idle_ps = outcome_idle_ps(&outcome->node[i]);

        most = idle_ps > most ? idle_ps : most;
    }
    return most;
}

uint64_t outcome_transfer_ps_per_unit(const struct outcome *outcome)
{
    uint64_t bytes_per_unit = 1;

    if (outcome->load_units > 0) {
        bytes_per_unit = outcome->load_bytes / outcome->load_units;
    }
    return request_plan_profile(outcome->request)->transfer_ps * bytes_per_unit;
}

uint32_t outcome_planned_nodes(const struct outcome *outcome)
{
    uint32_t nodes = 0;

    for (unsigned layer = 0; layer <= outcome->plan.phases; ++layer) {
        nodes += outcome->layer[layer].nodes;
    }
    return nodes;
}

double outcome_ratio(uint64_t numerator, uint64_t denominator)
{
    return denominator == 0 ? 0.0 : (double)numerator / (double)denominator;
}

double outcome_overhead_vs_plan(const struct outcome *outcome)
{
    uint64_t planned = outcome_planned_ps(outcome);
    uint64_t measured = outcome_makespan_ps(outcome);

    return measured >= planned ? outcome_ratio(measured - planned, planned)
                               : -outcome_ratio(planned - measured, planned);
}

double outcome_speedup(const struct outcome *outcome)
{
    const struct outcome_preparing preparing = outcome_preparing(outcome);
    uint64_t kept_ps = preparing.measure_ps > outcome->plan.sampled_ps
                           ? preparing.measure_ps - outcome->plan.sampled_ps
                           : 0;

    if (outcome->originators > 1) {
        kept_ps = measure_ps(outcome);
    }
    return outcome_ratio(outcome_computing_ps(outcome) - kept_ps,
                         outcome_makespan_ps(outcome));
}

double outcome_planned_speedup(const struct outcome *outcome)
{
    uint64_t units = outcome->load_units - outcome->plan.measured_units;

    return outcome_ratio(units * outcome->plan.compute_ps,
                         outcome_planned_ps(outcome));
}

bool outcome_is_estimated(const struct outcome *outcome)
{
    const struct wire_report *plan = &outcome->plan;

    /* A rate that the board kept from an earlier job has a call time above 0; a
       kernel's estimate has none. */
    return plan->measured_units == 0 && plan->call_ps == 0 &&
           plan->compute_ps > 0 && outcome->rate_from == NULL;
}

double outcome_calibration_error(const struct outcome *outcome)
{
    double planned_ps =
        (double)outcome->plan.compute_ps * (double)outcome->load_units;

    return outcome_ratio((uint64_t)planned_ps, outcome_computing_ps(outcome)) -
           1;
}

void outcome_add_order(struct outcome *outcome, const struct outcome *next)
{
    /* these count from the start of the job, not of the batch */
    outcome->conflicts = next->conflicts;
    outcome->retries += next->retries;
    outcome->retransmissions += next->retransmissions;
    outcome->counts_nodes = outcome->counts_nodes || next->counts_nodes;
    outcome->messages += next->messages;
    outcome->payload_bytes += next->payload_bytes;
    outcome->run_wall_s += next->run_wall_s;
    outcome->wave = memory_or_exit(
        realloc(outcome->wave,
                (outcome->waves + next->waves + 1u) * sizeof *outcome->wave));
    for (uint32_t i = 0; i < next->waves; ++i) {
        outcome->wave[outcome->waves++] = next->wave[i];
    }
    outcome->lost_units += next->lost_units;
    outcome->recovery_ps += next->recovery_ps;
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        outcome->node[i].units += next->node[i].units;
        outcome->node[i].retries += next->node[i].retries;
        outcome->node[i].retransmissions += next->node[i].retransmissions;
        memcpy(outcome->node[i].port, next->node[i].port,
               NODE_PORTS * sizeof *next->node[i].port);
    }
}

void outcome_free(struct outcome *outcome)
{
    if (outcome->node != NULL) {
        free(outcome->node[0].port);
    }
    for (uint32_t i = 0; outcome->node != NULL && i < outcome->node_count;
         ++i) {
        free((void *)(uintptr_t)outcome->node[i].event);
        free(outcome->node[i].interval);
    }
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        free(outcome->originator[i].missing);
        free(outcome->originator[i].result.data);
        free(outcome->originator[i].result.output);
        free(outcome->originator[i].places.place);
    }
    free(outcome->originator);
    free(outcome->image);
    free(outcome->node);
    free(outcome->circuit);
    free(outcome->heir);
    free(outcome->layer);
    free(outcome->batch);
    free(outcome->rank);
    free(outcome->wave);
    free(outcome->faults.fault);
    free(outcome->result.data);
    free(outcome->result.output);
}
