/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/originators.h"

#include "qemu/job/batches.h"
#include "qemu/job/collect.h"
#include "qemu/job/groups.h"
#include "qemu/job/rates.h"
#include "qemu/job/layers.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tasks ---- */

int originators_open(struct originators *originators,
                     const struct request *request,
                     const struct job_schedule *schedule, struct watch *watch)
{
    uint32_t count = request->originators;
    int status = 0;

    *originators = (struct originators){
        .count = count,
        .task = memory_or_exit(calloc(count, sizeof *originators->task)),
        .tree = memory_or_exit(calloc(count, sizeof *originators->tree)),
        .order = memory_or_exit(calloc(count, sizeof *originators->order))};
    for (uint32_t i = 0; i < count; ++i) {
        originators->task[i] =
            (struct job_task){.request = request,
                              .originator = &request->originator[i],
                              .schedule = *schedule,
                              .group = i,
                              .watch = watch};
    }
    if (count > 1) {
        originators->groups = groups_make(originators->task);
    }
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        status = job_order_tree(&originators->tree[i], &originators->task[i]);
    }
    if (status != 0) {
        originators_free(originators);
    }
    return status;
}

void originators_free(struct originators *originators)
{
    for (uint32_t i = 0; i < originators->count; ++i) {
        free(originators->tree[i]);
    }
    free(originators->tree);
    free(originators->task);
    free(originators->order);
    groups_free(originators->groups);
}

void originators_set_mesh(struct originators *originators,
                          const struct job_mesh *mesh)
{
    for (uint32_t i = 0; i < originators->count; ++i) {
        struct job_task *task = &originators->task[i];

        task->room_bytes = mesh->room_bytes;
        task->rate = rates_find(task, mesh->board);
    }
}

static bool fits(const struct job_task *task)
{
    const struct job_originator *originator = task->originator;
    uint64_t most = batches_memory_units(task);

    if (originator->load.units <= most) {
        return true;
    }
    fprintf(stderr,
            "quincunx: --originator '%u,%u=%s': has %" PRIu64
            " units; must have 1 to %" PRIu64
            ", as these boards' memory takes\n",
            originator->at.x, originator->at.y,
            quote_shown(originator->input_name), originator->load.units, most);
    return false;
}

bool originators_fit(const struct originators *originators)
{
    bool fit = true;

    if (originators->count == 1) {
        return batches_fit(&originators->task[0]);
    }
    for (uint32_t i = 0; fit && i < originators->count; ++i) {
        fit = fits(&originators->task[i]);
    }
    return fit;
}

/* ---- orders ---- */

int originators_order(struct originators *originators, struct job_mesh *mesh,
                      uint32_t index)
{
    uint32_t count = originators->count;
    struct mesh_order *orders = memory_or_exit(calloc(count, sizeof *orders));
    int status;

    for (uint32_t i = 0; i < count; ++i) {
        job_order_init(&originators->order[i], &originators->task[i],
                       originators->tree[i], index);
        orders[i] = originators->order[i].mesh;
    }
    status = mesh->ops->order(mesh, orders);
    for (uint32_t i = 0; i < count; ++i) {
        job_order_free(&originators->order[i]);
    }
    free(orders);
    return status;
}

/* ---- reports ---- */

static int read_report(struct outcome *outcome,
                       const struct originators *originators, uint32_t index,
                       const struct mesh_report *report)
{
    const struct job_task *task = &originators->task[index];
    const struct wire_order *order = &originators->order[index].wire;
    struct outcome_originator *originator = &outcome->originator[index];
    struct rounds_plan unused; /* of several originators no tables are shown */
    struct rounds_plan *rounds =
        originators->count == 1 ? &outcome->rounds : &unused;
    int status = job_order_report(originator, rounds, report, task);

    if (status == 0 && farm_plan(&originator->plan, task, order->load_units,
                                 originators->farm_end)) {
        outcome->became_farm = task->schedule.kind != SCHEDULE_FARM;
    }
    originator->at = task->originator->at;
    originator->input_name = task->originator->input_name;
    originator->load_units = order->load_units;
    originator->load_bytes = (uint64_t)order->load_units * order->unit_bytes;
    originator->nodes = groups_nodes(task);
    return status;
}

/* Reads all reports, also behind one of an originator that failed: each of
   these is named. */
static int read_reports(struct outcome *outcome,
                        const struct originators *originators,
                        const struct job_mesh *mesh)
{
    int status = 0;

    outcome->originators = originators->count;
    outcome->originator =
        memory_or_exit(calloc(originators->count, sizeof *outcome->originator));
    for (uint32_t i = 0; i < originators->count; ++i) {
        int failed = read_report(outcome, originators, i, &mesh->report[i]);

        status = failed != 0 ? failed : status;
    }
    return status;
}

