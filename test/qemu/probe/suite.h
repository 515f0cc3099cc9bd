/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh of native nodes that a test gives orders of any kind. */
#ifndef TEST_QEMU_PROBE_SUITE_H
#define TEST_QEMU_PROBE_SUITE_H

#include "qemu/fabric/mesh.h"
#include "qemu/job/probe.h"
#include "test/unit/unit.h"

#define SUITE_STARTUP_PS 5000000u
#define SUITE_BYTE_PS 80000u
#define SUITE_HOP_PS 100000u

struct suite {
    struct mesh_config config;
    struct backend backend;
    struct mesh mesh;
    struct probe_channel channel;
};

/* The pattern on a 5x5 torus, or along trees on another. */
void suite_open(struct suite *suite, struct torus_size size,
                struct torus_coord originator);
void suite_close(struct suite *suite);

/* Gives an order after which others follow. */
enum mesh_end suite_order(struct suite *suite, uint8_t kind,
                          const uint8_t *head, uint32_t head_bytes);

/* Runs `units` of spin, on all nodes if the units are many. */
void suite_job(struct unit *unit, struct suite *suite, uint32_t units);

void test_lists(struct unit *unit);
void test_logs(struct unit *unit);

#endif
