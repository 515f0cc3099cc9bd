/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/job.h"

#include "qemu/job/batches.h"
#include "qemu/board/emulator.h"
#include "qemu/board/gdb.h"
#include "qemu/fabric/postmortem.h"
#include "qemu/job/collect.h"
#include "qemu/job/order.h"
#include "qemu/job/serial_job.h"
#include "qemu/support/exit_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- progress ---- */

static void show(void *context, uint32_t up, uint32_t ended)
{
    struct job_progress *progress = context;
    double now_s = mesh_wall_s();
    bool due = now_s - progress->shown_s > 0.1 || up == 0 ||
               (up == progress->nodes && ended <= 1);

    if (!due) {
        return;
    }
    progress->shown_s = now_s;
    if (up < progress->nodes) {
        fprintf(stderr, "\r\033[Kbooting boards: %u of %u up", up,
                progress->nodes);
    } else {
        fprintf(stderr, "\r\033[Kall %u boards up; nodes done: %u",
                progress->nodes, ended);
    }
    fflush(stderr);
}

static void clear_progress(const struct mesh_config *config)
{
    if (config->progress != NULL) {
        fputs("\r\033[K", stderr);
    }
}

/* ---- the job ---- */

/* The report, and how the originator is if there is none. */
static int read_report(struct outcome *outcome, const struct mesh *mesh,
                       const struct job_config *config)
{
    int status = job_order_report(outcome, &mesh->report, config);

    if (status != 0 && mesh->report.data == NULL) {
        postmortem_print(stderr,
                         mesh->backend->window(
                             mesh->backend->context,
                             torus_index(config->size, config->originator)),
                         mesh->config->firmware);
    }
    return status;
}

int job_status(enum mesh_end end, const struct mesh_config *config)
{
    clear_progress(config);
    if (end == MESH_INTERRUPTED) {
        fprintf(stderr, "quincunx: interrupted; all boards ended\n");
        return EXIT_INTERRUPTED;
    }
    return end == MESH_DONE ? 0 : EXIT_FAILED;
}

/* What batches are carried out with. */
struct job {
    const struct job_config *config;
    const uint8_t *tree;
    struct mesh *mesh;
};

static int carry_out(void *context, struct outcome *outcome, uint32_t index)
{
    const struct job *job = context;
    const struct job_config *config = job->config;
    struct mesh *mesh = job->mesh;
    double start_s = mesh_wall_s();
    struct job_order order;
    uint32_t circuits;
    int status;

    job_order_make(&order, config, job->tree, index);
    fabric_circuits(mesh->fabric, &circuits);
    status = job_status(mesh_run(mesh, &order.mesh), mesh->config);
    job_order_free(&order);
    status = status == 0 ? read_report(outcome, mesh, config) : status;
    if (status == 0) {
        bool first = index == 0;

        outcome->boot_wall_s = first ? mesh->up_wall_s - start_s : 0;
        outcome->run_wall_s =
            mesh_wall_s() - (first ? mesh->up_wall_s : start_s);
        collect_outcome(outcome, config, &order.wire, mesh, circuits);
    }
    return status;
}

static int start_backend(struct backend *backend,
                         const struct job_config *config,
                         const struct gdb_sockets *sockets, uint32_t nodes)
{
    struct boards_config boards = {
        .board = config->board,
        .gdb = sockets != NULL ? gdb_listeners(sockets) : NULL,
        .firmware = config->firmware,
        .qemu = emulator_program(),
        .nodes = nodes,
        .watchdog_s = config->watchdog_s};

    return config->native ? native_start(backend, nodes)
                          : boards_start(backend, &boards);
}

/* Tells meshes apart: every message carries it. */
static uint32_t mesh_identity(const struct job_config *config)
{
    return 0x51000000u | (uint32_t)config->size.width << 12 |
           config->size.height;
}

static struct mesh_config mesh_config_of(const struct job_config *config)
{
    return (struct mesh_config){
        .size = config->size,
        .originator = config->originator,
        .fabric = {.size = config->size,
                   .startup_ps = config->profile.startup_ps,
                   .transfer_ps = config->profile.transfer_ps,
                   .hop_delay_ps = config->profile.hop_delay_ps,
                   .ports_at_once = config->ports,
                   .store_and_forward = config->store_and_forward},
        .slow_shift = config->slow_shift,
        .firmware = config->native ? NULL : config->firmware,
        .tree = job_needs_tree(config),
        .identity = mesh_identity(config),
        .victim = config->victim,
        .injection = config->injection,
        .progress = config->progress ? show : NULL};
}

int job_mesh_open(struct job_mesh *run, const struct job_config *config,
                  bool probed)
{
    uint32_t nodes = (uint32_t)config->size.width * config->size.height;

    run->progress = (struct job_progress){.nodes = nodes};
    run->config = mesh_config_of(config);
    run->config.probed = probed;
    run->config.progress_context = &run->progress;
    run->sockets = NULL;
    if (config->gdb) {
        run->sockets =
            gdb_open(config->gdb_dir, config->firmware, config->size);
        if (run->sockets == NULL) {
            return EXIT_FAILED;
        }
        fprintf(stderr, "gdb %s\n", gdb_dir(run->sockets));
    }
    if (start_backend(&run->backend, config, run->sockets, nodes) != 0) {
        gdb_close(run->sockets);
        return EXIT_FAILED;
    }
    if (mesh_init(&run->mesh, &run->config, &run->backend) != 0) {
        run->backend.stop(run->backend.context);
        gdb_close(run->sockets);
        return EXIT_FAILED;
    }
    return 0;
}

void job_mesh_close(struct job_mesh *run)
{
    mesh_free(&run->mesh);
    run->backend.stop(run->backend.context);
    gdb_close(run->sockets);
}

int job_execute(struct outcome *outcome, const struct job_config *config)
{
    struct job_mesh run;
    struct job job = {.config = config, .mesh = &run.mesh};
    uint8_t *tree;
    int status;

    if (config->serial) {
        return serial_job_run(outcome, config);
    }
    memset(outcome, 0, sizeof *outcome);
    status = job_order_tree(&tree, config);
    if (status == 0) {
        status = job_mesh_open(&run, config, false);
    }
    if (status == 0) {
        job.tree = tree;
        status = batches_run(outcome, config, carry_out, &job);
        job_mesh_close(&run);
    }
    free(tree);
    return status;
}
