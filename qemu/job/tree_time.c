/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/tree_time.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "qemu/support/memory.h"
#include "scatter/engine/core.h"
#include "scatter/plan/tree_rounds.h"
#include "scatter/wire/wire.h"

#include <stdlib.h>

/* What an originator queues at most, on emulated boards and native nodes. */
#define SENDS_MAX 768u

/* Planners take a transfer time of less than 2^16 compute times. */
#define RATIO_BITS 15u

/* Of a result that varies, and has nothing to tell. */
#define LEAST_BYTES 32u

/* One job, with what its plan is made of. */
struct plan {
    const struct job_task *task;
    struct plan_job input;
    double scale; /* times as many units as the plan has */
    uint8_t *tree;
    void *work;
};

double tree_time_compute_ps(const struct job_task *task)
{
    double estimate_ps =
        (double)task->originator->terms.instructions_per_1000_units *
        TREE_TIME_INSTRUCTION_PS / 1000;

    return estimate_ps > 1 ? estimate_ps : 1;
}

uint32_t tree_time_result_bytes(const struct job_task *task)
{
    const struct kernel_terms *terms = &task->originator->terms;
    double units =
        (double)task->originator->load.units / torus_nodes(task->request->size);
    double bytes =
        LEAST_BYTES + units * terms->result_bytes_per_1000_units / 1000;

    return terms->result_fixed || bytes > terms->result_bytes_max
               ? terms->result_bytes_max
               : (uint32_t)bytes;
}

static uint64_t planned_unit_ps(uint64_t transfer_ps, double compute_ps)
{
    uint64_t least_ps = (transfer_ps >> RATIO_BITS) + 1;
    uint64_t unit_ps = compute_ps < (double)PLANNER_TIME_MAX_PS
                           ? (uint64_t)compute_ps
                           : PLANNER_TIME_MAX_PS;

    return unit_ps > least_ps ? unit_ps : least_ps;
}

/* Of every part: its header, the job, and what the kernel reads besides. */
static uint64_t head_bytes_of(const struct job_task *task, const uint8_t *tree)
{
    unsigned phases = tree_last_phase(tree);
    uint64_t bytes = CIRCUIT_HEADER_BYTES + WIRE_JOB_BYTES +
                     task->originator->terms.before_bytes +
                     task->originator->terms.after_bytes;

    /* When each phase's outputs return. */
    return task->originator->terms.output_denominator > 0
               ? bytes + 8u * (phases + 1u)
               : bytes;
}

static struct plan_job input_of(const struct job_task *task,
                                const uint8_t *tree, double compute_ps)
{
    const struct profile *profile = request_plan_profile(task->request);
    uint64_t transfer_ps =
        profile->transfer_ps * task->originator->load.unit_bytes;
    uint64_t head_bytes = head_bytes_of(task, tree);
    uint64_t units = task->originator->load.units;

    return (struct plan_job){
        .load_units =
            (uint32_t)(units < PLANNER_UNITS_MAX ? units : PLANNER_UNITS_MAX),
        .compute_ps = planned_unit_ps(transfer_ps, compute_ps),
        .transfer_ps = transfer_ps,
        .circuit_ps = {.startup = profile->startup_ps +
                                  profile->transfer_ps * head_bytes,
                       .hop = profile->hop_delay_ps,
                       .branch = profile->transfer_ps * TREE_BRANCH_BYTES},
        .ports = task->request->ports,
        .store_and_forward = task->request->store_and_forward,
        .sends_max = SENDS_MAX,
        .equal = schedule_is_equal(task->schedule.kind)};
}

/* ---- the announcement ---- */

/* A circuit along a branch's path, either way. */
static double circuit_ps(const struct job_task *task, const uint8_t *branch,
                         double bytes)
{
    const struct profile *profile = request_plan_profile(task->request);
    uint32_t hops = torus_path_hops(tree_path(branch));
    double once_ps =
        (double)profile->startup_ps + bytes * (double)profile->transfer_ps;

    return once_ps * (task->request->store_and_forward ? hops : 1) +
           (double)profile->hop_delay_ps * hops;
}

