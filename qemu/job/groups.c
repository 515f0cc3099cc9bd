/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/groups.h"

#include "qemu/job/policy.h"
#include "qemu/base/memory.h"
#include "scatter/plan/tree_rounds.h"
#include "scatter/wire/wire.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#define NO_GROUP UINT16_MAX

/* While n nodes are free, the originator that takes nodes next takes 1 + n /
   AT_ONCE of them. */
#define AT_ONCE 64u

/* Largest mesh, in nodes, on which groups exchange nodes to shorten the queues
   of sends at ports. On a larger mesh one send more in a queue does not
   matter. */
#define EXCHANGE_NODES_MAX 100u

/* ---- when a group ends ---- */

#define SENDS_MAX 768u

/* A unit is planned with a compute time above its transfer time / 2^RATIO_BITS.
   Planners require at least 2^-16 of it (scatter/plan/job.h). */
#define RATIO_BITS 15u

static uint64_t planned_unit_ps(uint64_t transfer_ps, double compute_ps)
{
    uint64_t least_ps = (transfer_ps >> RATIO_BITS) + 1;
    uint64_t unit_ps = compute_ps < (double)PLANNER_TIME_MAX_PS
                           ? (uint64_t)compute_ps
                           : PLANNER_TIME_MAX_PS;

    return unit_ps > least_ps ? unit_ps : least_ps;
}

/* Returns the bytes of a message without its units: header, job, halo and, if
   units have outputs, 8 bytes for each phase in which outputs may return. */
static uint64_t head_bytes_of(const struct job_task *task, const uint8_t *tree)
{
    uint64_t bytes = CIRCUIT_HEADER_BYTES + WIRE_JOB_BYTES +
                     task->originator->terms.before_bytes +
                     task->originator->terms.after_bytes;

    return task->originator->terms.output_denominator > 0
               ? bytes + 8u * (tree_last_phase(tree) + 1u)
               : bytes;
}

static struct plan_job input_of(const struct job_task *task,
                                const uint8_t *tree)
{
    const struct profile *profile = request_plan_profile(task->request);
    uint64_t transfer_ps =
        profile->transfer_ps * task->originator->load.unit_bytes;
    uint64_t units = task->originator->load.units;

    return (struct plan_job){
        .load_units =
            (uint32_t)(units < PLANNER_UNITS_MAX ? units : PLANNER_UNITS_MAX),
        .compute_ps = planned_unit_ps(transfer_ps, job_task_unit_ps(task)),
        .transfer_ps = transfer_ps,
        .circuit_ps = {.startup =
                           profile->startup_ps +
                           profile->transfer_ps * head_bytes_of(task, tree),
                       .hop = profile->hop_delay_ps,
                       .branch = profile->transfer_ps * TREE_BRANCH_BYTES},
        .ports = task->request->ports,
        .store_and_forward = task->request->store_and_forward,
        .sends_max = SENDS_MAX,
        .equal = schedule_is_equal(task->schedule.kind)};
}

/* Replaces the makespan of one round by that of several rounds. Keeps it if
   several rounds are infeasible or, with WIRE_BEST, not shorter. */
static void plan_rounds(uint64_t *makespan_ps, const struct job_task *task,
                        const struct plan_job *input, uint8_t *tree, void *work)
{
    uint32_t nodes = tree_nodes(tree);
    bool best = task->schedule.rounds == WIRE_BEST;
    uint64_t begin_ps[ROUNDS_MAX];
    uint64_t several_ps = *makespan_ps;
    struct tree_rounds tried = {
        .least = best ? 2 : task->schedule.rounds,
        .most = best ? ROUNDS_MAX : task->schedule.rounds,
        .tables = memory_or_exit(
            malloc(ROUNDS_MAX * TREE_ROUND_WORDS(nodes) * sizeof(uint32_t))),
        .begin_ps = begin_ps,
        .memory = memory_or_exit(malloc(tree_rounds_bytes(nodes)))};

    if (tree_rounds_plan(tree, &tried, &several_ps, input, work) > 1) {
        *makespan_ps = several_ps;
    }
    free(tried.memory);
    free(tried.tables);
}

static uint64_t planned_ps(const struct job_task *task, uint8_t *tree)
{
    struct plan_job input = input_of(task, tree);
    void *work = memory_or_exit(malloc(tree_work_bytes(tree_nodes(tree))));
    uint64_t makespan_ps;
    unsigned phases;

    if (tree_plan(tree, &input, work, &makespan_ps, &phases) != ERR_OK) {
        makespan_ps = 0;
    } else if (task->schedule.rounds != 1 && !input.equal) {
        plan_rounds(&makespan_ps, task, &input, tree, work);
    }
    free(work);
    return (uint64_t)((double)task->originator->load.units / input.load_units *
                      (double)makespan_ps);
}

/* Returns when a task's group is planned to end, ps. Without a plan the
   originator computes alone. Nodes' software is planned to take no time, which
   made no difference on 25 boards with loads of 20 kB and more. */
static uint64_t end_ps(const struct job_task *task)
{
    uint8_t *tree = job_policy_tree(task);
    uint64_t planned = 0;

    if (tree != NULL && task->originator->load.units > 0) {
        planned = planned_ps(task, tree);
    }
    free(tree);
    return planned > 0 ? planned
                       : (uint64_t)((double)task->originator->load.units *
                                    job_task_unit_ps(task));
}

