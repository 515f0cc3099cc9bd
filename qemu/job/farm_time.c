/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/farm_time.h"

#include "hal/circuit.h"
#include "hal/err.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "qemu/job/tree_time.h"
#include "qemu/support/memory.h"
#include "scatter/engine/core.h"
#include "scatter/plan/one_round.h"
#include "scatter/wire/wire.h"

#include <stdlib.h>

/* As in scatter/engine/farm.c: two circuits for each chunk; outputs
   are received ahead in an eighth of the memory that all of them take. */
#define CIRCUITS 4u
#define SLOTS_PART 8u

/* Instructions for a demand, and for a run of a kernel, roughly. */
#define DEMAND_INSTRUCTIONS 550u
#define RUN_INSTRUCTIONS 120u

static uint32_t most_units(const struct job_task *task, uint32_t units)
{
    uint32_t workers = torus_nodes(task->request->size);
    uint32_t slots = workers < CIRCUIT_AHEAD_MAX ? workers : CIRCUIT_AHEAD_MAX;

    return task->originator->terms.output_denominator > 0
               ? units / (SLOTS_PART * slots) + 1
               : units - units / 2;
}

static struct plan_job rule_of(const struct job_task *task, uint32_t units,
                               uint64_t compute_ps, uint64_t call_ps,
                               uint64_t software_ps)
{
    const struct profile *profile = request_plan_profile(task->request);
    uint64_t circuits_ps =
        CIRCUITS * profile->startup_ps / task->request->ports;
    uint64_t demand_ps = software_ps > circuits_ps ? software_ps : circuits_ps;

    return (struct plan_job){
        .compute_ps = compute_ps,
        .transfer_ps = profile->transfer_ps * task->originator->load.unit_bytes,
        .demand_ps = demand_ps < UINT32_MAX ? demand_ps : UINT32_MAX,
        .call_ps = call_ps,
        .load_units = units,
        .most_units = most_units(task, units),
        .varies = task->originator->terms.cost_varies,
        .nodes = torus_nodes(task->request->size),
        .ports = task->request->ports,
        .installment = task->schedule.installment};
}

/* What merging a chunk's result that is always as long takes. */
static uint64_t merge_ps(const struct job_task *task, uint64_t instruction_ps)
{
    const struct kernel_terms *terms = &task->originator->terms;

    return terms->result_fixed
               ? (uint64_t)SCATTER_MERGE_WORD * terms->result_bytes_max / 4 *
                     instruction_ps
               : 0;
}

int farm_time(struct farm_run *run, const struct job_task *task, uint64_t units,
              uint64_t compute_ps, uint64_t call_ps, uint64_t instruction_ps)
{
    const struct profile *profile = &task->request->profile;
    const struct kernel_terms *terms = &task->originator->terms;
    uint8_t *tree;
    struct farm_run_input input;
    uint64_t software_ps = DEMAND_INSTRUCTIONS * instruction_ps;
    int status;

    if (!task->request->mesh->has_fabric || task->groups != NULL ||
        job_policy_levels(task) == 2 || units == 0 || units > UINT32_MAX ||
        compute_ps == 0 || compute_ps > PLANNER_TIME_MAX_PS) {
        return -1;
    }
    tree = job_policy(task)->tree(task);
    if (tree == NULL) {
        return -1;
    }
    input = (struct farm_run_input){
        .farm =
            rule_of(task, (uint32_t)units, compute_ps, call_ps, software_ps),
        .tree = tree,
        .startup_ps = profile->startup_ps,
        .hop_delay_ps = profile->hop_delay_ps,
        .byte_ps = profile->transfer_ps,
        .software_ps = software_ps,
        .run_ps = call_ps + RUN_INSTRUCTIONS * instruction_ps +
                  merge_ps(task, instruction_ps),
        .unit_bytes = task->originator->load.unit_bytes,
        .chunk_bytes = CIRCUIT_HEADER_BYTES + WIRE_CHUNK_BYTES +
                       terms->before_bytes + terms->after_bytes,
        .first_bytes = WIRE_JOB_BYTES,
        .demand_bytes = CIRCUIT_HEADER_BYTES + WIRE_DEMAND_BYTES,
        .result_bytes = CIRCUIT_HEADER_BYTES + 4 + tree_time_result_bytes(task),
        .output_bytes =
            terms->output_denominator == 0
                ? 0
                : (double)terms->output_numerator / terms->output_denominator,
        .store_and_forward = task->request->store_and_forward};
    tree_time_announce(input.announced_ps, task, tree);
    status = farm_run(run, &input) == ERR_OK ? 0 : -1;
    free(tree);
    return status;
}

/* Of the reference: an originator that is slow measured more. */
static uint64_t reference_ps(const struct wire_report *plan,
                             const struct job_task *task)
{
    uint32_t at = torus_index(task->request->size, task->originator->at);
    unsigned shift = request_slow_shift(task->request, at);
    uint64_t compute_ps = plan->compute_ps >> shift;

    return compute_ps > 0 ? compute_ps : 1;
}

/* Counts the nodes that the originator serves, itself included, and those that
   masters serve, as the order's tree has them. */
static void count_members(struct plan_job *input, const struct job_task *task)
{
    uint8_t *tree = job_policy(task)->tree(task);
    uint32_t nodes = tree != NULL ? tree_nodes(tree) : input->nodes;

    input->served = 0;
    for (uint32_t i = 0; tree != NULL && i < nodes; ++i) {
        input->served += tree_in_group(tree + TREE_BRANCH_BYTES * i);
    }
    input->nodes = nodes - input->served;
    free(tree);
}

/* Roughly, without outputs, of circuits over four ports. */
static uint64_t rough_ps(const struct job_task *task, uint32_t units,
                         uint64_t compute_ps, uint64_t call_ps,
                         uint64_t software_ps)
{
    struct plan_job input =
        rule_of(task, units, compute_ps, call_ps, software_ps);

    if (task->originator->terms.output_denominator > 0 ||
        task->request->store_and_forward ||
        task->request->ports < TORUS_PORTS) {
        return 0;
    }
    count_members(&input, task);
    return farm_makespan_ps(&input,
                            request_plan_profile(task->request)->startup_ps);
}

bool farm_time_plan(struct wire_report *plan, const struct job_task *task,
                    uint64_t units)
{
    uint64_t instruction_ps =
        task->request->mesh->has_images ? TREE_TIME_INSTRUCTION_PS : 0;
    uint64_t left = units - plan->measured_units;
    struct job_originator varying = *task->originator;
    struct job_task farm = *task;
    struct farm_run run;

    if (plan->makespan_ps > 0) {
        return false;
    }
    if (task->schedule.kind != SCHEDULE_FARM) {
        farm.schedule.kind = SCHEDULE_FARM;
        farm.originator = &varying;
        varying.terms.cost_varies = true;
    }
    if (farm_time(&run, &farm, left, reference_ps(plan, task), plan->call_ps,
                  instruction_ps) == 0) {
        plan->makespan_ps = run.makespan_ps;
    } else {
        plan->makespan_ps =
            rough_ps(&farm, (uint32_t)left, reference_ps(plan, task),
                     plan->call_ps, DEMAND_INSTRUCTIONS * instruction_ps);
    }
    return true;
}
