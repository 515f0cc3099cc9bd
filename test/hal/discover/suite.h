/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discover [--all]: tests of discovery, as TAP (unit_host()).
 *
 * Meshes of nodes that discover each other, in virtual time: cables join any
 * two ports, frames take their time and may get lost. What must be found is
 * computed here, from the cables alone.
 */
#ifndef TEST_HAL_DISCOVER_SUITE_H
#define TEST_HAL_DISCOVER_SUITE_H

#include "hal/discover/internal.h"
#include "qemu/serial/fault_text.h"
#include "hal/err.h"
#include "test/unit/unit.h"

#define MESH_NOWHERE UINT32_MAX
#define MESH_QUEUE 4u
#define MESH_RETRY_US 5000u
#define MESH_FAULTS 4096u

/* A port of a node, 4 * node + port. */
#define END(node, port) (4u * (node) + (port))

struct mesh_frame {
    uint64_t due_us;
    uint8_t bytes;
    uint8_t data[DISCOVER_FRAME_BYTES_MAX];
};

/* What one port has sent and has not come out at the other end yet. */
struct mesh_line {
    struct mesh *mesh;
    uint32_t first;
    uint32_t count;
    uint32_t tests_lost;
    uint32_t tests_to_lose; /* the first that pass */
    bool cut;               /* nothing comes out */
    struct mesh_frame frame[MESH_QUEUE];
};

struct mesh {
    struct torus_size size; /* as wired */
    uint32_t nodes;
    uint32_t originator;
    uint64_t now_us;
    uint64_t seed;
    uint32_t lost_permille;
    uint32_t delay_us; /* at most, beside what a frame needs */
    uint64_t told;     /* frames */
    uint8_t lost_max;
    bool *dead;
    const struct torus_coord *strap; /* of every node, or NULL */
    struct discover *node;
    struct mesh_line *line; /* of every end .. */
    uint32_t *peer;         /* .. and where it leads, or nowhere */
    uint32_t wanted_count;
    struct discover_fault *wanted;
};

/* A mesh wired as it must be. */
struct mesh *mesh_new(unsigned width, unsigned height);
void mesh_free(struct mesh *mesh);

/* Forgets all that happened; cables, straps and settings stay. */
void mesh_reset(struct mesh *mesh);

/* Puts every cable where it belongs; all nodes live. */
void mesh_wire(struct mesh *mesh);

/* Where a port must lead. */
uint32_t mesh_right(const struct mesh *mesh, uint32_t end);

/* A cable between two ports; what was plugged in there hangs in the air. */
void mesh_plug(struct mesh *mesh, uint32_t a, uint32_t b);
void mesh_unplug(struct mesh *mesh, uint32_t end);

uint64_t mesh_random(struct mesh *mesh);

/* Lets time pass. */
void mesh_step(struct mesh *mesh);

/* Until every living node is ready; whether that was within the time that
   the header states. */
bool mesh_run(struct mesh *mesh);

/* The node starts a wave: of the right size, from where it is. */
int mesh_start(struct mesh *mesh, uint32_t node, uint8_t flags);

/* The originator starts, and the wave runs to its end. */
bool mesh_discover(struct mesh *mesh);

/* The faults that a look at the cables tells. */
void mesh_want(struct mesh *mesh);
void mesh_want_one(struct mesh *mesh, struct discover_fault fault);

/* The originator has these faults and no others, and every living node knows
   where it is. Names the case in case it fails. */
void mesh_check(struct unit *unit, struct mesh *mesh, const char *what,
                unsigned number);

void test_sizes(struct unit *unit);
void test_wiring(struct unit *unit);
void test_loss(struct unit *unit);
void test_waves(struct unit *unit);
void test_text(struct unit *unit);

#endif
