/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of native nodes: their times, and every node's log through the
   originator, between jobs. */
#include "hal/events.h"
#include "qemu/fabric/mesh.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/probe.h"
#include "qemu/schedule/registry.h"
#include "test/unit/unit.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define STARTUP_PS 5000000u
#define BYTE_PS 80000u
#define HOP_PS 100000u
#define UNITS 100000u
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A mesh of native nodes that a test gives orders of any kind. */
struct suite {
    struct mesh_config config;
    struct backend backend;
    struct mesh mesh;
    struct job_mesh job; /* the mesh for probes */
    struct job_task task;
    struct request request;
    struct job_originator originator;
};

void test_probes(struct unit *unit);

/* Gives an order after which others follow. */
static enum mesh_end give(struct suite *suite, uint8_t kind,
                          const uint8_t *head, uint32_t head_bytes)
{
    struct mesh_order order = {.job = 3,
                               .kind = kind,
                               .head = head,
                               .head_bytes = head_bytes,
                               .more = true};

    return mesh_run(&suite->mesh, &order);
}

/* The probed mesh's order(). */
static int order(struct job_mesh *job, const struct mesh_order orders[])
{
    struct suite *suite =
        (struct suite *)(void *)((char *)job - offsetof(struct suite, job));

    return mesh_run(&suite->mesh, orders) == MESH_DONE ? 0 : 1;
}

/* The pattern on a 5x5 torus, or along trees on another. */
static void suite_open(struct suite *suite, struct torus_size size,
                       struct torus_coord originator)
{
    static const struct mesh_probing probing = {.ready_delay_ns = 1000};
    static const struct mesh_ops ops = {.probing = &probing, .order = order};

    *suite = (struct suite){
        .config = {.size = size,
                   .originators = 1,
                   .originator = &suite->originator.at,
                   .fabric = {.size = size,
                              .profile.startup_ps = STARTUP_PS,
                              .profile.transfer_ps = BYTE_PS,
                              .profile.hop_delay_ps = HOP_PS},
                   .policy = torus_phases(size) < 0 ? WIRE_TREE : WIRE_PATTERN,
                   .probed = true,
                   .identity = 7},
        .job = {.ops = &ops, .task = &suite->task},
        .task = {.request = &suite->request, .originator = &suite->originator},
        .request = {.size = size},
        .originator = {.at = originator}};
    if (native_start(&suite->backend, torus_nodes(size), 2, NULL) != 0) {
        exit(2);
    }
    mesh_init(&suite->mesh, &suite->config, &suite->backend);
    suite->job.report = suite->mesh.report;
}

static void suite_close(struct suite *suite)
{
    mesh_free(&suite->mesh);
    suite->backend.stop(suite->backend.context);
}

/* Runs `units` of spin on all nodes. */
static void suite_job(struct unit *unit, struct suite *suite, uint32_t units)
{
    static struct rounds_plan tables;
    const struct mesh_config *config = &suite->config;
    uint32_t nodes = torus_nodes(config->size);
    static const uint8_t arg[] = "512";
    uint8_t *tree = NULL;
    struct wire_order wire = {.kernel = "spin",
                              .startup_ps = STARTUP_PS,
                              .transfer_ps = BYTE_PS,
                              .hop_delay_ps = HOP_PS,
                              .load_units = units,
                              .whole_units = units,
                              .phases = WIRE_BEST,
                              .rounds = 1,
                              .ports = TORUS_PORTS,
                              .flags = WIRE_MORE,
                              .arg = arg,
                              .arg_bytes = 3};
    struct wire_report report;
    uint8_t *head;

    wire.policy = config->policy & 0xfu;
    if (config->policy == WIRE_TREE) {
        tree = schedule_tree(
            SCHEDULE_PETERS_SYSKA,
            &(struct schedule_nodes){.size = config->size,
                                     .originator = config->originator[0]});
        wire.tree = tree;
        wire.tree_nodes = (uint16_t)nodes;
    }
    head = malloc(wire_order_head_bytes(&wire));
    if (head == NULL) {
        exit(2);
    }
    wire_order_store(head, &wire);
    CHECK_EQUAL(unit,
                give(suite, WIRE_ORDER, head, wire_order_head_bytes(&wire)),
                MESH_DONE);
    if (suite->mesh.report->data == NULL ||
        wire_report_load(
            &report, &tables, suite->mesh.report->data + CIRCUIT_HEADER_BYTES,
            suite->mesh.report->bytes - CIRCUIT_HEADER_BYTES) != ERR_OK) {
        exit(2);
    }
    CHECK_EQUAL(unit, report.error, ERR_OK);
    CHECK_EQUAL(unit,
                bytes_load_u64(suite->mesh.report->data + CIRCUIT_HEADER_BYTES +
                               wire_report_bytes(&report)),
                units);
    free(head);
    free(tree);
}

