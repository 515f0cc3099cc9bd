/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/running.h"

#include "qemu/fabric/watch.h"
#include "qemu/job/originators.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"

#include <stdlib.h>

static int send_orders(struct job *job, struct wire_range range)
{
    struct mesh_order *orders =
        memory_or_exit(calloc(job->count, sizeof *orders));
    int status;

    for (uint32_t i = 0; i < job->count; ++i) {
        struct job_task *task = &job->task[job->first + i];
        struct job_order *order = &job->order[job->first + i];
        /* Only a single originator has batches and waves. */
        struct wire_range all = {0, (uint32_t)task->originator->load.units};

        job_order_init(order, task, job->orders, job->count > 1 ? all : range);
        orders[i] = order->mesh;
        /* nodes keep their rates for later batches */
        task->rate = (struct job_rate){.units = 0};
    }
    job->orders += job->originators;
    job->mesh->task = &job->task[job->first];
    job->mesh->originators = job->count;
    status = job->mesh->ops->order(job->mesh, orders);
    free(orders);
    return status;
}

int running_order(struct outcome *outcome, struct job *job,
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
        status = originators_read(outcome, &job->task[job->first],
                                  &job->order[job->first], mesh);
    }
    if (status == 0 && job->orders == job->originators) {
        job->first_ps = outcome->plan.ordered_ps;
    }
    if (status != 0) {
        outcome_free(outcome);
    }
    return status;
}
