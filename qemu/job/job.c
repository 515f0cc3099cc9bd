/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/job.h"

#include "qemu/fabric/watch.h"
#include "qemu/job/batches.h"
#include "qemu/job/groups.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/order.h"
#include "qemu/job/originators.h"
#include "qemu/job/rates.h"
#include "qemu/job/timeline.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A running job. Several originators work at the same time, each with its group
   of nodes. */
struct job {
    uint32_t originators;
    struct job_task *task;
    struct job_order *order;
    uint16_t *group_of_node; /* NULL: one originator serves all nodes */
    struct job_mesh *mesh;
    struct checkpoint *checkpoint; /* or NULL */
    uint32_t orders;               /* number of orders given */
    /* that the last orders went around; or NULL */
    struct schedule_holes *holes;
};

/* ---- batches ---- */

static struct outcome_batch *new_batch(struct outcome *outcome)
{
    outcome->batch = memory_or_exit(realloc(
        outcome->batch, (outcome->batch_count + 1u) * sizeof *outcome->batch));
    return &outcome->batch[outcome->batch_count++];
}

static void record_batch(struct outcome *outcome, const struct outcome *next)
{
    struct outcome_batch *batch = new_batch(outcome);

    batch->units = next->load_units;
    batch->planned_ps = outcome_planned_ps(next);
    batch->makespan_ps = outcome_makespan_ps(next);
    batch->with_results_ps = outcome_with_results_ps(next);
    batch->computing_ps = outcome_computing_ps(next);
    batch->ports_ps = outcome_ports_ps(next);
    batch->calls_ps = outcome_calls_ps(next);
    batch->preparing = outcome_preparing(next);
    batch->rate = outcome_batch_rate(next);
    timeline_sha256(next, batch->timeline);
}

/* Makes the outcome that of its first batch, and adds the batches that it
   resumes. Then *next keeps its result, which must be merged. */
static void begin_outcome(struct outcome *outcome, struct outcome *next)
{
    const struct outcome before = *outcome;

    *outcome = *next;
    record_batch(outcome, next);
    if (before.resumed > 0) {
        outcome->resumed = before.resumed;
        *new_batch(outcome) = *before.batch;
        outcome->load_bytes +=
            before.batch->units * (outcome->load_bytes / outcome->load_units);
        outcome->load_units += before.batch->units;
        outcome->result = before.result;
        *next = (struct outcome){.result = next->result, .batch = before.batch};
    }
}

