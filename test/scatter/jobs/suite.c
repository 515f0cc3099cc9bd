/* SPDX-License-Identifier: Apache-2.0 */
#include "test/scatter/jobs/suite.h"

#include "hal/events.h"
#include "qemu/fabric/mesh.h"
#include "qemu/job/collect.h"
#include "qemu/outcome/output_chunks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STARTUP_PS 10000u

/* A network so quick that every node is worth its sends; and one that several
   rounds are feasible on: a unit is computed in 16 times what it is sent in,
   32 ps for each instruction in a thousand units. */
#define BYTE_PS 10u
#define INSTRUCTIONS 1000000u
#define BALANCED_BYTE_PS 1000u
#define BALANCED_INSTRUCTIONS (16u * BALANCED_BYTE_PS / 32u)

static void *must(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    return memory;
}

/* ---- the order ---- */

static uint64_t all_units(const struct job *job)
{
    return (uint64_t)job->first_unit + job->units + job->later_units;
}

static bool is_balanced(const struct job *job)
{
    return job->rounds > 1 && job->rounds != WIRE_BEST;
}

static uint8_t policy_of(const struct job *job)
{
    if (!job->tree) {
        return WIRE_PATTERN;
    }
    return job->schedule == SCHEDULE_FARM ? WIRE_FARM : WIRE_TREE;
}

static uint32_t byte_ps(const struct job *job)
{
    return is_balanced(job) ? BALANCED_BYTE_PS : BYTE_PS;
}

static uint8_t *make_arg(const struct job *job, uint32_t bytes)
{
    uint8_t *arg = must(calloc(bytes, 1));

    for (uint32_t i = ECHO_ARG_BYTES; i < bytes; ++i) {
        arg[i] = echo_filler(i);
    }
    bytes_store_u32(arg + ECHO_AT_BEFORE, job->before_bytes);
    bytes_store_u32(arg + ECHO_AT_AFTER, job->after_bytes);
    bytes_store_u16(arg + ECHO_AT_NUMERATOR, job->numerator);
    bytes_store_u16(arg + ECHO_AT_DENOMINATOR, job->denominator);
    arg[ECHO_AT_VARIES] = job->varies;
    arg[ECHO_AT_LIES] = (uint8_t)job->lies;
    bytes_store_u64(arg + ECHO_AT_UNITS, all_units(job));
    bytes_store_u32(arg + ECHO_AT_INSTRUCTIONS,
                    is_balanced(job) ? BALANCED_INSTRUCTIONS * job->unit_bytes
                                     : INSTRUCTIONS);
    return arg;
}