/* Prints the nodes' states if one of them may be why an originator failed. */
static void explain_failures(const struct outcome *outcome,
                             struct job_mesh *mesh)
{
    for (uint32_t i = 0; mesh->ops->explain != NULL && i < outcome->originators;
         ++i) {
        if (outcome->originator[i].plan.error != ERR_OK) {
            mesh->ops->explain(mesh, outcome->originator[i].plan.error);
            return;
        }
    }
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Joins two plans to that of the mesh. The one that starts first says what
   goes on before. */
static struct wire_report join_plans(const struct wire_report *a,
                                     const struct wire_report *b)
{
    bool first = a->scatter_start_ps <= b->scatter_start_ps;
    struct wire_report both = first ? *a : *b;
    uint64_t start_ps = both.scatter_start_ps;

    both.ordered_ps =
        a->ordered_ps < b->ordered_ps ? a->ordered_ps : b->ordered_ps;
    both.phases = a->phases > b->phases ? a->phases : b->phases;
    both.phases_feasible = both.phases;
    both.rounds = a->rounds > b->rounds ? a->rounds : b->rounds;
    both.layers = false;
    both.measured_units = a->measured_units + b->measured_units;
    both.makespan_ps = 0; /* not known of one, so of both */
    if (a->makespan_ps > 0 && b->makespan_ps > 0) {
        both.makespan_ps = later(a->scatter_start_ps + a->makespan_ps,
                                 b->scatter_start_ps + b->makespan_ps) -
                           start_ps;
    }
    both.gather_done_ps = later(a->gather_done_ps, b->gather_done_ps);
    both.overhead_ps = later(a->overhead_ps, b->overhead_ps);
    return both;
}

static void set_plan(struct outcome *outcome)
{
    const struct outcome_originator *originator = outcome->originator;
    double compute_ps = 0;
    double units = 0;

    outcome->plan = originator[0].plan;
    for (uint32_t i = 1; i < outcome->originators; ++i) {
        outcome->plan = join_plans(&outcome->plan, &originator[i].plan);
    }
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        units += (double)originator[i].load_units;
        compute_ps += (double)originator[i].load_units *
                      (double)originator[i].plan.compute_ps;
    }
    if (outcome->originators > 1) {
        outcome->plan.compute_ps = (uint64_t)(compute_ps / units + 0.5);
    }
}

/* The whole load, and the originators' units that were measured. */
static void add_loads(struct outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        const struct outcome_originator *originator = &outcome->originator[i];
        uint32_t node = torus_index(outcome->request->size, originator->at);

        outcome->load_units += originator->load_units;
        outcome->load_bytes += originator->load_bytes;
        outcome->node[node].units += originator->plan.measured_units;
    }
}

/* A copy that others can be merged into. */
static struct kernel_result copy_result(const struct kernel_result *result,
                                        const struct job_task *task)
{
    struct kernel_result copy = *result;

    copy.data = memory_or_exit(
        malloc((size_t)task->originator->terms.result_bytes_max + 1));
    copy.output = memory_or_exit(malloc((size_t)result->output_bytes + 1));
    memcpy(copy.data, result->data, result->bytes);
    if (result->output_bytes > 0) {
        memcpy(copy.output, result->output, result->output_bytes);
    }
    return copy;
}

/* Joins the results and outputs in the order of the originators; those of a
   single one become the outcome's own. */
static int join_results(struct outcome *outcome, const struct job_task *task)
{
    struct outcome_originator *first = &outcome->originator[0];

    if (outcome->originators == 1) {
        outcome->result = first->result;
        first->result = (struct kernel_result){.data = NULL};
        return 0;
    }
    outcome->result = copy_result(&first->result, task);
    for (uint32_t i = 1; i < outcome->originators; ++i) {
        if (batches_merge(&outcome->result, &outcome->originator[i].result,
                          task) != 0) {
            fprintf(stderr,
                    "quincunx: kernel %s: the results of %s and %s cannot be "
                    "merged\n",
                    task->request->kernel->name, quote_shown(first->input_name),
                    quote_shown(outcome->originator[i].input_name));
            return EXIT_FAILED;
        }
    }
    return 0;
}

/* Whether the plan has its unit time from rates of earlier jobs. */
static bool plans_by_rates(const struct outcome *outcome,
                           const struct wire_order *order)
{
    return order->compute_ps > 0 && outcome->plan.measured_units == 0 &&
           outcome->originator[0].plan.compute_ps >= order->compute_ps;
}

int originators_read(struct outcome *outcome,
                     const struct originators *originators,
                     struct job_mesh *mesh)
{
    const struct job_task *first = &originators->task[0];
    const struct wire_order *order = &originators->order[0].wire;
    int status = read_reports(outcome, originators, mesh);

    if (status != 0) {
        explain_failures(outcome, mesh);
        return status;
    }
    set_plan(outcome);
    collect_begin(outcome, first);
    outcome->board = mesh->board;
    if (plans_by_rates(outcome, order)) {
        outcome->rate_from = rates_path(first->request->rates);
    }
    status = mesh->ops->collect(mesh, outcome, order);
    if (status != 0) {
        return status;
    }
    for (uint32_t i = 0; originators->groups != NULL && i < outcome->node_count;
         ++i) {
        outcome->node[i].group = originators->groups->of_node[i];
    }
    add_loads(outcome);
    layers_fill(outcome);
    return join_results(outcome, first);
}