/* Adds what a further order took: of the next batch, or of a wave. */
static void add_figures(struct outcome *outcome, const struct outcome *next)
{
    /* these count from the start of the job, not of the batch */
    outcome->conflicts = next->conflicts;
    outcome->retries += next->retries;
    outcome->retransmissions += next->retransmissions;
    outcome->counts_nodes = outcome->counts_nodes || next->counts_nodes;
    outcome->messages += next->messages;
    outcome->payload_bytes += next->payload_bytes;
    outcome->run_wall_s += next->run_wall_s;
    outcome->waves += next->waves;
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

static int merge(struct kernel_result *into, const struct kernel_result *next,
                 const struct job_task *task)
{
    if (batches_merge(into, next, task) == 0) {
        return 0;
    }
    fprintf(stderr,
            "quincunx: kernel %s: results of batches cannot be merged\n",
            task->request->kernel->name);
    return EXIT_FAILED;
}

static int add_batch(struct outcome *outcome, struct outcome *next,
                     const struct job_task *task)
{
    int status;

    if (outcome->batch_count > 0) {
        record_batch(outcome, next);
        outcome->load_units += next->load_units;
        outcome->load_bytes += next->load_bytes;
        add_figures(outcome, next);
    } else {
        begin_outcome(outcome, next);
        if (outcome->resumed == 0) {
            return 0;
        }
    }
    status = merge(&outcome->result, &next->result, task);
    outcome_free(next);
    return status;
}

static int send_orders(struct job *job, struct wire_range range)
{
    struct mesh_order *orders =
        memory_or_exit(calloc(job->originators, sizeof *orders));
    int status;

    for (uint32_t i = 0; i < job->originators; ++i) {
        /* Only a single originator has batches and waves. */
        struct wire_range all = {0,
                                 (uint32_t)job->task[i].originator->load.units};

        job_order_init(&job->order[i], &job->task[i], job->orders,
                       job->originators > 1 ? all : range);
        orders[i] = job->order[i].mesh;
        /* nodes keep their rates for later batches */
        job->task[i].rate = (struct job_rate){.units = 0};
    }
    job->orders += 1;
    status = job->mesh->ops->order(job->mesh, orders);
    free(orders);
    return status;
}

static int run_order(struct outcome *outcome, struct job *job,
                     struct wire_range range)
{
    struct job_mesh *mesh = job->mesh;
    double start_s = host_clock_s(host_clock());
    int status;

    watch_stage(job->task[0].watch, WATCH_RUNNING);
    status = send_orders(job, range);
    watch_stage(job->task[0].watch, WATCH_COLLECTING);
    if (status == 0) {
        bool booted = mesh->up_wall_s > start_s;

        outcome->run_wall_s =
            host_clock_s(host_clock()) - (booted ? mesh->up_wall_s : start_s);
        status = originators_read(outcome, job->task, job->order, mesh);
    }
    if (status != 0) {
        outcome_free(outcome);
    }
    return status;
}

/* ---- ranges that nodes lost ---- */

/* Most waves in a row that compute nothing: each may meet a new fault. */
#define VAIN_WAVES 64u

/* Ranges that are to be computed, the next one last. */
struct todo {
    struct wire_range *range;
    uint32_t count;
};

/* Returns whether lost ranges can be computed again; if not, after a message.
 */
static bool can_recover(const struct job *job, const struct outcome *outcome)
{
    bool lost = false;

    for (uint32_t i = 0; i < job->originators; ++i) {
        lost = lost || outcome->originator[i].plan.ranges > 0;
    }
    if (lost && (job->originators > 1 || job->mesh->ops->add_holes == NULL)) {
        fprintf(stderr,
                "quincunx: nodes were lost, and their ranges with them; only a "
                "job of one originator on an emulated mesh without serial "
                "ports computes these again\n");
        return false;
    }
    return true;
}

static int by_first_unit(const void *a, const void *b)
{
    const struct wire_range *one = a;
    const struct wire_range *other = b;

    return (one->first_unit < other->first_unit) -
           (one->first_unit > other->first_unit);
}

/* Adds the ranges that an order lacks, adjacent ones as one. */
static void add_missing(struct todo *todo, struct outcome *outcome)
{
    struct outcome_originator *originator = &outcome->originator[0];
    uint32_t count = originator->plan.ranges;
    struct wire_range *last = NULL;

    qsort(originator->missing, count, sizeof *last, by_first_unit);
    todo->range = memory_or_exit(
        realloc(todo->range, (todo->count + count + 1u) * sizeof *todo->range));
    for (uint32_t i = 0; i < count; ++i) {
        struct wire_range range = originator->missing[i];

        if (last != NULL &&
            range.first_unit + range.units == last->first_unit) {
            last->first_unit = range.first_unit;
            last->units += range.units;
        } else {
            last = &todo->range[todo->count++];
            *last = range;
        }
    }
}

/* Plans around all nodes and links that died so far, from the next order on. */
static int go_around(struct job *job)
{
    struct job_task *task = &job->task[0];
    const struct schedule_holes *before = task->request->holes;
    const struct torus_coord here = {0, 0};

    schedule_holes_free(job->holes);
    job->holes = before != NULL ? schedule_holes_from(before, here)
                                : schedule_holes_new(task->request->size);
    job->mesh->ops->add_holes(job->mesh, job->holes);
    task->holes = job->holes;
    task->calls = true;
    task->schedule = (struct job_schedule){.kind = SCHEDULE_PETERS_SYSKA,
                                           .phases = WIRE_BEST,
                                           .rounds = WIRE_BEST};
    job_order_close(&job->order[0]);
    job->order[0] = (struct job_order){.tree = NULL};
    return job_order_open(&job->order[0], task);
}

/* Adds a wave, an order for a range that was lost, to its batch. */
static int add_wave(struct outcome *batch, struct outcome *wave,
                    const struct job_task *task)
{
    struct outcome_originator *whole = &batch->originator[0];
    const struct outcome_originator *part = &wave->originator[0];
    int status = 0;

    add_figures(batch, wave);
    batch->waves += 1;
    batch->lost_units += part->load_units;
    batch->recovery_ps =
        part->plan.scatter_start_ps + outcome_makespan_ps(wave) -
        whole->plan.scatter_start_ps - outcome_makespan_ps(batch);
    if (part->missing_units < part->load_units &&
        whole->missing_units < whole->load_units) {
        status = merge(&batch->result, &wave->result, task);
    } else if (part->missing_units < part->load_units) {
        struct kernel_result none = batch->result;

        batch->result = wave->result;
        wave->result = none;
    }
    whole->missing_units -= part->load_units - part->missing_units;
    outcome_free(wave);
    return status;
}

static int run_batch(struct outcome *outcome, struct job *job,
                     struct wire_range range)
{
    struct todo todo = {.count = 0};
    unsigned vain = 0; /* number of waves without a result, one by one */
    int status = run_order(outcome, job, range);

    if (status == 0 && !can_recover(job, outcome)) {
        outcome_free(outcome);
        return EXIT_FAILED;
    }
    if (status == 0) {
        add_missing(&todo, outcome);
    }
    while (status == 0 && todo.count > 0) {
        struct outcome wave = {.batch_count = 0};

        status = go_around(job);
        if (status == 0) {
            status = run_order(&wave, job, todo.range[--todo.count]);
        }
        if (status == 0) {
            vain = wave.originator[0].missing_units ==
                           wave.originator[0].load_units
                       ? vain + 1
                       : 0;
            add_missing(&todo, &wave);
            status = add_wave(outcome, &wave, &job->task[0]);
        }
        if (status == 0 && vain > VAIN_WAVES) {
            fprintf(stderr,
                    "quincunx: %u units cannot be computed: %u orders for them "
                    "came back without a result\n",
                    todo.range[todo.count - 1].units, vain);
            status = EXIT_FAILED;
        }
        if (status != 0) {
            outcome_free(outcome);
        }
    }
    free(todo.range);
    return status;
}

static int run_batches(struct outcome *outcome, struct job *job)
{
    const struct job_task *task = &job->task[0];
    uint32_t count = batches_count(task);
    int status = 0;

    for (uint32_t i = outcome->resumed; status == 0 && i < count; ++i) {
        struct outcome next = {.batch_count = 0};

        if (count > 1) {
            progress_within(1, "batch %u of %u", i + 1, count);
        }
        watch_batch(task->watch, i, count);
        status = run_batch(&next, job, batches_range(task, i));
        if (status != 0) {
            checkpoint_save(job->checkpoint, outcome, true);
            return status;
        }
        status = add_batch(outcome, &next, task);
        if (status == 0 && i + 1 < count) {
            checkpoint_save(job->checkpoint, outcome, false);
        }
    }
    return status;
}

/* ---- the job ---- */

static void close_job(struct job *job)
{
    for (uint32_t i = 0; i < job->originators; ++i) {
        job_order_close(&job->order[i]);
    }
    schedule_holes_free(job->holes);
    free(job->order);
    free(job->task);
    free(job->group_of_node);
}

/* Divides the mesh among the originators and makes each one's tree. Returns 0,
   or an exit status after a message. The caller closes the job in both
   cases. */
static int open_job(struct job *job, const struct job_task *task)
{
    uint32_t count = task->request->originators;
    int status = 0;

    *job = (struct job){
        .originators = count,
        .task = memory_or_exit(calloc(count, sizeof *job->task)),
        .order = memory_or_exit(calloc(count, sizeof *job->order))};
    for (uint32_t i = 0; i < count; ++i) {
        job->task[i] = *task;
        job->task[i].originator = &task->request->originator[i];
        job->task[i].group = i;
    }
    if (count > 1) {
        job->group_of_node = groups_make(job->task);
    }
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        status = job_order_open(&job->order[i], &job->task[i]);
    }
    return status;
}