static uint32_t least(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

static struct wire_order make_order(const struct job *job)
{
    uint64_t first = (uint64_t)job->first_unit * job->unit_bytes;
    uint64_t later = (uint64_t)job->later_units * job->unit_bytes;

    return (struct wire_order){
        .kernel = "echo",
        .startup_ps = STARTUP_PS,
        .transfer_ps = byte_ps(job),
        .load_units = job->units,
        .phases =
            is_balanced(job) ? (uint8_t)torus_phases(job->size) : WIRE_BEST,
        .rounds = job->rounds > 0 ? job->rounds : 1,
        .ports = job->ports > 0 ? job->ports : TORUS_PORTS,
        .flags = (uint8_t)((job->stored ? WIRE_STORE_AND_FORWARD : 0u) |
                           (schedule_is_equal(job->schedule) ? WIRE_EQUAL_SHARES
                                                             : 0u)),
        .unit_bytes = job->unit_bytes,
        .arg_bytes = job->arg_bytes > 0 ? job->arg_bytes : ECHO_ARG_BYTES,
        .first_unit = job->first_unit,
        .before_bytes =
            least(first, job->before_bytes) + (uint32_t)job->before_wrong,
        .after_bytes =
            least(later, job->after_bytes) + (uint32_t)job->after_wrong};
}

static uint8_t *make_load(const struct wire_order *order)
{
    uint32_t bytes = (uint32_t)wire_order_load_bytes(order);
    uint64_t first =
        (uint64_t)order->first_unit * order->unit_bytes - order->before_bytes;
    uint8_t *load = must(malloc(bytes + 1u));

    for (uint32_t i = 0; i < bytes; ++i) {
        load[i] = echo_load(first + i);
    }
    return load;
}

/* ---- running ---- */

static void read_report(struct job_outcome *outcome, const struct job *job,
                        const struct mesh_report *report)
{
    static struct rounds_plan tables;
    struct kernel_terms terms = {.result_bytes_max = 9,
                                 .output_numerator = job->numerator,
                                 .output_denominator = job->denominator};
    const uint8_t *at = report->data + CIRCUIT_HEADER_BYTES;
    uint32_t bytes = report->bytes - CIRCUIT_HEADER_BYTES;
    uint32_t head;

    if (report->data == NULL ||
        wire_report_load(&outcome->report, &tables, at, bytes) != ERR_OK) {
        fprintf(stderr, "no report\n");
        exit(2);
    }
    head = wire_report_bytes(&outcome->report);
    if (outcome->report.error == ERR_OK &&
        output_chunks_join(&outcome->result, at + head, bytes - head, &terms) !=
            0) {
        fprintf(stderr, "malformed output\n");
        exit(2);
    }
}

/* Nodes whose log is as `is` says. */
static uint32_t count_logs(const struct mesh *mesh,
                           bool (*is)(const struct node_log *log))
{
    const struct backend *backend = mesh->backend;
    uint32_t nodes = torus_nodes(mesh->config->size);
    uint32_t found = 0;

    for (uint32_t node = 0; node < nodes; ++node) {
        found += is(&backend->window(backend->context, node)->log);
    }
    return found;
}

static bool notes_anything(const struct node_log *log)
{
    return log->events_written > 0;
}

/* Whether a log's last event, and no other, is the end of the job. */
static bool notes_end(const struct node_log *log)
{
    uint32_t ends = 0;
    uint32_t last = 0;

    for (uint32_t i = 0; i < log->events_written && i < NODE_EVENTS; ++i) {
        last = log->event[i].kind;
        ends += last == EVENT_DONE;
    }
    return ends == 1 && last == EVENT_DONE;
}

/* The digest of all events and circuits, in times from 0 on. */
static void read_timeline(char hex[TIMELINE_HEX_BYTES], const struct mesh *mesh)
{
    const struct backend *backend = mesh->backend;
    struct outcome outcome = {.size = mesh->config->size,
                              .node_count = torus_nodes(mesh->config->size)};

    outcome.node = must(calloc(outcome.node_count, sizeof *outcome.node));
    outcome.circuit = (struct circuit_record *)(uintptr_t)fabric_circuits(
        mesh->fabric, &outcome.circuit_count);
    for (uint32_t i = 0; i < outcome.node_count; ++i) {
        const struct node_log *log = &backend->window(backend->context, i)->log;

        collect_log(&outcome.node[i], log->event,
                    least(log->events_written, NODE_EVENTS), 0);
    }
    if (timeline_sha256(&outcome, hex) != 0) {
        exit(2);
    }
    outcome.circuit = NULL; /* the fabric's */
    outcome_free(&outcome);
}

static void job_order(struct job_outcome *outcome, const struct job *job,
                      const struct wire_order *wire)
{
    struct mesh_config config = {.size = job->size,
                                 .originator = job->originator,
                                 .fabric = {.size = job->size,
                                            .startup_ps = STARTUP_PS,
                                            .transfer_ps = byte_ps(job),
                                            .ports_at_once = wire->ports,
                                            .store_and_forward = job->stored},
                                 .policy = policy_of(job),
                                 .identity = 1};
    struct mesh_order order = {.job = 1, .kind = WIRE_ORDER};
    uint8_t *head = must(malloc(wire_order_head_bytes(wire)));
    struct backend backend;
    struct mesh mesh;

    wire_order_store(head, wire);
    order.head = head;
    order.head_bytes = wire_order_head_bytes(wire);
    order.load.data = wire->load;
    order.load_bytes = (uint32_t)wire_order_load_bytes(wire);
    if (native_start(&backend, torus_nodes(job->size),
                     job->threads > 0 ? job->threads : 1) != 0) {
        exit(2);
    }
    mesh_init(&mesh, &config, &backend);
    if (mesh_run(&mesh, &order) != MESH_DONE) {
        exit(2);
    }
    read_report(outcome, job, mesh.report);
    read_timeline(outcome->timeline, &mesh);
    outcome->nodes = count_logs(&mesh, notes_anything);
    outcome->ended = count_logs(&mesh, notes_end);
    mesh_free(&mesh);
    backend.stop(backend.context);
    free(head);
}

void job_run(struct job_outcome *outcome, const struct job *job)
{
    struct wire_order order = make_order(job);
    uint8_t *arg = make_arg(job, order.arg_bytes);
    uint8_t *load = make_load(&order);
    uint8_t *tree = NULL;

    if (job->tree) {
        tree = must(
            schedule_tree(job->schedule, job->size, job->originator, NULL));
        order.tree_nodes = torus_nodes(job->size);
    }
    order.arg = arg;
    order.load = load;
    order.tree = tree;
    order.policy = policy_of(job);
    echo_wrong = 0;
    memset(outcome, 0, sizeof *outcome);
    job_order(outcome, job, &order);
    free(arg);
    free(load);
    free(tree);
}

void job_free(struct job_outcome *outcome)
{
    free(outcome->result.data);
    free(outcome->result.output);
}

/* ---- judging ---- */

/* The whole output, in one loop; its bytes, into `out`. */
static uint32_t whole_output(uint8_t *out, const struct job *job)
{
    uint64_t end = (uint64_t)job->first_unit + job->units;
    uint32_t bytes = 0;

    if (job->denominator == 0) {
        return 0;
    }
    if (job->varies) {
        for (uint64_t unit = job->first_unit; unit < end; ++unit) {
            if (echo_varies(unit)) {
                out[bytes++] = echo_output(unit);
            }
        }
        return bytes;
    }
    for (uint64_t at =
             (uint64_t)job->first_unit * job->numerator / job->denominator;
         at < end * job->numerator / job->denominator; ++at) {
        out[bytes++] = echo_output(at);
    }
    return bytes;
}

static uint64_t output_room(const struct job *job)
{
    return job->denominator == 0
               ? 1
               : (uint64_t)job->units * job->numerator / job->denominator + 2;
}

uint32_t job_check(struct unit *unit, const struct job *job)
{
    uint8_t *want = must(malloc(output_room(job)));
    uint32_t bytes = whole_output(want, job);
    struct job_outcome outcome;
    uint32_t nodes;

    job_run(&outcome, job);
    nodes = outcome.nodes;
    CHECK_EQUAL(unit, outcome.report.error, ERR_OK);
    CHECK_EQUAL(unit, echo_wrong, 0);
    if (outcome.report.error == ERR_OK) {
        CHECK_EQUAL(unit, outcome.ended, nodes);
        CHECK_EQUAL(unit, outcome.result.bytes, 8);
        CHECK(unit, kernel_load_u64(outcome.result.data) == job->units);
        CHECK_EQUAL(unit, outcome.result.output_bytes, bytes);
        CHECK(unit, outcome.result.output_bytes == bytes &&
                        (bytes == 0 ||
                         memcmp(outcome.result.output, want, bytes) == 0));
        CHECK(unit,
              job->tree || job->rounds == WIRE_BEST ||
                  outcome.report.rounds == (job->rounds > 0 ? job->rounds : 1));
    }
    job_free(&outcome);
    free(want);
    return nodes;
}