/* ---- who gets the next node ---- */

/* Returns a distance by which nodes are sorted: that of a node from a group's
   originator. Of equally distant nodes, the one farther from the nearest other
   originator has the smaller value. */
static uint32_t distance(const struct request *request, uint32_t group,
                         struct torus_coord at)
{
    struct torus_size size = request->size;
    uint32_t most = size.width + size.height;
    uint32_t own = 0;
    uint32_t others = most;

    for (uint32_t i = 0; i < request->originators; ++i) {
        uint32_t hops =
            torus_hops(size, torus_away(size, request->originator[i].at, at));

        if (i == group) {
            own = hops;
        } else if (hops < others) {
            others = hops;
        }
    }
    return own * 2 * most + most - others;
}

static uint32_t nearest(const uint16_t *of_node, const struct request *request,
                        uint32_t group)
{
    uint32_t best = UINT32_MAX;
    uint32_t node = 0;

    for (uint32_t i = 0; i < torus_nodes(request->size); ++i) {
        uint32_t far;

        if (of_node[i] != NO_GROUP) {
            continue;
        }
        far = distance(request, group, torus_coord_of(request->size, i));
        if (far < best) {
            best = far;
            node = i;
        }
    }
    return node;
}

static uint32_t latest(const uint64_t ends_ps[], uint32_t count)
{
    uint32_t last = 0;

    for (uint32_t i = 1; i < count; ++i) {
        last = ends_ps[i] > ends_ps[last] ? i : last;
    }
    return last;
}

/* ---- groups ---- */

static uint16_t *make_alone(const struct request *request)
{
    uint32_t nodes = torus_nodes(request->size);
    uint16_t *of_node = memory_or_exit(calloc(nodes, sizeof *of_node));

    for (uint32_t i = 0; i < nodes; ++i) {
        of_node[i] = NO_GROUP;
    }
    for (uint32_t i = 0; i < request->originators; ++i) {
        of_node[torus_index(request->size, request->originator[i].at)] =
            (uint16_t)i;
    }
    return of_node;
}

static void deal_out(uint16_t *of_node, const struct job_task task[])
{
    const struct request *request = task[0].request;
    uint32_t count = request->originators;
    uint32_t left = torus_nodes(request->size) - count;
    uint64_t *ends_ps = memory_or_exit(calloc(count, sizeof *ends_ps));

    for (uint32_t i = 0; i < count; ++i) {
        ends_ps[i] = end_ps(&task[i]);
    }
    while (left > 0) {
        uint32_t group = latest(ends_ps, count);

        for (uint32_t i = 1 + left / AT_ONCE; i > 0; --i) {
            of_node[nearest(of_node, request, group)] = (uint16_t)group;
            left -= 1;
        }
        ends_ps[group] = end_ps(&task[group]);
    }
    free(ends_ps);
}

/* ---- queues of equal length ---- */

/* Returns how many sends the longest queue at a port of the task's originator
   has. */
static unsigned longest(const struct job_task *task)
{
    uint8_t *tree = job_policy_tree(task);
    unsigned last = tree != NULL ? tree_last_phase(tree) : UINT_MAX;

    free(tree);
    return last;
}

static void swap(uint16_t *of_node, uint32_t a, uint32_t b)
{
    uint16_t group = of_node[a];

    of_node[a] = of_node[b];
    of_node[b] = group;
}

/* Returns whether it pays to exchange nodes a and b of different groups: the
   longest queue at a port of a's originator becomes shorter, and that of b's
   originator no longer. */
static bool gains(const struct job_task task[], uint16_t *of_node, uint32_t a,
                  uint32_t b)
{
    const struct job_task *first = &task[of_node[a]];
    const struct job_task *second = &task[of_node[b]];
    unsigned before = longest(first);
    unsigned others = longest(second);
    bool better;

    swap(of_node, a, b);
    better = longest(first) < before && longest(second) <= others;
    swap(of_node, a, b);
    return better;
}

static bool is_originator(const uint16_t *of_node,
                          const struct request *request, uint32_t node)
{
    struct torus_coord at = request->originator[of_node[node]].at;

    return torus_index(request->size, at) == node;
}

/* Exchanges two nodes of different groups if that shortens a queue at a port.
   Returns whether there were two. */
static bool shorten(uint16_t *of_node, const struct job_task task[])
{
    const struct request *request = task[0].request;
    uint32_t nodes = torus_nodes(request->size);

    for (uint32_t a = 0; a < nodes; ++a) {
        for (uint32_t b = 0; b < nodes; ++b) {
            if (of_node[a] != of_node[b] &&
                !is_originator(of_node, request, a) &&
                !is_originator(of_node, request, b) &&
                gains(task, of_node, a, b)) {
                swap(of_node, a, b);
                return true;
            }
        }
    }
    return false;
}

uint16_t *groups_make(struct job_task task[])
{
    const struct request *request = task[0].request;
    uint16_t *of_node = make_alone(request);

    for (uint32_t i = 0; i < request->originators; ++i) {
        task[i].group_of_node = of_node;
        task[i].holes = NULL;
    }
    deal_out(of_node, task);
    while (torus_nodes(request->size) <= EXCHANGE_NODES_MAX &&
           shorten(of_node, task)) {
    }
    for (uint32_t i = 0; i < request->originators; ++i) {
        task[i].holes = request->holes;
    }
    return of_node;
}
