/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/events.h"
#include "qemu/board/emulator.h"
#include "qemu/board/gdb.h"
#include "qemu/fabric/postmortem.h"
#include "qemu/fabric/slices.h"
#include "qemu/fabric/windows.h"
#include "qemu/job/collect.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "qemu/ranks/leader.h"
#include "qemu/ranks/ranks.h"
#include "qemu/schedule/tree.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"
#include "torus/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time from a probe's order to its sending, ns (scatter/engine/probe.h). Even a
   slowed board queues a message in less time. */
#define READY_DELAY_NS 50000u

/* Most nodes whose kernels' mistakes are printed. */
#define EXPLAINED 8u

struct fabric_job {
    struct job_mesh mesh;
    uint32_t nodes;
    struct gdb_sockets *sockets; /* or NULL */
    char zygote_object[PATH_MAX];
    struct torus_coord *originator; /* positions of all originators */
    struct mesh_config config;
    struct backend backend;
    struct mesh driver;
    uint32_t first_circuit; /* index of the order's first circuit */
    bool computing;         /* true: all boards are up, and that was printed */
};

static struct fabric_job *job_of(struct job_mesh *mesh)
{
    return (struct fabric_job *)mesh;
}

static struct window *window_of(const struct fabric_job *job, uint32_t node)
{
    return job->backend.window(job->backend.context, node);
}

/* ---- progress ---- */

static uint64_t units_computed(const struct window *window)
{
    uint32_t events = window_read_u32(&window->log.events_written);
    uint64_t units = 0;

    for (uint32_t i = 1; i < events && i < NODE_EVENTS; ++i) {
        if (window->log.event[i].kind == EVENT_COMPUTE_END &&
            window->log.event[i - 1].kind == EVENT_COMPUTE_START) {
            units += window->log.event[i - 1].value;
        }
    }
    return units;
}

static uint64_t units_of_all(const struct fabric_job *job)
{
    uint64_t units = 0;

    for (uint32_t i = 0; i < job->nodes; ++i) {
        units += units_computed(window_of(job, i));
    }
    return units;
}

static void show_progress(void *context, uint32_t up, uint32_t ended)
{
    struct fabric_job *job = context;
    const struct format_load *load = &job->mesh.task->originator->load;
    uint32_t unit_bytes = load->unit_bytes > 0 ? load->unit_bytes : 1;
    char more[48];

    if (up < job->nodes) {
        progress_show(&(struct progress_step){.doing = "booting",
                                              .done = up,
                                              .total = job->nodes,
                                              .things = "boards"});
    } else if (!job->computing || progress_due()) {
        snprintf(more, sizeof more, "%u of %u nodes done", ended, job->nodes);
        progress_show(&(struct progress_step){
            .doing = "computing",
            .done = job->computing ? unit_bytes * units_of_all(job) : 0,
            .total = unit_bytes * load->units,
            .things = load->unit_bytes > 0 ? NULL : "units",
            .more = more});
        job->computing = true;
    }
}

/* ---- starting ---- */

static struct fabric_job *create(const struct job_task *task, bool probed)
{
    struct fabric_job *job = memory_or_exit(calloc(1, sizeof *job));

    job->nodes = torus_nodes(task->request->size);
    job->originator = memory_or_exit(
        calloc(task->request->originators, sizeof *job->originator));
    for (uint32_t i = 0; i < task->request->originators; ++i) {
        job->originator[i] = task->request->originator[i].at;
    }
    job->config = (struct mesh_config){
        .watchdog_s = task->request->gdb ? 0 : task->request->watchdog_s,
        .size = task->request->size,
        .originators = task->request->originators,
        .originator = job->originator,
        .group_of_node = task->group_of_node,
        .fabric = {.size = task->request->size,
                   .profile = task->request->profile,
                   .ports_at_once = task->request->ports,
                   .store_and_forward = task->request->store_and_forward},
        .slow_shift = task->request->slow_shift,
        .program = {task->request->firmware, task->request->kernel != NULL
                                                 ? task->request->kernel->name
                                                 : NULL},
        .policy = job_policy(task)->id,
        .probed = probed,
        .identity = node_mesh_identity(task->request->size.width,
                                       task->request->size.height),
        .injections = task->request->injections,
        .progress = task->request->program == NULL ? show_progress : NULL,
        .progress_context = job,
        .watch = task->watch};
    job->mesh = (struct job_mesh){.ops = task->request->mesh,
                                  .task = task,
                                  .originators = task->request->originators};
    return job;
}

static unsigned ranks_of(const struct job_task *task)
{
    return task->request->on_one_rank ? 1 : ranks_count();
}

