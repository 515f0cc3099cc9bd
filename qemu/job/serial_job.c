/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/serial_job.h"

#include "hal/circuit.h"
#include "hal/events.h"
#include "qemu/job/batches.h"
#include "qemu/board/emulator.h"
#include "qemu/outcome/layers.h"
#include "qemu/job/probe.h"
#include "qemu/support/exit_status.h"
#include "qemu/survey/ps.h"
#include "qemu/job/collect.h"
#include "qemu/job/order.h"
#include "qemu/support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is not the job's: before the first batch, counted of so many nodes, and
   to fetch logs between batches. */
struct run_counts {
    struct ps_counts before;
    uint32_t first;
    uint32_t log_messages;
    uint32_t log_bytes;
    uint64_t *last_ps; /* of each node: when its log ended, on its own clock */
};

static void say(const struct job_config *config, const char *what)
{
    if (config->progress) {
        fprintf(stderr, "\r\033[K%s", what);
        fflush(stderr);
    }
}

/* ---- logs ---- */

/* How far a node's clock is ahead of the originator's: half of what the two
   directions of an exchange differ by, but for the bytes that the answer is
   longer. */
static uint64_t offset_of(const struct probe_row *row, uint64_t transfer_ps)
{
    int64_t forth_ps = (int64_t)(row->t2_ps - row->t1_ps);
    int64_t back_ps = (int64_t)(row->t4_ps - row->t3_ps);
    int64_t longer_bytes = (int64_t)row->answer_bytes - (int64_t)row->bytes;

    return (
        uint64_t)((forth_ps - back_ps + longer_bytes * (int64_t)transfer_ps) /
                  2);
}

/* Times of the originator's clock, none before the job began: an exchange is
   no better than the difference of its two directions. */
static void shift(struct probe_log *log, uint64_t zero_ps, uint64_t transfer_ps)
{
    uint64_t offset_ps = offset_of(&log->row, transfer_ps);

    for (uint32_t i = 0; i < log->count; ++i) {
        uint64_t at_ps = log->event[i].time_ps - offset_ps;

        log->event[i].time_ps =
            (int64_t)(at_ps - zero_ps) < 0 ? zero_ps : at_ps;
    }
}

/* A node that has no part in a batch still has the log of the one before it;
   that of a job before this one is gone since the wave. */
static void drop_old(struct probe_log *log, uint64_t *last_ps)
{
    uint64_t ends_ps = log->count > 0 ? log->event[log->count - 1].time_ps : 0;

    if (ends_ps == *last_ps) {
        log->count = 0;
    }
    *last_ps = ends_ps;
}

/* The volume is complete when the node begins to deal with it. */
static void guess_receipts(struct outcome_node *node)
{
    for (unsigned i = 0; i < node->intervals; ++i) {
        struct outcome_compute_interval *interval = &node->interval[i];

        interval->received_ps = interval->forwarded_ps != 0
                                    ? interval->forwarded_ps
                                    : interval->compute_start_ps;
    }
    node->received_ps = node->interval[0].received_ps;
}

/* A node knows its layer when it has queued its sends. */
static uint8_t layer_of(const struct probe_log *log)
{
    uint8_t layer = 0;

    for (uint32_t i = 0; i < log->count; ++i) {
        if (log->event[i].kind == EVENT_FORWARDED) {
            layer = (uint8_t)log->event[i].detail;
        }
    }
    return layer;
}

static void read_node(struct outcome *outcome, struct probe_log *log,
                      struct run_counts *counts)
{
    uint32_t index = torus_index(outcome->size, log->at);
    struct outcome_node *node = &outcome->node[index];
    uint64_t zero_ps = outcome->plan.scatter_start_ps;

    node->at = log->at;
    drop_old(log, &counts->last_ps[index]);
    shift(log, zero_ps, outcome->plan_profile.transfer_ps);
    node->layer = layer_of(log);
    collect_log(node, log->event, log->count, zero_ps);
    guess_receipts(node);
}

static void count_exchange(struct run_counts *counts,
                           const struct probe_row *row)
{
    counts->log_messages += 2;
    counts->log_bytes += row->bytes + row->answer_bytes;
}

/* The nodes' clocks, by an exchange of two short messages: what the bytes of a
   log took is known no better than what a byte takes. */
static int read_clocks(const struct probe_channel *channel,
                       struct probe_log logs[], uint32_t count,
                       struct run_counts *counts)
{
    struct probe *probe = memory_or_exit(calloc(count + 1u, sizeof *probe));
    struct probe_row *row = memory_or_exit(calloc(count + 1u, sizeof *row));
    int status;

    for (uint32_t i = 0; i < count; ++i) {
        probe[i] = (struct probe){
            .at = logs[i].at, .count = 1, .bytes = PROBE_BYTES_MIN};
    }
    status = probe_measure(channel, row, probe, count);
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        count_exchange(counts, &logs[i].row);
        count_exchange(counts, &row[i]);
        logs[i].row = row[i];
    }
    free(row);
    free(probe);
    return status;
}

