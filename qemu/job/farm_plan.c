/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/farm_plan.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "scatter/plan/farm.h"
#include "scatter/plan/tree.h"

#include <stdlib.h>

/* As in scatter/engine/farm.c: two circuits for each chunk. */
#define CIRCUITS 4u

/* Instructions of a board for a demand, roughly. */
#define DEMAND_INSTRUCTIONS 550u

/* Counts the nodes that the originator serves, itself included, and those that
   masters serve, as the order's tree has them. */
static void count_members(struct plan_job *input, const struct job_task *task)
{
    uint8_t *tree = job_policy(task)->tree(task);
    uint32_t nodes =
        tree != NULL ? tree_nodes(tree) : torus_nodes(task->request->size);

    for (uint32_t i = 0; tree != NULL && i < nodes; ++i) {
        input->served += tree_in_group(tree + TREE_BRANCH_BYTES * i);
    }
    input->nodes = nodes - input->served;
    free(tree);
}

/* Returns a rough makespan, without outputs, of circuits over four ports. */
static uint64_t rough_ps(const struct job_task *farm, uint64_t compute_ps)
{
    const struct request *request = farm->request;
    const struct format_load *load = &farm->originator->load;
    const struct profile *profile = request_plan_profile(request);
    uint64_t circuits_ps = CIRCUITS * profile->startup_ps / request->ports;
    uint64_t software_ps = request->mesh->has_images
                               ? DEMAND_INSTRUCTIONS * JOB_INSTRUCTION_PS
                               : 0;
    uint64_t demand_ps = software_ps > circuits_ps ? software_ps : circuits_ps;
    struct plan_job input = {
        .compute_ps = compute_ps,
        .transfer_ps = profile->transfer_ps * load->unit_bytes,
        .demand_ps = demand_ps < UINT32_MAX ? demand_ps : UINT32_MAX,
        .load_units = (uint32_t)load->units,
        .ports = request->ports};

    if (farm->originator->terms.output_denominator > 0 ||
        request->store_and_forward || request->ports < TORUS_PORTS) {
        return 0;
    }
    count_members(&input, farm);
    return farm_makespan_ps(&input, profile->startup_ps);
}

bool farm_plan(struct wire_report *plan, const struct job_task *task,
               uint64_t units, farm_end *end)
{
    struct job_originator originator = *task->originator;
    struct job_task farm = *task;
    /* A slow originator measured more. */
    uint64_t compute_ps = plan->compute_ps >> job_task_slow_shift(task);
    struct job_rate rate = {.compute_ps = compute_ps > 0 ? compute_ps : 1,
                            .call_ps = plan->call_ps};

    if (plan->makespan_ps > 0) {
        return false;
    }
    farm.originator = &originator;
    originator.load.units = units - plan->measured_units;
    if (task->schedule.kind != SCHEDULE_FARM) {
        farm.schedule.kind = SCHEDULE_FARM;
        originator.terms.cost_varies = true;
    }
    if (task->groups != NULL || !task->request->mesh->has_fabric) {
        plan->makespan_ps = rough_ps(&farm, rate.compute_ps);
    } else if (end != NULL && originator.load.units > 0) {
        if (task->schedule.kind == SCHEDULE_FARM) {
            originator.load.units = units; /* of which as many are measured */
        }
        plan->makespan_ps = end(&farm, rate);
    }
    return true;
}
