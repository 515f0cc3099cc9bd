/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/run.h"

#include "qemu/batches.h"
#include "qemu/gdb.h"
#include "qemu/output.h"
#include "qemu/postmortem.h"
#include "qemu/reading.h"
#include "qemu/serial_run.h"
#include "scatter/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_FAILED 1
#define EXIT_INTERRUPTED 130
#define JOB_IDENTITY 1u

/* ---- progress ---- */

static void show(void *context, uint32_t up, uint32_t ended)
{
    struct run_progress *progress = context;
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

static int complain_phases(const struct run_config *config,
                           const struct wire_report *plan)
{
    if (config->rounds > 1 && config->rounds != WIRE_BEST) {
        fprintf(stderr,
                "quincunx: --rounds %u: infeasible for this load; fewer "
                "rounds, 1, or auto may be\n",
                config->rounds);
    } else {
        fprintf(stderr,
                "quincunx: --phases %u: infeasible for this load; "
                "at most %u phases are feasible\n",
                config->phases, plan->phases_feasible);
    }
    return EXIT_FAILED;
}

int run_take_report(struct outcome *outcome, const struct mesh_report *report,
                    const struct run_config *config)
{
    struct wire_report *plan = &outcome->plan;
    uint32_t bytes = report->bytes - CIRCUIT_HEADER_BYTES;

    if (report->data == NULL ||
        wire_report_load(plan, &outcome->rounds,
                         report->data + CIRCUIT_HEADER_BYTES,
                         bytes) != ERR_OK) {
        fprintf(stderr, "quincunx: the originator ended without a report\n");
        return EXIT_FAILED;
    }
    if (plan->error == ERR_PHASES) {
        return complain_phases(config, plan);
    }
    if (plan->error != ERR_OK) {
        fprintf(stderr, "quincunx: the originator gave up: %s\n",
                postmortem_error(plan->error));
        return EXIT_FAILED;
    }
    if (output_take(&outcome->result,
                    report->data + CIRCUIT_HEADER_BYTES +
                        wire_report_bytes(plan),
                    bytes - wire_report_bytes(plan), &config->terms) != 0) {
        fprintf(stderr, "quincunx: the originator's output is malformed\n");
        return EXIT_FAILED;
    }
    return 0;
}

static uint8_t flags_of(const struct run_config *config)
{
    unsigned flags = 0;

    if (config->store_and_forward) {
        flags |= WIRE_STORE_AND_FORWARD;
    }
    if (schedule_is_equal(config->schedule)) {
        flags |= WIRE_EQUAL_SHARES;
    }
    return (uint8_t)flags;
}

bool run_needs_tree(const struct run_config *config)
{
    return torus_phases(config->size) < 0 ||
           config->schedule != SCHEDULE_PETERS_SYSKA ||
           config->ports != TORUS_PORTS || config->store_and_forward ||
           config->slow_shift != NULL;
}

/* The same, and how the originator is if there is none. */
static int read_report(struct outcome *outcome, const struct mesh *mesh,
                       const struct run_config *config)
{
    int status = run_take_report(outcome, &mesh->report, config);

    if (status != 0 && mesh->report.data == NULL) {
        postmortem_print(stderr,
                         mesh->backend->window(
                             mesh->backend->context,
                             torus_index(config->size, config->originator)));
    }
    return status;
}

struct wire_order run_order(const struct run_config *config, uint32_t index)
{
    const struct format_load *load = &config->load;
    const struct kernel_terms *terms = &config->terms;
    uint32_t most = batches_units(config);
    uint64_t first = (uint64_t)index * most;
    uint64_t left = load->units - first;
    uint32_t units = left < most ? (uint32_t)left : most;
    uint64_t before = first * load->unit_bytes;
    uint64_t after = (left - units) * load->unit_bytes;
    unsigned more = left > units ? WIRE_MORE : 0;
    const struct outcome_profile *profile = run_plan_profile(config);
    struct wire_order order = {
        .startup_ps = profile->startup_ps,
        .transfer_ps = profile->transfer_ps,
        .hop_delay_ps = profile->hop_delay_ps,
        .load_units = units,
        .unit_bytes = load->unit_bytes,
        .first_unit = (uint32_t)first,
        .before_bytes = before < terms->before_bytes ? (uint32_t)before
                                                     : terms->before_bytes,
        .after_bytes =
            after < terms->after_bytes ? (uint32_t)after : terms->after_bytes,
        .phases = config->phases,
        .rounds = config->rounds,
        .ports = config->ports,
        .flags = (uint8_t)(flags_of(config) | more),
        .arg_bytes = load->arg_bytes,
        .arg = load->arg};

    strncpy(order.kernel, config->kernel->name, WIRE_NAME_BYTES - 1);
    return order;
}

int run_status(enum mesh_end end, const struct mesh_config *config)
{
    clear_progress(config);
    if (end == MESH_INTERRUPTED) {
        fprintf(stderr, "quincunx: interrupted; all boards ended\n");
        return EXIT_INTERRUPTED;
    }
    return end == MESH_DONE ? 0 : EXIT_FAILED;
}

static int carry_out(struct outcome *outcome, struct mesh *mesh,
                     const struct run_config *config, const uint8_t *tree,
                     uint32_t index)
{
    uint32_t nodes = (uint32_t)config->size.width * config->size.height;
    const struct format_load *load = &config->load;
    struct wire_order wire = run_order(config, index);
    struct mesh_order order = {.job = (uint16_t)(JOB_IDENTITY + index),
                               .kind = WIRE_ORDER,
                               .more = (wire.flags & WIRE_MORE) != 0};
    double start_s = mesh_wall_s();
    uint32_t circuits;
    uint8_t *head;
    int status;

    wire.tree_nodes = tree != NULL ? nodes : 0;
    wire.tree = tree;
    head = reading_must(malloc(wire_order_head_bytes(&wire)));
    wire_order_store(head, &wire);
    order.head = head;
    order.head_bytes = wire_order_head_bytes(&wire);
    if (load->data != NULL) {
        order.load = load->data + (uint64_t)wire.first_unit * wire.unit_bytes -
                     wire.before_bytes;
    }
    order.load_bytes = (uint32_t)wire_order_body_bytes(&wire);
    fabric_circuits(mesh->fabric, &circuits);
    status = run_status(mesh_run(mesh, &order), mesh->config);
    free(head);
    status = status == 0 ? read_report(outcome, mesh, config) : status;
    if (status == 0) {
        bool first = index == 0;

        outcome->boot_wall_s = first ? mesh->up_wall_s - start_s : 0;
        outcome->run_wall_s =
            mesh_wall_s() - (first ? mesh->up_wall_s : start_s);
        reading_take(outcome, config, mesh, circuits);
        outcome->load_units = wire.load_units;
        outcome->load_bytes = (uint64_t)wire.load_units * wire.unit_bytes;
    }
    return status;
}

/* All batches, one after the other. */
static int carry_out_all(struct outcome *outcome, struct mesh *mesh,
                         const struct run_config *config, const uint8_t *tree)
{
    uint32_t count = batches_count(config);
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        struct outcome next = {.batch_count = 0};

        if (config->progress && count > 1) {
            fprintf(stderr, "\r\033[Kbatch %u of %u ", i + 1, count);
        }
        status = carry_out(&next, mesh, config, tree, i);
        if (status == 0 && batches_add(outcome, &next, config) != 0) {
            fprintf(stderr,
                    "quincunx: kernel %s: results of batches cannot "
                    "be merged\n",
                    config->kernel->name);
            status = EXIT_FAILED;
        }
    }
    if (status != 0) {
        run_free(outcome);
    }
    return status;
}