/* The logs of all nodes, the originator's from its console. */
static int read_nodes(struct outcome *outcome, struct serial_mesh *mesh,
                      struct run_counts *counts)
{
    const struct probe_channel channel = {.size = outcome->size,
                                          .originator = outcome->originator,
                                          .rows = PROBE_SERIAL_ROWS,
                                          .context = mesh,
                                          .order = serial_mesh_measure};
    uint32_t count = outcome->node_count;
    uint32_t first = torus_index(channel.size, channel.originator);
    struct probe_log *logs = memory_or_exit(calloc(count, sizeof *logs));
    int status;

    /* The originator is no node to be probed: it takes the place of the last,
       which takes its own. */
    for (uint32_t i = 0; i < count; ++i) {
        logs[i].at = torus_coord_of(channel.size, i);
    }
    logs[first].at = logs[count - 1].at;
    logs[count - 1].at = channel.originator;
    status = serial_mesh_trace(mesh, logs[count - 1].event,
                               &logs[count - 1].count) == 0
                 ? 0
                 : EXIT_FAILED;
    if (status == 0) {
        status = probe_logs(&channel, logs, count - 1);
    }
    if (status == 0) {
        status = read_clocks(&channel, logs, count - 1, counts);
    }
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        read_node(outcome, &logs[i], counts);
    }
    free(logs);
    return status;
}

/* The originator's, which is the deepest: it plans. Nothing, if it cannot be
   had: the job is done. */
static void read_stack(struct outcome *outcome, struct serial_mesh *mesh)
{
    uint32_t first = torus_index(outcome->size, outcome->originator);
    struct outcome_node *node = &outcome->node[first];
    struct console_reply reply;
    int error = console_request(mesh->console, &reply, "ps");

    if (error == 0) {
        (void)console_number(&reply, &node->stack_used_bytes,
                             "stack_used_bytes");
        (void)console_number(&reply, &node->stack_bytes, "stack_bytes");
    }
    console_reply_free(&reply);
}

static int read_outcome(struct outcome *outcome,
                        const struct job_config *config,
                        const struct wire_order *order,
                        struct serial_mesh *mesh, struct run_counts *counts)
{
    int status;

    collect_begin(outcome, config, order, 0);
    outcome->on = config->port != NULL ? "boards" : "qemu";
    outcome->board = config->board->place.board;
    status = read_nodes(outcome, mesh, counts);
    if (status == 0) {
        read_stack(outcome, mesh);
        layers_fill(outcome);
    }
    return status;
}

/* ---- the mesh, by peeks ---- */

/* Who is to blame for a job that failed. */
static void show_nodes(const struct job_config *config,
                       const struct serial_mesh *mesh)
{
    struct ps ps;

    if (ps_begin(&ps, mesh->console, config->size, config->originator)) {
        (void)ps_read(&ps);
        ps_explain(&ps, config->firmware);
        ps_print(stderr, &ps);
    }
    ps_end(&ps);
}

/* Whether the nodes of a bench go together: a job with two images, or with a
   slow node, is seldom meant. Who does not answer is found later. */
static int check_nodes(const struct job_config *config,
                       const struct serial_mesh *mesh)
{
    uint32_t nodes = (uint32_t)config->size.width * config->size.height;
    struct identity *identity = memory_or_exit(calloc(nodes, sizeof *identity));
    struct sweep sweep;
    unsigned unfit = 0;

    if (sweep_begin(&sweep, mesh->console, config->size, config->originator) &&
        identity_read(identity, &sweep) >= 0) {
        unfit = identity_print_unfit(stderr, identity, &sweep);
    }
    sweep_end(&sweep);
    free(identity);
    if (unfit > 0 && !config->allow_mixed) {
        fprintf(stderr,
                "quincunx: %u of %u nodes do not go with the originator; "
                "--allow-mixed runs all the same\n",
                unfit, nodes);
        return EXIT_FAILED;
    }
    return 0;
}

/* What the switches of all nodes counted. Result: of how many nodes. */
static uint32_t count(struct ps_counts *counts, const struct job_config *config,
                      const struct serial_mesh *mesh)
{
    struct ps ps;

    memset(counts, 0, sizeof *counts);
    if (ps_begin(&ps, mesh->console, config->size, config->originator)) {
        (void)ps_count(&ps, counts);
    }
    ps_end(&ps);
    return counts->nodes;
}

/* Boards that were just started have counted nothing. */
static void count_before(struct run_counts *counts,
                         const struct job_config *config,
                         const struct serial_mesh *mesh)
{
    if (config->port != NULL) {
        counts->first = count(&counts->before, config, mesh);
    }
}

