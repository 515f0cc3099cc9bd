/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/job.h"

#include "hal/crc32.h"
#include "qemu/fabric/watch.h"
#include "qemu/job/batches.h"
#include "qemu/job/groups.h"
#include "qemu/job/rates.h"
#include "qemu/job/recovery.h"
#include "qemu/job/timeline.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"

#include <stdlib.h>
#include <string.h>

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
    batch->result_crc =
        crc32_update(crc32_update(0, next->result.data, next->result.bytes),
                     next->result.output, next->result.output_bytes);
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

static int add_batch(struct outcome *outcome, struct outcome *next,
                     const struct job_task *task)
{
    int status;

    if (outcome->batch_count > 0) {
        record_batch(outcome, next);
        outcome->load_units += next->load_units;
        outcome->load_bytes += next->load_bytes;
        outcome_add_order(outcome, next);
    } else {
        begin_outcome(outcome, next);
        if (outcome->resumed == 0) {
            return 0;
        }
    }
    status = batches_add(&outcome->result, &next->result, task);
    outcome_free(next);
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
        status = recovery_run(&next, job, batches_range(task, i));
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
    free(job->faults.fault);
    free(job->heir);
    free(job->acting);
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
        .count = count,
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
    recovery_open(job);
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
    if (status == 0) {
        outcome->faults = job->faults;
        job->faults = (struct faults){.count = 0};
        outcome->heir = job->heir;
        outcome->heirs = job->heirs;
        job->heir = NULL;
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
