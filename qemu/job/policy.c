/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/policy.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/base/memory.h"
#include "scatter/plan/farm.h"
#include "scatter/plan/tree_rounds.h"
#include "scatter/wire/wire.h"

#include <stdlib.h>

/* A farm on at least this many nodes has masters, which serve the nodes near
   them. */
#define MASTERS_NODES 100u

/* Returns whether the mesh suits the pattern (torus/pattern.h) if no node and
   link is dead: 5^k x 5^k nodes of equal speed, four ports, no store and
   forward. */
static bool suits_pattern(const struct job_task *task)
{
    return torus_phases(task->request->size) >= 0 &&
           task->request->ports == TORUS_PORTS &&
           !task->request->store_and_forward &&
           task->request->slow_shift == NULL;
}

static bool has_pattern(const struct job_task *task)
{
    return suits_pattern(task) && task->holes == NULL;
}

/* Returns whether the job is a farm, or its order lets it become one. */
static bool may_ask(const struct job_task *task)
{
    return task->schedule.kind == SCHEDULE_FARM ||
           task->schedule.kind == SCHEDULE_HYBRID ||
           task->schedule.reserve == WIRE_BEST;
}

bool job_policy_has_masters(const struct job_task *task)
{
    return task->request->mesh->has_fabric && task->group_of_node == NULL &&
           task->request->originators == 1 &&
           task->originator->terms.output_denominator == 0;
}

unsigned job_policy_levels(const struct job_task *task)
{
    if (task->schedule.levels != 0) {
        return task->schedule.levels;
    }
    return torus_nodes(task->request->size) >= MASTERS_NODES &&
                   job_policy_has_masters(task)
               ? 2
               : 1;
}

uint8_t *job_policy_tree(const struct job_task *task)
{
    uint32_t nodes = torus_nodes(task->request->size);
    bool *member = memory_or_exit(calloc(nodes, sizeof *member));
    struct schedule_nodes to = {
        .size = task->request->size,
        .originator = task->originator->at,
        .member = task->group_of_node != NULL ? member : NULL,
        .slow_shift = task->request->slow_shift,
        .holes = task->holes,
        .direct = may_ask(task),
        .masters = task->schedule.kind == SCHEDULE_FARM &&
                   task->group_of_node == NULL && job_policy_levels(task) == 2};
    uint8_t *tree;

    for (uint32_t i = 0; task->group_of_node != NULL && i < nodes; ++i) {
        member[i] = task->group_of_node[i] == task->group;
    }
    tree = schedule_tree(task->schedule.kind, &to);
    free(member);
    return tree;
}

static uint64_t tree_bytes(const struct job_task *task)
{
    uint32_t nodes = torus_nodes(task->request->size);
    /* Each round but the first has a table of all nodes' units. On other nodes
       than the originator a table has a header and up to 7 bytes of padding. */
    uint64_t tables = (uint64_t)ROUNDS_MAX * (4u * TREE_ROUND_WORDS(nodes) +
                                              CIRCUIT_HEADER_BYTES + 8u);

    return 2 * TREE_BRANCH_BYTES * nodes + tree_work_bytes(nodes) +
           16u * (TREE_PHASES_MAX + 1u) +
           (task->schedule.rounds == 1 ? 0 : tables + tree_rounds_bytes(nodes));
}

/* Returns the length of a farm's state and log, bytes. A tail has these, too.
 */
static uint64_t hybrid_bytes(const struct job_task *task)
{
    uint32_t nodes = torus_nodes(task->request->size);
    uint32_t room = (uint32_t)job_task_room_bytes(task);

    return 56u * nodes + 1024u + FARM_LOG_BYTES * farm_log_most(nodes, room);
}

static uint64_t farm_bytes(const struct job_task *task)
{
    return 2 * TREE_BRANCH_BYTES * torus_nodes(task->request->size) +
           hybrid_bytes(task);
}

static const struct job_policy policies[] = {{.id = WIRE_PATTERN,
                                              .schedule = SCHEDULE_PETERS_SYSKA,
                                              .on_pattern = true,
                                              .counts_phases = true},
                                             {.id = WIRE_PATTERN,
                                              .schedule = SCHEDULE_HYBRID,
                                              .on_pattern = true,
                                              .counts_phases = true,
                                              .plan_bytes = hybrid_bytes},
                                             {.id = WIRE_FARM,
                                              .schedule = SCHEDULE_FARM,
                                              .has_tree = true,
                                              .plan_bytes = farm_bytes},
                                             {.id = WIRE_TREE,
                                              .schedule = SCHEDULES,
                                              .has_tree = true,
                                              .plan_bytes = tree_bytes}};

bool job_policy_has(const struct job_task *task)
{
    return task->schedule.kind != SCHEDULE_HYBRID || suits_pattern(task);
}

const struct job_policy *job_policy(const struct job_task *task)
{
    const struct job_policy *row = policies;

    while (row->schedule != SCHEDULES &&
           (row->schedule != task->schedule.kind ||
            (row->on_pattern && !has_pattern(task)))) {
        row += 1;
    }
    return row;
}
