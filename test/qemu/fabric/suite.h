/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric's tests, and the short ways in which they drive it. */
#ifndef TEST_QEMU_FABRIC_SUITE_H
#define TEST_QEMU_FABRIC_SUITE_H

#include "qemu/fabric/fabric.h"
#include "test/unit/unit.h"

#define MESH_HOST (1u << NODE_PORT_HOST)

/* A profile with numbers that are easy to tell apart. */
#define STARTUP_PS 1000u
#define HOP_PS 10u
#define BYTE_PS 3u
#define HELD_PS(hops, bytes)                                                   \
    (STARTUP_PS + (uint64_t)HOP_PS * (hops) + (uint64_t)BYTE_PS * (bytes))

/* What fabric_next() asked for since the last time that it had to wait. */
#define ACTIONS_MAX 64u

struct actions {
    struct fabric_action action[ACTIONS_MAX];
    enum fabric_step step[ACTIONS_MAX];
    uint32_t count;
    enum fabric_step last; /* FABRIC_WAIT or FABRIC_STUCK */
};

/* A mesh of the profile above. */
struct fabric *suite_mesh(uint16_t width, uint16_t height);
struct fabric_config suite_config(uint16_t width, uint16_t height);

/* Goes on until a node must speak, or nothing can happen any more. */
void suite_advance(struct fabric *fabric, struct actions *actions);

/* The same, and checks how many actions there were. */
void suite_expect(struct unit *unit, struct fabric *fabric,
                  struct actions *actions, uint32_t count);

/* Ends, at time 0, every node of a mesh but those of the mask. */
void suite_end_others(struct fabric *fabric, uint32_t nodes, uint64_t mask);

/* Straight and turned sends; the cookie is a number that is easy to find. */
struct suite_send {
    uint32_t node;
    uint64_t ready_ps;
    struct torus_path path;
    uint32_t bytes;
    uint64_t gap_ps;
    uintptr_t cookie;
};

void suite_send(struct fabric *fabric, const struct suite_send *send);

/* The only circuit of this source, port and byte count, or NULL. */
const struct circuit_record *suite_circuit(const struct fabric *fabric,
                                           uint32_t source, unsigned port,
                                           uint32_t bytes);

void test_circuits(struct unit *unit);
void test_conflicts(struct unit *unit);
void test_deadlines(struct unit *unit);
void test_horizon(struct unit *unit);
void test_nodes(struct unit *unit);
void test_memory(struct unit *unit);
void test_order(struct unit *unit);
void test_ports(struct unit *unit);
void test_slices(struct unit *unit);

#endif
