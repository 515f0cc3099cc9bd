/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/job_run.h"

#include "qemu/job/batches.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/originators.h"
#include "qemu/base/exit_status.h"

#include <string.h>

/* A job that runs. */
struct job {
    struct originators originators;
    struct job_mesh *mesh;
};

static int run_batch(void *context, struct outcome *outcome, uint32_t index)
{
    struct job *job = context;
    struct job_mesh *mesh = job->mesh;
    struct watch *watch = job->originators.task[0].watch;
    double start_s = mesh_wall_s();
    int status;

    watch_stage(watch, WATCH_RUNNING);
    status = originators_order(&job->originators, mesh, index);
    watch_stage(watch, WATCH_COLLECTING);
    if (status == 0) {
        bool booted = mesh->up_wall_s > start_s;

        outcome->run_wall_s =
            mesh_wall_s() - (booted ? mesh->up_wall_s : start_s);
        status = originators_read(outcome, &job->originators, mesh);
    }
    if (status != 0) {
        outcome_free(outcome);
    }
    return status;
}

/* Runs the job on the open mesh, and closes it. */
static int run_all(struct outcome *outcome, struct job *job, double start_s)
{
    const struct job_task *task = &job->originators.task[0];
    const struct mesh_ops *ops = job->mesh->ops;
    int status = EXIT_FAILED;

    originators_set_mesh(&job->originators, job->mesh);
    if (originators_fit(&job->originators)) {
        status = batches_run(outcome, task, run_batch, job);
    }
    if (status == 0 && ops->add_rank_times != NULL) {
        ops->add_rank_times(job->mesh, outcome);
    }
    outcome->boot_wall_s = job->mesh->up_wall_s - start_s;
    ops->close(job->mesh);
    watch_stage(task->watch, WATCH_DONE);
    return status;
}

int job_run(struct outcome *outcome, const struct request *request,
            const struct job_schedule *schedule, struct watch *watch,
            farm_end *end)
{
    double start_s = mesh_wall_s();
    struct job job;
    int status;

    memset(outcome, 0, sizeof *outcome);
    watch_stage(watch, WATCH_BOOTING);
    status = originators_open(&job.originators, request, schedule, watch);
    if (status != 0) {
        return status;
    }
    job.originators.farm_end = end;
    status = request->mesh->open(&job.mesh, &job.originators.task[0], false);
    if (status == 0) {
        status = run_all(outcome, &job, start_s);
    }
    originators_free(&job.originators);
    return status;
}