static int run_all(struct outcome *outcome, struct job *job, double start_s)
{
    struct job_mesh *mesh = job->mesh;
    bool fit = true;
    int status;

    for (uint32_t i = 0; fit && i < job->originators; ++i) {
        job->task[i].room_bytes = mesh->room_bytes;
        job->task[i].rate = rates_find(&job->task[i], mesh->board);
        fit = batches_fit(&job->task[i]);
    }
    status = fit ? checkpoint_begin(job->checkpoint, outcome, &job->task[0],
                                    mesh->image_crc)
                 : EXIT_FAILED;
    status = status == 0 ? run_batches(outcome, job) : status;
    if (status != 0) {
        outcome_free(outcome);
    }
    if (status == 0 && mesh->ops->add_rank_times != NULL) {
        mesh->ops->add_rank_times(mesh, outcome);
    }
    outcome->boot_wall_s = mesh->up_wall_s - start_s;
    mesh->ops->close(mesh);
    watch_stage(job->task[0].watch, WATCH_DONE);
    return status;
}

int job_run(struct outcome *outcome, const struct request *request,
            const struct job_schedule *schedule, struct watch *watch,
            job_farm_end *farm_end, struct checkpoint *checkpoint)
{
    const struct job_task task = {.request = request,
                                  .holes = request->holes,
                                  .schedule = *schedule,
                                  .watch = watch,
                                  .farm_end = farm_end};
    double start_s = host_clock_s(host_clock());
    struct job job;
    int status;

    memset(outcome, 0, sizeof *outcome);
    watch_stage(watch, WATCH_BOOTING);
    status = open_job(&job, &task);
    job.checkpoint = checkpoint;
    if (status == 0) {
        status = request->mesh->open(&job.mesh, &job.task[0], false);
    }
    if (status == 0) {
        status = run_all(outcome, &job, start_s);
    }
    close_job(&job);
    return status;
}
