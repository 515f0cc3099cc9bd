/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A torus of switches, joined by simulated serial lines, in virtual
 * microseconds: event by event, and equal seeds do the same. A line takes
 * byte_us for a byte; it may lose, change, repeat and delay bytes.
 */
#ifndef TEST_HAL_SWITCH_MESH_H
#define TEST_HAL_SWITCH_MESH_H

#include "hal/switch/switch.h"

#define SQUARE(side) ((struct torus_size){(uint16_t)(side), (uint16_t)(side)})
#define STRAIGHT(port, hops)                                                   \
    ((struct torus_path){(uint8_t)(port), TORUS_STRAIGHT, (uint16_t)(hops), 0})
#define LEFT(port, hops, after)                                                \
    ((struct torus_path){(uint8_t)(port), TORUS_LEFT, (uint16_t)(hops),        \
                         (uint16_t)(after)})
#define MESH_NODES_MAX 25u
#define MESH_LINES_MAX (MESH_NODES_MAX * TORUS_PORTS)
#define MESH_BYTE_US 10u
#define MESH_TICK_US 500u
#define MESH_SLACK_US 1000u
#define MESH_BURST_MAX 32u

enum mesh_fault {
    MESH_NONE,
    MESH_DROP,
    MESH_CHANGE,
    MESH_REPEAT,
    MESH_DELAY,
    MESH_FAULTS
};

/* Out of one port of a node: line 4 * node + port. */
struct mesh_line {
    bool busy;
    bool dead;
    uint8_t byte;
    bool hurt;                    /* the frame that is on the way */
    uint32_t bytes;               /* ever */
    uint64_t stalled_us;          /* until then it takes no byte */
    uint8_t held[MESH_BURST_MAX]; /* that arrived and are not given yet */
    uint32_t held_bytes;
};

struct mesh_event {
    uint64_t at_us;
    uint32_t what; /* a line, or MESH_LINES_MAX + a node */
};

struct mesh {
    struct torus_size size;
    uint32_t nodes;
    uint64_t now_us;
    uint32_t byte_us; /* MESH_BYTE_US, and so on */
    uint32_t tick_us;
    bool late_clock; /* nodes know the time of their last tick */
    /* Nodes get up to so many bytes at once, as from DMA: when so many are
       there, at silence, and at an error. 0: each as it comes. */
    uint32_t burst_bytes;
    uint64_t random;
    uint32_t fault_ppm[MESH_FAULTS]; /* of the bytes; [MESH_NONE]: any? */
    uint32_t delay_us_max;
    /* One fault more: to this byte of this line. */
    uint32_t single_line;
    uint32_t single_byte;
    enum mesh_fault single;
    uint8_t single_change; /* xor; 0: to 0 */
    uint8_t single_was;    /* the byte that it met */
    uint32_t hurt_frames;
    uint32_t faults;
    uint32_t astray; /* ticks in which a port relayed without a circuit */
    void (*tick)(struct mesh *mesh, uint32_t node); /* the nodes' programs */
    void (*told)(struct mesh *mesh, uint32_t node, unsigned port,
                 const uint8_t *data, unsigned bytes);
    void *context;
    bool dead[MESH_NODES_MAX];
    struct mesh_line line[MESH_LINES_MAX];
    struct mesh_end {
        struct mesh *mesh;
        uint32_t node;
    } end[MESH_NODES_MAX];
    uint32_t events;
    struct mesh_event event[MESH_LINES_MAX + MESH_NODES_MAX + 1];
    struct switch_core core[]; /* of all nodes */
};

/* The caller frees it. */
struct mesh *mesh_make(struct torus_size size, uint64_t seed);

/* splitmix64 */
uint64_t mesh_random(uint64_t *state);
uint32_t mesh_below(uint64_t *state, uint32_t below);

/* Runs until ended() says so after some event, or for_us have passed. Result:
   whether it ended. */
bool mesh_run(struct mesh *mesh, bool (*ended)(struct mesh *mesh),
              uint64_t for_us);

/* Whether no circuit is held, no ring has anything and no line is busy. */
bool mesh_quiet(struct mesh *mesh);

/* Calls of a node's program. */
void mesh_send(struct mesh *mesh, uint32_t node,
               struct switch_message *message);

/* The sum of all ports. */
struct switch_counters mesh_counters(const struct mesh *mesh);

/* Frames that somebody noticed to be wrong. */
uint32_t mesh_noticed(const struct mesh *mesh);

#endif
