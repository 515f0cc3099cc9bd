/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/order.h"

#include "qemu/job/batches.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "qemu/job/proofs.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tree ---- */

static int complain_tree(const struct job_task *task)
{
    fprintf(stderr,
            "quincunx: --schedule %s: has no tree of at most %u phases on a "
            "%ux%u torus\n",
            schedule_name(task->schedule.kind), TREE_PHASES_MAX,
            task->request->size.width, task->request->size.height);
    return EXIT_FAILED;
}

int job_order_open(struct job_order *order, const struct job_task *task)
{
    if (!job_policy(task)->has_tree) {
        return 0;
    }
    order->tree = job_policy_tree(task);
    if (order->tree != NULL) {
        return 0;
    }
    return task->request->program != NULL ? EXIT_FAILED : complain_tree(task);
}

/* Goes down a stored tree from a branch, whose node is at `at`. */
static void mark(bool member[], struct torus_size size, const uint8_t *branch,
                 struct torus_coord at)
{
    const uint8_t *end = tree_next(branch);
    const uint8_t *child = branch + TREE_BRANCH_BYTES;

    member[torus_index(size, at)] = true;
    for (; child < end; child = tree_next(child)) {
        mark(member, size, child, torus_path_end(size, at, tree_path(child)));
    }
}

void job_order_members(bool member[], const struct job_order *order,
                       const struct job_task *task)
{
    mark(member, task->request->size, order->tree, task->originator->at);
}

/* ---- the order ---- */

static uint8_t flags_of(const struct job_task *task)
{
    unsigned flags = 0;

    if (task->request->store_and_forward) {
        flags |= WIRE_STORE_AND_FORWARD;
    }
    if (schedule_is_equal(task->schedule.kind)) {
        flags |= WIRE_EQUAL_SHARES;
    }
    return (uint8_t)flags;
}

static uint8_t phases_of(const struct job_task *task)
{
    return torus_nodes(task->request->size) > 1 ||
                   task->schedule.phases != WIRE_BEST
               ? task->schedule.phases
               : 0;
}

/* Returns the order's number of rounds. A farm's order has its installment (how
   small chunks are) in this field. */
static uint8_t rounds_of(const struct job_task *task)
{
    if (task->schedule.kind != SCHEDULE_FARM) {
        return task->schedule.rounds;
    }
    return task->schedule.installment != 0 ? task->schedule.installment
                                           : WIRE_BEST;
}

static uint8_t reserve_of(const struct job_task *task)
{
    if (task->schedule.kind != SCHEDULE_HYBRID) {
        return task->schedule.reserve == WIRE_BEST ? WIRE_BEST : 0;
    }
    return task->schedule.reserve != 0 ? task->schedule.reserve : WIRE_BEST;
}

/* Returns the number that marks all messages of job `index`. It is never 0,
   which is CIRCUIT_ANY_JOB. */
static uint16_t identity_of(uint64_t index)
{
    return (uint16_t)(1 + index % UINT16_MAX);
}

static struct wire_order wire_of(const struct job_task *task,
                                 struct wire_range range)
{
    const struct format_load *load = &task->originator->load;
    const struct kernel_range with_halo = job_task_range(task, range);
    uint64_t left = load->units - range.first_unit;
    bool survives = task->request->mesh->renew == NULL;
    unsigned more = left > range.units || survives ? WIRE_MORE : 0;
    const struct profile *profile = request_plan_profile(task->request);
    struct wire_order order = {.startup_ps = profile->startup_ps,
                               .transfer_ps = profile->transfer_ps,
                               .hop_delay_ps = profile->hop_delay_ps,
                               .load_units = range.units,
                               .unit_bytes = load->unit_bytes,
                               .first_unit = range.first_unit,
                               .whole_units = (uint32_t)load->units,
                               .before_bytes = with_halo.before_bytes,
                               .after_bytes = with_halo.after_bytes,
                               .phases = phases_of(task),
                               .rounds = rounds_of(task),
                               .reserve = reserve_of(task),
                               .ports = task->request->ports,
                               .flags = (flags_of(task) | more) & 0xfu,
                               .compute_ps = task->rate.compute_ps,
                               .call_ps = task->rate.call_ps,
                               .check_load = proofs_wanted(task),
                               .arg_bytes = load->arg_bytes,
                               .arg = load->arg};

    strncpy(order.kernel, task->request->kernel->name, WIRE_NAME_BYTES - 1);
    return order;
}

void job_order_init(struct job_order *order, const struct job_task *task,
                    uint32_t number, struct wire_range range)
{
    struct wire_order *wire = &order->wire;
    uint32_t head_bytes;

    *wire = wire_of(task, range);
    wire->tree = order->tree;
    wire->tree_nodes =
        order->tree != NULL ? (uint16_t)tree_nodes(order->tree) : 0;
    wire->policy = job_policy(task)->id & 0xfu;
    head_bytes = wire_order_head_bytes(wire);
    order->head = memory_or_exit(realloc(order->head, head_bytes));
    wire_order_store(order->head, wire);
    order->mesh = (struct mesh_order){
        .job = identity_of(task->group + (uint64_t)number),
        .kind = task->calls ? CIRCUIT_KIND_CALL : WIRE_ORDER,
        .head = order->head,
        .head_bytes = head_bytes,
        .load_bytes = (uint32_t)wire_order_load_bytes(wire),
        .more = (wire->flags & WIRE_MORE) != 0};
    order->mesh.load = format_piece(
        &task->originator->load,
        (uint64_t)wire->first_unit * wire->unit_bytes - wire->before_bytes);
}

void job_order_close(struct job_order *order)
{
    free(order->tree);
    free(order->head);
}