static uint64_t announce_ps(const struct job_task *task, const uint8_t *branch)
{
    uint32_t bytes = CIRCUIT_HEADER_BYTES + WIRE_ANNOUNCE_BYTES +
                     TREE_BRANCH_BYTES * tree_nodes(branch) +
                     WIRE_PAD4(task->originator->load.arg_bytes);

    return (uint64_t)circuit_ps(task, branch, bytes);
}

void tree_time_announce(uint64_t port_ps[TORUS_PORTS],
                        const struct job_task *task, const uint8_t *tree)
{
    const uint8_t *end = tree_next(tree);
    unsigned ports = task->request->ports;
    uint64_t lane_ps[TORUS_PORTS] = {0};
    uint64_t last_ps = 0;
    uint32_t order = 0;

    for (const uint8_t *at = tree + TREE_BRANCH_BYTES; at < end;
         at = tree_next(at)) {
        unsigned lane =
            ports == TORUS_PORTS ? tree_path(at).port : order & (ports - 1u);

        order += 1;
        lane_ps[lane] += announce_ps(task, at);
        last_ps = lane_ps[lane] > last_ps ? lane_ps[lane] : last_ps;
    }
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        port_ps[port] = ports == TORUS_PORTS ? lane_ps[port] : last_ps;
    }
}

/* ---- the way back ---- */

/* Units of the subtree of branch `index`, in all rounds. */
static double units_of(const struct plan *plan, const uint32_t tables[],
                       unsigned rounds, uint32_t index)
{
    const uint8_t *branch = plan->tree + TREE_BRANCH_BYTES * index;
    uint32_t words = TREE_ROUND_WORDS(tree_nodes(plan->tree));
    double units = tree_units(branch);

    for (unsigned round = 1; round < rounds; ++round) {
        const uint32_t *table = tables + round * words + 1;

        units += table[index + tree_nodes(branch)] - table[index];
    }
    return units;
}

/* A result's circuit with the outputs of a subtree. */
static double return_ps(const struct plan *plan, const uint8_t *branch,
                        unsigned rounds, double units)
{
    const struct kernel_terms *terms = &plan->task->originator->terms;
    double chunks = (double)rounds * tree_nodes(branch);
    double bytes = CIRCUIT_HEADER_BYTES + 4 + terms->result_bytes_max +
                   chunks * WIRE_OUTPUT_CHUNK_BYTES +
                   units * terms->output_numerator / terms->output_denominator;

    return circuit_ps(plan->task, branch, bytes);
}

/* Outputs return phase by phase; a phase lasts as long as its longest one. */
static double returns_ps(const struct plan *plan, const uint32_t tables[],
                         unsigned rounds)
{
    double phase_ps[TREE_PHASES_MAX + 1] = {0};
    double all_ps = 0;

    if (plan->task->originator->terms.output_denominator == 0) {
        return 0;
    }
    for (uint32_t i = 1; i < tree_nodes(plan->tree); ++i) {
        const uint8_t *branch = plan->tree + TREE_BRANCH_BYTES * i;
        double units = units_of(plan, tables, rounds, i);
        double *most_ps = &phase_ps[tree_phase(branch)];
        double takes_ps =
            units > 0 ? return_ps(plan, branch, rounds, units) : 0;

        *most_ps = takes_ps > *most_ps ? takes_ps : *most_ps;
    }
    for (unsigned phase = 1; phase <= TREE_PHASES_MAX; ++phase) {
        all_ps += phase_ps[phase];
    }
    return all_ps;
}

/* Results without outputs return phase by phase, each in a slot
   (scatter/engine/slots.h). */