static int start_backend(struct backend *backend,
                         const struct run_config *config,
                         const struct gdb_doors *doors, uint32_t nodes)
{
    struct boards_config boards = {.gdb = doors != NULL ? gdb_sockets(doors)
                                                        : NULL,
                                   .firmware = config->firmware,
                                   .qemu = "qemu-system-arm",
                                   .nodes = nodes,
                                   .watchdog_s = config->watchdog_s};

    return config->native ? native_start(backend, nodes)
                          : boards_start(backend, &boards);
}

/* Tells meshes apart: every message carries it. */
static uint32_t mesh_identity(const struct run_config *config)
{
    return 0x51000000u | (uint32_t)config->size.width << 12 |
           config->size.height;
}

static int complain_tree(const struct run_config *config)
{
    fprintf(stderr,
            "quincunx: --schedule %s: has no tree of at most %u phases on a "
            "%ux%u torus\n",
            schedule_name(config->schedule), TREE_PHASES_MAX,
            config->size.width, config->size.height);
    return EXIT_FAILED;
}

static struct mesh_config mesh_config_of(const struct run_config *config)
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
        .tree = run_needs_tree(config),
        .identity = mesh_identity(config),
        .victim = config->victim,
        .injection = config->injection,
        .progress = config->progress ? show : NULL};
}

int run_mesh_open(struct run_mesh *run, const struct run_config *config,
                  bool probed)
{
    uint32_t nodes = (uint32_t)config->size.width * config->size.height;

    run->progress = (struct run_progress){.nodes = nodes};
    run->config = mesh_config_of(config);
    run->config.probed = probed;
    run->config.progress_context = &run->progress;
    run->doors = NULL;
    if (config->gdb) {
        run->doors = gdb_open(config->gdb_dir, config->firmware, config->size);
        if (run->doors == NULL) {
            return EXIT_FAILED;
        }
        fprintf(stderr, "gdb %s\n", gdb_dir(run->doors));
    }
    if (start_backend(&run->backend, config, run->doors, nodes) != 0) {
        gdb_close(run->doors);
        return EXIT_FAILED;
    }
    if (mesh_init(&run->mesh, &run->config, &run->backend) != 0) {
        run->backend.stop(run->backend.context);
        gdb_close(run->doors);
        return EXIT_FAILED;
    }
    return 0;
}

void run_mesh_close(struct run_mesh *run)
{
    mesh_free(&run->mesh);
    run->backend.stop(run->backend.context);
    gdb_close(run->doors);
}

int run_job(struct outcome *outcome, const struct run_config *config)
{
    struct run_mesh run;
    uint8_t *tree = NULL;
    int status;

    if (config->serial) {
        return serial_run_job(outcome, config);
    }
    memset(outcome, 0, sizeof *outcome);
    if (run_needs_tree(config)) {
        tree = schedule_tree(config->schedule, config->size, config->originator,
                             config->slow_shift);
        if (tree == NULL) {
            return complain_tree(config);
        }
    }
    status = run_mesh_open(&run, config, false);
    if (status == 0) {
        status = carry_out_all(outcome, &run.mesh, config, tree);
        run_mesh_close(&run);
    }
    free(tree);
    return status;
}
