/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/run.h"

#include "qemu/batches.h"
#include "qemu/gdb.h"
#include "qemu/output.h"
#include "qemu/postmortem.h"
#include "qemu/reading.h"
#include "scatter/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_FAILED 1
#define EXIT_INTERRUPTED 130
#define JOB_IDENTITY 1u

/* ---- progress ---- */

struct progress {
    uint32_t nodes;
    double shown_s;
};

static void show(void *context, uint32_t up, uint32_t ended)
{
    struct progress *progress = context;
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

static void clear_progress(const struct run_config *config)
{
    if (config->progress) {
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

/* What the originator reported; 0, or an exit status with the reason said. */
static int read_report(struct outcome *outcome, const struct mesh *mesh,
                       const struct run_config *config)
{
    const struct mesh_report *report = &mesh->report;
    struct wire_report *plan = &outcome->plan;
    uint32_t bytes = report->bytes - CIRCUIT_HEADER_BYTES;

    if (report->data == NULL ||
        wire_report_load(plan, &outcome->rounds,
                         report->data + CIRCUIT_HEADER_BYTES,
                         bytes) != ERR_OK) {
        fprintf(stderr, "quincunx: the originator ended without a report\n");
        postmortem_print(stderr,
                         mesh->backend->window(
                             mesh->backend->context,
                             torus_index(config->size, config->originator)));
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

/* The order of batch `index`, but for its tree. */
static struct wire_order order_of(const struct run_config *config,
                                  uint32_t index)
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
    struct wire_order order = {
        .startup_ps = config->profile.startup_ps,
        .transfer_ps = config->profile.transfer_ps,
        .hop_delay_ps = config->profile.hop_delay_ps,
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

/* What mesh_run() said, as an exit status. */
static int status_of(enum mesh_end end, const struct run_config *config)
{
    if (end == MESH_INTERRUPTED) {
        clear_progress(config);
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
    struct wire_order wire = order_of(config, index);
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
    status = status_of(mesh_run(mesh, &order), config);
    free(head);
    clear_progress(config);
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

static int run_beside(struct outcome *outcome, const struct run_config *config,
                      const struct gdb_doors *doors)
{
    uint32_t nodes = (uint32_t)config->size.width * config->size.height;
    struct progress progress = {.nodes = nodes};
    struct mesh_config mesh_config = {
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
        .progress = config->progress ? show : NULL,
        .progress_context = &progress};
    struct backend backend;
    struct mesh mesh;
    uint8_t *tree = NULL;
    int status;

    memset(outcome, 0, sizeof *outcome);
    if (mesh_config.tree) {
        tree = schedule_tree(config->schedule, config->size, config->originator,
                             config->slow_shift);
        if (tree == NULL) {
            return complain_tree(config);
        }
    }
    if (start_backend(&backend, config, doors, nodes) != 0) {
        free(tree);
        return EXIT_FAILED;
    }
    if (mesh_init(&mesh, &mesh_config, &backend) != 0) {
        free(tree);
        backend.stop(backend.context);
        return EXIT_FAILED;
    }
    status = carry_out_all(outcome, &mesh, config, tree);
    free(tree);
    mesh_free(&mesh);
    backend.stop(backend.context);
    return status;
}

int run_job(struct outcome *outcome, const struct run_config *config)
{
    struct gdb_doors *doors = NULL;
    int status;

    if (config->gdb) {
        doors = gdb_open(config->gdb_dir, config->firmware, config->size);
        if (doors == NULL) {
            return EXIT_FAILED;
        }
        fprintf(stderr, "gdb %s\n", gdb_dir(doors));
    }
    status = run_beside(outcome, config, doors);
    gdb_close(doors);
    return status;
}