static double slots_ps(const struct plan *plan, unsigned phases)
{
    const struct job_task *task = plan->task;
    const struct kernel_terms *terms = &task->originator->terms;
    uint32_t most = terms->result_bytes_max;
    double bytes = CIRCUIT_HEADER_BYTES +
                   (terms->result_fixed || most < SCATTER_SHORT_BYTES ||
                            tree_time_result_bytes(task) > SCATTER_SHORT_BYTES
                        ? most
                        : SCATTER_SHORT_BYTES);
    double merges = terms->result_fixed && task->request->mesh->has_images
                        ? TORUS_PORTS * SCATTER_MERGE_WORD * most / 4.0
                        : 0;

    if (terms->output_denominator > 0 || phases == 0) {
        return 0;
    }
    return phases * (circuit_ps(task, plan->tree + TREE_BRANCH_BYTES, bytes) +
                     merges * TREE_TIME_INSTRUCTION_PS);
}

/* `phases` of a plan of rounds that end there; none: nobody is sent anything.
 */
static struct tree_time time_of(const struct plan *plan, uint64_t makespan_ps,
                                const uint32_t tables[], unsigned rounds,
                                unsigned phases)
{
    double end_ps = plan->scale * (double)makespan_ps;
    double back_ps =
        plan->scale * returns_ps(plan, tables, rounds) + slots_ps(plan, phases);

    return phases == 0
               ? (struct tree_time){end_ps, end_ps}
               : (struct tree_time){
                     end_ps, end_ps + end_ps / SCATTER_GATHER_GUARD +
                                 (double)plan->input.compute_ps + back_ps};
}

/* ---- the plan ---- */

/* Several rounds, where one ends at makespan_ps. */
static struct tree_time plan_rounds(const struct plan *plan,
                                    const struct tree_time *one,
                                    uint64_t makespan_ps, unsigned phases)
{
    uint32_t nodes = tree_nodes(plan->tree);
    unsigned rounds = plan->task->schedule.rounds;
    bool best = rounds == WIRE_BEST;
    uint64_t begin_ps[ROUNDS_MAX];
    struct tree_rounds tried = {
        .least = best ? 2 : rounds,
        .most = best ? ROUNDS_MAX : rounds,
        .tables = memory_or_exit(
            malloc(ROUNDS_MAX * TREE_ROUND_WORDS(nodes) * sizeof(uint32_t))),
        .begin_ps = begin_ps,
        .memory = memory_or_exit(malloc(tree_rounds_bytes(nodes)))};
    unsigned made = tree_rounds_plan(plan->tree, &tried, &makespan_ps,
                                     &plan->input, plan->work);
    struct tree_time time =
        made > 1 ? time_of(plan, makespan_ps, tried.tables, made, phases)
                 : *one;

    free(tried.memory);
    free(tried.tables);
    return time;
}

static int plan_all(struct tree_times *times, const struct plan *plan)
{
    uint64_t makespan_ps;
    unsigned phases;

    if (tree_plan(plan->tree, &plan->input, plan->work, &makespan_ps,
                  &phases) != ERR_OK) {
        return -1;
    }
    times->one = time_of(plan, makespan_ps, NULL, 1, phases);
    times->several = plan->task->schedule.rounds == 1 || plan->input.equal
                         ? times->one
                         : plan_rounds(plan, &times->one, makespan_ps, phases);
    return 0;
}

int tree_times(struct tree_times *times, const struct job_task *task,
               double compute_ps)
{
    struct plan plan = {.task = task, .tree = job_policy(task)->tree(task)};
    uint64_t port_ps[TORUS_PORTS];
    int status;

    if (plan.tree == NULL || task->originator->load.units == 0) {
        free(plan.tree);
        return -1;
    }
    plan.input = input_of(task, plan.tree, compute_ps);
    tree_time_announce(port_ps, task, plan.tree);
    times->announce_ps = 0;
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        double ps = (double)port_ps[port];

        times->announce_ps = ps > times->announce_ps ? ps : times->announce_ps;
    }
    plan.scale = (double)task->originator->load.units / plan.input.load_units;
    plan.work = memory_or_exit(malloc(tree_work_bytes(tree_nodes(plan.tree))));
    status = plan_all(times, &plan);
    free(plan.work);
    free(plan.tree);
    return status;
}
