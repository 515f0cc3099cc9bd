/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages over a mesh of switches, and whether each comes where it should:
 * once, at the right port, of the right kind, with the right bytes. The kind
 * tells them apart. What is right is computed from geometry and a random
 * number, not asked of the switch.
 */
#ifndef TEST_HAL_SWITCH_TRAFFIC_H
#define TEST_HAL_SWITCH_TRAFFIC_H

#include "test/hal/switch/mesh.h"

#include "test/unit/unit.h"

#define TRAFFIC_MAX 253u
#define TRAFFIC_PAGE 7u /* that peeks ask for */
/* Out of the east port of node 0 of 3x3, over node 1, to node 4; in at its
   south. */
#define KNEE LEFT(TORUS_EAST, 1, 1)
#define TRAFFIC_LIMIT_US 60000000u

struct parcel {
    struct switch_message message;
    uint64_t at_us; /* when to send it */
    uint8_t *bytes;
    uint32_t length;
    uint32_t from;
    uint32_t to;
    unsigned arrival;
    unsigned delivered;
    bool sent;
    uint8_t reply[SWITCH_STATUS_BYTES + 1]; /* to a peek */
};

struct traffic {
    struct mesh *mesh;
    uint64_t random;
    uint32_t slow_us; /* the longest that a node takes to post a receive */
    uint32_t capacity_bytes;
    uint32_t parcels;
    uint32_t wrong;            /* deliveries */
    const char *what;          /* the last wrong one */
    bool deaf[MESH_NODES_MAX]; /* posts no receive */
    uint64_t post_us[MESH_NODES_MAX];
    struct switch_receive receive[MESH_NODES_MAX];
    uint8_t *buffer[MESH_NODES_MAX];
    struct parcel parcel[TRAFFIC_MAX];
};

/* Every node of the mesh takes any message of at most so many bytes. */
struct traffic *traffic_make(struct torus_size size, uint64_t seed,
                             uint32_t capacity_bytes);
void traffic_free(struct traffic *traffic);

/* Adds a message, to be sent after so long. */
struct parcel *traffic_add(struct traffic *traffic, uint32_t from,
                           struct torus_path path, uint32_t length,
                           uint32_t after_us);
/* Makes it a peek, which the node at the end answers, whatever its program
   does. */
void traffic_peek(struct parcel *parcel);

/* No node receives any more. */
void traffic_deafen(struct traffic *traffic);

/* From when it was given to the switch until it was done. */
uint32_t duration_us(const struct parcel *parcel);

/* Whether all messages are done. */
bool traffic_done(struct mesh *mesh);

/* Runs until all are done and the mesh is quiet; whether that came. */
bool traffic_run(struct traffic *traffic);

/* NULL if all is as it should be, else what is not: each message done with
   ERR_OK and delivered once; no trouble counted unless faults were made. A peek
   may find a port that is held. */
const char *traffic_trouble(const struct traffic *traffic);

/* The same for messages that may have failed: never twice, nothing wrong. */
const char *traffic_wrong(const struct traffic *traffic);

/* Runs it, checks that there is no trouble, and frees it. */
void traffic_check(struct unit *unit, struct traffic *traffic);

#endif