/* Opens a socket for each board's debugger and prints the paths. Returns NULL
   after a message. */
static struct gdb_sockets *open_doors(const struct job_task *task)
{
    struct gdb_sockets *sockets =
        gdb_open(task->request->gdb_dir, task->request->firmware,
                 task->request->size, task->request->halts);

    if (sockets == NULL) {
        return NULL;
    }
    fprintf(stderr, "gdb %s\n", gdb_dir(sockets));
    for (unsigned i = 0; i < task->request->halts.count; ++i) {
        struct torus_coord at = task->request->halts.at[i];

        fprintf(stderr, "%u,%u waits for its debugger: make gdb NODE=%u,%u\n",
                at.x, at.y, at.x, at.y);
    }
    return sockets;
}

static int describe_boards(struct boards_config *boards, struct fabric_job *job,
                           const struct job_task *task)
{
    const struct request *request = task->request;

    boards->board = request->board;
    boards->firmware = request->firmware;
    boards->firmware_slow = request->firmware_slow;
    boards->qemu = emulator_program();
    boards->verbose = request->verbose;
    if (!request->one_by_one) {
        file_beside_program(job->zygote_object, "zygote.so");
        boards->zygote_object = job->zygote_object;
    }
    if (request->gdb) {
        job->sockets = open_doors(task);
        if (job->sockets == NULL) {
            return -1;
        }
        boards->gdb = gdb_doors(job->sockets);
    }
    return 0;
}

static int start_nodes(struct fabric_job *job, const struct job_task *task)
{
    const struct request *request = task->request;
    bool native = !request->mesh->has_images;
    struct boards_config boards = {.nodes = job->nodes};

    if (!native && describe_boards(&boards, job, task) != 0) {
        return -1;
    }
    if (ranks_of(task) > 1) {
        return leader_start(&job->backend, &(struct leader_config){
                                               .size = request->size,
                                               .identity = job->config.identity,
                                               .map = request->map,
                                               .in_process = native,
                                               .boards = boards});
    }
    return native ? native_start(&job->backend, job->nodes, slices_processors(),
                                 request->program)
                  : boards_start(&job->backend, &boards);
}

static void close_mesh(struct job_mesh *mesh)
{
    struct fabric_job *job = job_of(mesh);

    mesh_free(&job->driver);
    /* After stop() restores the signal handlers, a signal may end the program.
       So the sockets are closed before. */
    gdb_close(job->sockets);
    if (job->backend.stop != NULL) {
        job->backend.stop(job->backend.context);
    }
    free(job->originator);
    free(job);
}

static int open_mesh(struct job_mesh **mesh, const struct job_task *task,
                     bool probed)
{
    struct fabric_job *job = create(task, probed);

    if (start_nodes(job, task) != 0) {
        close_mesh(&job->mesh);
        return EXIT_FAILED;
    }
    mesh_init(&job->driver, &job->config, &job->backend);
    job->mesh.board = job->backend.board;
    job->mesh.report = job->driver.report;
    *mesh = &job->mesh;
    return 0;
}

/* ---- orders ---- */

static bool explain_silence(const struct fabric_job *job)
{
    const struct mesh_config *config = &job->config;
    bool silent = false;

    for (uint32_t i = 0; i < config->originators; ++i) {
        uint32_t node = mesh_originator(config, i);
        struct torus_coord at = torus_coord_of(config->size, node);

        if (job->driver.report[i].data == NULL &&
            !fabric_has_stopped(job->driver.fabric, node)) {
            fprintf(stderr,
                    "quincunx: the originator %u,%u ended without a report\n",
                    at.x, at.y);
            postmortem_print(stderr, window_of(job, node), &config->program);
            silent = true;
        }
    }
    return silent;
}

/* Prints of some nodes why they gave up, or what their kernels did wrong. */
static void explain(struct job_mesh *mesh, int error)
{
    const struct fabric_job *job = job_of(mesh);
    uint32_t shown = 0;

    (void)error;
    for (uint32_t node = 0; node < job->nodes && shown < EXPLAINED; ++node) {
        const struct window *window = window_of(job, node);
        const struct node_status *status = &window->node.status;
        struct torus_coord at = torus_coord_of(job->config.size, node);
        char where[40];

        snprintf(where, sizeof where, "quincunx: node %u,%u: ", at.x, at.y);
        if (status->state == NODE_STATE_FAILED) {
            shown += postmortem_print_breach(stderr, where, &status->breach,
                                             status->error,
                                             job->config.program.kernel);
        } else if (postmortem_gave_up(window)) {
            fprintf(stderr, "quincunx: node %u,%u gave up\n", at.x, at.y);
            postmortem_print(stderr, window, &job->config.program);
            shown += 1;
        }
    }
}

