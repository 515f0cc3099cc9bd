/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/job.h"

#include "qemu/job/batches.h"
#include "qemu/job/collect.h"
#include "qemu/job/farm_time.h"
#include "qemu/job/several_originators.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/order.h"
#include "qemu/job/rates.h"
#include "qemu/outcome/layers.h"
#include "qemu/support/exit_status.h"

#include <stdlib.h>
#include <string.h>

/* A job that runs. */
struct job {
    struct job_config config; /* with room_bytes and the rate for the mesh */
    const uint8_t *tree;
    struct several *several; /* of several originators, which has the trees */
    struct job_mesh *mesh;
};

static int read_outcome(struct outcome *outcome, const struct job *job,
                        const struct wire_order *order)
{
    struct job_mesh *mesh = job->mesh;
    int status = job_order_report(outcome, mesh->report, &job->config);
    bool farm;

    if (status != 0) {
        if (mesh->ops->explain != NULL) {
            mesh->ops->explain(mesh, outcome->plan.error);
        }
        return status;
    }
    farm = farm_time_plan(&outcome->plan, &job->config, order->load_units);
    collect_begin(outcome, &job->config, order);
    outcome->became_farm = farm && job->config.schedule != SCHEDULE_FARM;
    outcome->board = mesh->board;
    if (order->compute_ps > 0 && outcome->plan.measured_units == 0 &&
        outcome->plan.compute_ps >= order->compute_ps) {
        outcome->rate_from = rates_path(job->config.rates);
    }
    status = mesh->ops->collect(mesh, outcome, order);
    if (status == 0) {
        outcome->node[torus_index(outcome->size, outcome->originator)].units +=
            outcome->plan.measured_units;
        layers_fill(outcome);
    }
    return status;
}

static int run_batch(void *context, struct outcome *outcome, uint32_t index)
{
    const struct job *job = context;
    struct job_mesh *mesh = job->mesh;
    double start_s = mesh_wall_s();
    struct job_order order;
    int status;

    job_order_init(&order, &job->config, job->tree, index);
    watch_stage(job->config.watch, WATCH_RUNNING);
    status = mesh->ops->order(mesh, &order.mesh);
    job_order_free(&order);
    watch_stage(job->config.watch, WATCH_COLLECTING);
    if (status == 0) {
        bool booted = mesh->up_wall_s > start_s;

        outcome->run_wall_s =
            mesh_wall_s() - (booted ? mesh->up_wall_s : start_s);
        status = read_outcome(outcome, job, &order.wire);
    }
    if (status != 0) {
        outcome_free(outcome);
    }
    return status;
}

/* The job of all originators is one batch. */
static int run_several(void *context, struct outcome *outcome, uint32_t index)
{
    struct job *job = context;

    (void)index;
    watch_stage(job->config.watch, WATCH_RUNNING);
    return several_run(outcome, job->several, job->mesh);
}

/* Looks up what is known of an open mesh and the kernel. */
static void set_mesh(struct job_config *config, const struct job_mesh *mesh)
{
    config->room_bytes = mesh->room_bytes;
    if (config->rates != NULL) {
        config->rate = rates_find(config->rates, config, mesh->board);
    }
}

static void close_mesh(struct outcome *outcome, struct job *job, double start_s,
                       int status)
{
    if (status == 0 && job->mesh->ops->add_rank_times != NULL) {
        job->mesh->ops->add_rank_times(job->mesh, outcome);
    }
    outcome->boot_wall_s = job->mesh->up_wall_s - start_s;
    job->config.mesh->close(job->mesh);
    watch_stage(job->config.watch, WATCH_DONE);
}

static int execute_several(struct outcome *outcome, struct job *job)
{
    double start_s = mesh_wall_s();
    struct several several;
    int status = several_open(&several, &job->config);

    if (status != 0) {
        return status;
    }
    job->several = &several;
    job->config = several.config[0];
    status = job->config.mesh->open(&job->mesh, &job->config, false);
    if (status == 0) {
        for (uint32_t i = 0; i < several.groups->count; ++i) {
            set_mesh(&several.config[i], job->mesh);
        }
        status = several_fits(&several)
                     ? batches_run(outcome, &job->config, run_several, job)
                     : EXIT_FAILED;
        close_mesh(outcome, job, start_s, status);
    }
    several_free(&several);
    return status;
}

static int execute_one(struct outcome *outcome, struct job *job)
{
    double start_s = mesh_wall_s();
    uint8_t *tree;
    int status = job_order_tree(&tree, &job->config);

    if (status == 0) {
        status = job->config.mesh->open(&job->mesh, &job->config, false);
    }
    if (status == 0) {
        set_mesh(&job->config, job->mesh);
        job->tree = tree;
        status = batches_fit(&job->config)
                     ? batches_run(outcome, &job->config, run_batch, job)
                     : EXIT_FAILED;
        close_mesh(outcome, job, start_s, status);
    }
    free(tree);
    return status;
}

int job_execute(struct outcome *outcome, const struct job_config *config)
{
    struct job job = {.config = *config};

    memset(outcome, 0, sizeof *outcome);
    watch_stage(config->watch, WATCH_BOOTING);
    return config->originators > 0 ? execute_several(outcome, &job)
                                   : execute_one(outcome, &job);
}