/* The counters wrap. What was repeated for logs is not told apart. */
static void count_after(struct outcome *outcome,
                        const struct run_counts *counts,
                        const struct job_config *config,
                        const struct serial_mesh *mesh)
{
    const struct ps_counts *before = &counts->before;
    uint32_t nodes = (uint32_t)config->size.width * config->size.height;
    struct ps_counts after;
    uint32_t counted = count(&after, config, mesh);

    if (counted < nodes) {
        fprintf(stderr, "quincunx: only %u of %u nodes told their counters\n",
                counted, nodes);
    }
    if (config->port != NULL && counts->first < nodes) {
        fprintf(stderr,
                "quincunx: only %u of %u nodes told their counters before the "
                "job\n",
                counts->first, nodes);
    }
    if (config->port != NULL && (counts->first < nodes || counted < nodes)) {
        return; /* a difference of sums over other nodes says nothing */
    }
    outcome->messages =
        (uint32_t)(after.messages - before->messages) - counts->log_messages;
    outcome->payload_bytes = (uint32_t)(after.bytes - before->bytes) -
                             counts->log_bytes -
                             outcome->messages * CIRCUIT_HEADER_BYTES;
    outcome->retries = (uint32_t)(after.retries - before->retries);
    outcome->retransmissions =
        (uint32_t)(after.retransmitted - before->retransmitted);
}

/* ---- the job ---- */

/* Errors that no order could have. */
static bool nodes_failed(const struct outcome *outcome)
{
    switch ((enum err)outcome->plan.error) {
    case ERR_PORT_BUSY:
    case ERR_CORRUPT:
    case ERR_DEAD_LINK:
    case ERR_VERSION:
    case ERR_FOREIGN:
    case ERR_LENGTH:
    case ERR_KIND:
    case ERR_FIELD:
    case ERR_PLACE:
    case ERR_IMAGE:
    case ERR_PLAN:
    case ERR_TERMS:
        return true;
    default:
        return false;
    }
}

/* What batches are carried out with. */
struct job {
    const struct job_config *config;
    const uint8_t *tree;
    struct serial_mesh *mesh;
    struct run_counts counts;
};

static int carry_out(void *context, struct outcome *outcome, uint32_t index)
{
    struct job *job = context;
    const struct job_config *config = job->config;
    double start_s = mesh_wall_s();
    struct job_order order;
    enum mesh_end ended;
    int status = EXIT_FAILED;

    job_order_make(&order, config, job->tree, index);
    ended = serial_mesh_run(job->mesh, &order.mesh);
    job_order_free(&order);
    if (ended == MESH_DONE) {
        status = job_order_report(outcome, &job->mesh->report, config);
    }
    if (ended != MESH_DONE || (status != 0 && nodes_failed(outcome))) {
        show_nodes(config, job->mesh);
    }
    if (ended != MESH_DONE) {
        serial_mesh_give_up(job->mesh);
    }
    if (status == 0 && !order.mesh.more) {
        count_after(outcome, &job->counts, config, job->mesh);
    }
    if (status == 0) {
        outcome->run_wall_s = mesh_wall_s() - start_s;
        status =
            read_outcome(outcome, config, &order.wire, job->mesh, &job->counts);
        if (status != 0) {
            show_nodes(config, job->mesh);
        }
    }
    return status;
}

struct serial_mesh_config serial_job_mesh(const struct job_config *config)
{
    return (struct serial_mesh_config){
        .size = config->size,
        .originator = config->originator,
        .port = config->port,
        .wired = {.qemu = emulator_program(),
                  .machine = config->board->machine,
                  .firmware = config->firmware,
                  .noise = config->noise},
        .watchdog_s = config->watchdog_s};
}

int serial_job_run(struct outcome *outcome, const struct job_config *config)
{
    const struct serial_mesh_config mesh_config = serial_job_mesh(config);
    struct job_config sized = *config;
    struct serial_mesh mesh;
    struct job job = {.config = &sized, .mesh = &mesh};
    double start_s = mesh_wall_s();
    uint8_t *tree;
    int status;

    memset(outcome, 0, sizeof *outcome);
    status = job_order_tree(&tree, config);
    if (status != 0) {
        return status;
    }
    job.counts.last_ps =
        memory_or_exit(calloc((size_t)config->size.width * config->size.height,
                              sizeof *job.counts.last_ps));
    say(config, "starting boards, which find each other");
    status = serial_mesh_start(&mesh, &mesh_config);
    if (status == 0) {
        job.tree = tree;
        sized.room_bytes = mesh.room_bytes;
        say(config, "all boards up; the job runs");
        status = config->port != NULL ? check_nodes(config, &mesh) : 0;
        if (status == 0 && !batches_fit(&sized)) {
            status = EXIT_FAILED;
        }
        if (status == 0) {
            count_before(&job.counts, &sized, &mesh);
            status = batches_run(outcome, &sized, carry_out, &job);
            outcome->boot_wall_s = mesh.up_wall_s - start_s;
        }
        say(config, "");
        serial_mesh_stop(&mesh);
    }
    free(job.counts.last_ps);
    free(tree);
    return status == 0 ? 0 : EXIT_FAILED;
}