/* Returns whether a node waits for a call after an error although nothing died,
   which would explain it; then after messages. */
static bool gave_up(struct job_mesh *mesh)
{
    const struct fabric_job *job = job_of(mesh);
    bool found = false;
    bool died = job->config.injections.count > 0;

    for (uint32_t node = 0; node < job->nodes; ++node) {
        const struct window *window = window_of(job, node);

        found = found || (postmortem_gave_up(window) &&
                          window->node.status.state != NODE_STATE_FAILED);
        died = died || fabric_has_stopped(job->driver.fabric, node);
    }
    if (!found || died) {
        return false;
    }
    explain(mesh, ERR_OK);
    return true;
}

static int send_orders(struct job_mesh *mesh, const struct mesh_order order[])
{
    struct fabric_job *job = job_of(mesh);
    enum mesh_end end;

    fabric_circuits(job->driver.fabric, &job->first_circuit);
    for (uint32_t i = 0; i < mesh->originators; ++i) {
        job->originator[i] = mesh->task[i].originator->at;
    }
    job->config.originators = mesh->originators;
    job->config.group_of_node = mesh->task->group_of_node;
    end = mesh_run(&job->driver, order);
    mesh->up_wall_s = job->driver.up_wall_s;
    progress_end();
    if (end == MESH_INTERRUPTED) {
        fprintf(stderr, "quincunx: interrupted; all boards ended\n");
        return EXIT_INTERRUPTED;
    }
    return end == MESH_DONE && !explain_silence(job) && !gave_up(mesh)
               ? 0
               : EXIT_FAILED;
}

/* ---- the outcome ---- */

/* Returns the number of events in a node's log; of a node that was stopped,
   those before that time. */
static uint32_t count_events(const struct fabric_job *job, uint32_t index)
{
    const struct node_log *log = &window_of(job, index)->log;
    uint64_t stop_ps = fabric_stop_ps(job->driver.fabric, index);
    uint32_t events = window_read_u32(&log->events_written);

    events = events < NODE_EVENTS ? events : NODE_EVENTS;
    while (events > 0 && log->event[events - 1].time_ps >= stop_ps) {
        events -= 1;
    }
    return events;
}

static void read_node(struct outcome *outcome, const struct fabric_job *job,
                      uint32_t index)
{
    struct outcome_node *node = &outcome->node[index];
    const struct window *window = window_of(job, index);

    node->at = torus_coord_of(outcome->request->size, index);
    if (torus_phases(outcome->request->size) >= 0 &&
        outcome->originators == 1) {
        node->layer = torus_role_of(outcome->request->size,
                                    outcome->originator[0].at, node->at)
                          .layer;
    }
    node->stack_used_bytes = window->node.status.stack_used_bytes;
    node->stack_bytes = window->node.status.stack_bytes;
    memcpy(node->port, window->port, sizeof window->port);
    collect_log(node, window->log.event, count_events(job, index),
                outcome->plan.scatter_start_ps);
}

/* Lowers hop_ps of a circuit's source to the time when the source's switch saw
   the request to send. */
static void read_hop(struct outcome_node *source,
                     const struct circuit_record *circuit)
{
    if (circuit->request_ps < source->hop_ps) {
        source->hop_ps = circuit->request_ps;
    }
}

/* Counts a circuit that brought a share of the load to a node, and sets the
   node's times of receipt. A node receives all shares at one port, round by
   round. */
static void read_receipt(struct outcome_node *node,
                         struct circuit_record *circuit, uint16_t *receipts)
{
    if (*receipts == 0) {
        node->layer = circuit->phase;
    }
    circuit->phase = node->layer; /* unknown in later rounds of a tree */
    circuit->round = *receipts;
    *receipts += 1;
    for (unsigned k = 0; k < node->intervals; ++k) {
        if (node->interval[k].round == circuit->round) {
            node->interval[k].received_ps = circuit->end_ps;
            break; /* a share may be computed in several intervals */
        }
    }
    if (circuit->round == 0) {
        node->received_ps = circuit->end_ps;
        if (node->forwarded_ps < circuit->end_ps) {
            /* The node queued its sends while this message arrived. */
            node->interval[0].forwarded_ps = circuit->end_ps;
            node->forwarded_ps = circuit->end_ps;
            node->hop_ps = circuit->end_ps;
        }
    }
}

/* Returns whether a node is a master of a farm. A master numbers its intervals
   by chunk, any other node by received message. */
