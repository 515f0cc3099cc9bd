/* SPDX-License-Identifier: Apache-2.0 */
#include "test/qemu/probe/suite.h"

#include "qemu/schedule/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order(void *context, const uint8_t **report, uint32_t *report_bytes,
                 const uint8_t *list, uint32_t list_bytes)
{
    struct suite *suite = context;

    if (suite_order(suite, WIRE_MEASURE, list, list_bytes) != MESH_DONE) {
        return 1;
    }
    *report = suite->mesh.report->data + CIRCUIT_HEADER_BYTES;
    *report_bytes = suite->mesh.report->bytes - CIRCUIT_HEADER_BYTES;
    return 0;
}

void suite_open(struct suite *suite, struct torus_size size,
                struct torus_coord originator)
{
    *suite = (struct suite){
        .config = {.size = size,
                   .originator = originator,
                   .fabric = {.size = size,
                              .startup_ps = SUITE_STARTUP_PS,
                              .transfer_ps = SUITE_BYTE_PS,
                              .hop_delay_ps = SUITE_HOP_PS},
                   .policy = torus_phases(size) < 0 ? WIRE_TREE : WIRE_PATTERN,
                   .probed = true,
                   .identity = 7},
        .channel = {.size = size,
                    .originator = originator,
                    .ready_delay_ns = 1000,
                    .context = suite,
                    .order = order}};
    if (native_start(&suite->backend, torus_nodes(size), 2) != 0) {
        exit(2);
    }
    mesh_init(&suite->mesh, &suite->config, &suite->backend);
}

void suite_close(struct suite *suite)
{
    mesh_free(&suite->mesh);
    suite->backend.stop(suite->backend.context);
}

enum mesh_end suite_order(struct suite *suite, uint8_t kind,
                          const uint8_t *head, uint32_t head_bytes)
{
    struct mesh_order order = {.job = 3,
                               .kind = kind,
                               .head = head,
                               .head_bytes = head_bytes,
                               .more = true};

    return mesh_run(&suite->mesh, &order);
}

void suite_job(struct unit *unit, struct suite *suite, uint32_t units)
{
    static struct rounds_plan tables;
    const struct mesh_config *config = &suite->config;
    uint32_t nodes = torus_nodes(config->size);
    static const uint8_t arg[] = "512";
    uint8_t *tree = NULL;
    struct wire_order wire = {.kernel = "spin",
                              .startup_ps = SUITE_STARTUP_PS,
                              .transfer_ps = SUITE_BYTE_PS,
                              .hop_delay_ps = SUITE_HOP_PS,
                              .load_units = units,
                              .phases = WIRE_BEST,
                              .rounds = 1,
                              .ports = TORUS_PORTS,
                              .flags = WIRE_MORE,
                              .arg = arg,
                              .arg_bytes = 3};
    struct wire_report report;
    uint8_t *head;

    wire.policy = config->policy;
    if (config->policy == WIRE_TREE) {
        tree = schedule_tree(SCHEDULE_PETERS_SYSKA, config->size,
                             config->originator, NULL);
        wire.tree = tree;
        wire.tree_nodes = nodes;
    }
    head = malloc(wire_order_head_bytes(&wire));
    if (head == NULL) {
        exit(2);
    }
    wire_order_store(head, &wire);
    CHECK_EQUAL(
        unit,
        suite_order(suite, WIRE_ORDER, head, wire_order_head_bytes(&wire)),
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