/* Every node over the shortest path: the times are the fabric's. */
static void times_are_the_fabrics(struct unit *unit)
{
    static const struct torus_size sizes[] = {{5, 5}, {4, 3}, {1, 7}, {2, 6}};

    for (unsigned n = 0; n < COUNT(sizes); ++n) {
        static struct suite suite;
        uint32_t nodes = (uint32_t)sizes[n].width * sizes[n].height;

        suite_open(&suite, sizes[n], torus_coord_of(sizes[n], 2));
        for (uint32_t i = 0; i < nodes; ++i) {
            struct probe probe = {torus_coord_of(sizes[n], i), 2, 60 + i};
            struct probe_row row[2];
            uint64_t set_up_ps;

            if (i == 2) {
                continue;
            }
            CHECK_EQUAL(unit, probe_measure(&suite.job, row, &probe, 1), 0);
            set_up_ps = STARTUP_PS + HOP_PS * row[1].hops;
            CHECK_EQUAL(unit, row[1].bytes, 60 + i + CIRCUIT_HEADER_BYTES);
            CHECK_EQUAL(unit, row[1].answer_bytes, row[1].bytes);
            CHECK_EQUAL(unit, row[1].t2_ps - row[1].t1_ps,
                        set_up_ps + BYTE_PS * row[1].bytes);
            CHECK_EQUAL(unit, row[1].t4_ps - row[1].t3_ps,
                        set_up_ps + BYTE_PS * row[1].bytes);
            CHECK_EQUAL(unit, row[1].t3_ps - row[1].t2_ps, 1000000);
            CHECK(unit, row[1].t1_ps > row[0].t4_ps);
        }
        suite_close(&suite);
    }
}

/* The log of a node as probed must be what its window holds. */
static uint32_t check_log(struct unit *unit, struct suite *suite, uint32_t node)
{
    static struct probe_log log;
    const struct window *window =
        suite->backend.window(suite->backend.context, node);
    uint32_t written = window->log.events_written;

    log.at = torus_coord_of(suite->config.size, node);
    CHECK_EQUAL(unit, probe_logs(&suite->job, &log, 1), 0);
    CHECK_EQUAL(unit, log.written, written);
    CHECK_EQUAL(unit, log.count, written < NODE_EVENTS ? written : NODE_EVENTS);
    CHECK(unit, memcmp(log.event, window->log.event,
                       log.count * sizeof log.event[0]) == 0);
    return log.count;
}

/* All logs before a job, after it, and after another one. */
static void logs_of(struct unit *unit, struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);
    static struct suite suite;

    suite_open(&suite, size, (struct torus_coord){0, 0});
    for (uint32_t node = 1; node < nodes; ++node) {
        CHECK_EQUAL(unit, check_log(unit, &suite, node), 0);
    }
    for (unsigned job = 0; job < 2; ++job) {
        suite_job(unit, &suite, UNITS + job);
        for (unsigned again = 0; again < 2; ++again) {
            for (uint32_t node = 1; node < nodes; ++node) {
                /* forwarded, start, end, results of children, queued, done */
                CHECK(unit, check_log(unit, &suite, node) >= 5);
            }
        }
    }
    suite_close(&suite);
}

static void logs_before_and_after_jobs(struct unit *unit)
{
    logs_of(unit, (struct torus_size){5, 5});
    logs_of(unit, (struct torus_size){4, 6}); /* along a tree */
}

/* A log that overflowed: the first events, and how many there were. */
static void a_full_log(struct unit *unit)
{
    static struct suite suite;
    struct window *window;

    suite_open(&suite, (struct torus_size){5, 5}, (struct torus_coord){0, 0});
    suite_job(unit, &suite, UNITS);
    window = suite.backend.window(suite.backend.context, 7);
    for (uint32_t i = 0; i < 1000; ++i) {
        events_record(&window->log, i, EVENT_COMPUTE_END, i, 2 * i);
    }
    CHECK_EQUAL(unit, check_log(unit, &suite, 7), NODE_EVENTS);
    suite_job(unit, &suite, UNITS);
    CHECK(unit, check_log(unit, &suite, 7) < NODE_EVENTS);
    suite_close(&suite);
}

void test_probes(struct unit *unit)
{
    UNIT_RUN(unit, times_are_the_fabrics);
    UNIT_RUN(unit, logs_before_and_after_jobs);
    UNIT_RUN(unit, a_full_log);
}