static bool numbers_chunks(const struct outcome_node *node, uint16_t parts)
{
    bool other = false;

    for (unsigned k = 0; k < node->intervals; ++k) {
        const struct outcome_compute_interval *interval = &node->interval[k];

        other = other || interval->round >= parts ||
                interval->received_ps > interval->compute_start_ps;
    }
    return parts > 0 && other;
}

/* Sets the times when masters received the chunks of their intervals. A chunk
   came with the last message before its interval. */
static void read_masters(struct outcome *outcome, const uint16_t *receipts)
{
    bool *master = memory_or_exit(calloc(outcome->node_count, 1));

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        struct outcome_node *node = &outcome->node[i];

        master[i] = numbers_chunks(node, receipts[i]);
        for (unsigned k = 0; master[i] && k < node->intervals; ++k) {
            node->interval[k].received_ps = node->received_ps;
        }
    }
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        const struct circuit_record *circuit = &outcome->circuit[i];
        struct outcome_node *node = &outcome->node[circuit->destination];
        bool counts =
            circuit->kind == WIRE_PART && master[circuit->destination];

        for (unsigned k = 0; counts && k < node->intervals; ++k) {
            if (circuit->end_ps <= node->interval[k].compute_start_ps) {
                node->interval[k].received_ps = circuit->end_ps;
            }
        }
    }
    free(master);
}

static void read_circuits(struct outcome *outcome, const struct fabric *fabric,
                          uint32_t first)
{
    const struct circuit_record *from =
        fabric_circuits(fabric, &outcome->circuit_count) + first;
    uint64_t zero_ps = outcome->plan.scatter_start_ps;
    uint16_t *receipts =
        memory_or_exit(calloc(outcome->node_count, sizeof *receipts));

    outcome->circuit_count -= first;
    outcome->circuit = memory_or_exit(
        calloc((size_t)outcome->circuit_count + 1, sizeof *outcome->circuit));
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        struct circuit_record *circuit = &outcome->circuit[i];

        *circuit = from[i];
        circuit->request_ps -= zero_ps;
        circuit->grant_ps -= zero_ps;
        circuit->end_ps -= zero_ps;
        outcome->messages += 1;
        outcome->payload_bytes += circuit->bytes - CIRCUIT_HEADER_BYTES;
        if (circuit->kind == WIRE_BRANCH ||
            circuit->kind == WIRE_BRANCH_ROUND || circuit->kind == WIRE_CHUNK) {
            circuit->kind = WIRE_PART; /* reports show all shares alike */
        }
        if (circuit->kind == WIRE_PART) {
            uint32_t to = circuit->destination;

            read_hop(&outcome->node[circuit->source], circuit);
            read_receipt(&outcome->node[to], circuit, &receipts[to]);
        }
    }
    read_masters(outcome, receipts);
    outcome->conflicts = fabric_conflicts(fabric);
    free(receipts);
}

static int collect(struct job_mesh *mesh, struct outcome *outcome,
                   const struct wire_order *order)
{
    struct fabric_job *job = job_of(mesh);

    (void)order;
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        read_node(outcome, job, i);
    }
    read_circuits(outcome, job->driver.fabric, job->first_circuit);
    return 0;
}

static void add_rank_times(struct job_mesh *mesh, struct outcome *outcome)
{
    if (ranks_of(mesh->task) > 1) {
        outcome->ranks = ranks_count();
        outcome->rank =
            memory_or_exit(calloc(outcome->ranks, sizeof *outcome->rank));
        leader_look(job_of(mesh)->backend.context, outcome->rank);
    }
}

static void read_faults(const struct job_mesh *mesh, struct faults *faults,
                        bool asks)
{
    faults_read(faults, &((const struct fabric_job *)mesh)->driver, asks);
}

static const struct mesh_probing probing = {
    .bytes = {64, 256, 1024, 4096},
    .repeat = 2,
    .ready_delay_ns = READY_DELAY_NS,
};

const struct mesh_ops fabric_job_qemu = {
    .nodes = "boards",
    .on = "qemu",
    .has_fabric = true,
    .has_images = true,
    .side_max = SCHEDULE_SIDE_MAX,
    .probing = &probing,
    .open = open_mesh,
    .order = send_orders,
    .explain = explain,
    .collect = collect,
    .add_rank_times = add_rank_times,
    .read_faults = read_faults,
    .close = close_mesh,
};

const struct mesh_ops fabric_job_native = {
    .nodes = "native nodes",
    .on = "native",
    .has_fabric = true,
    .side_max = SCHEDULE_SIDE_MAX,
    .probing = &probing,
    .open = open_mesh,
    .order = send_orders,
    .explain = explain,
    .collect = collect,
    .add_rank_times = add_rank_times,
    .read_faults = read_faults,
    .close = close_mesh,
};
