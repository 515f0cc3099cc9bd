/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node as others see it: who it is, how it is, and what happened to it. A
 * host may read all of this also after the node's death: from the window that
 * the two share, or through a console that outlives the job.
 *
 * "node" marks fields that only the node writes, "switch" those that only its
 * circuit switch does (on a board whose switch is software, its driver).
 */
#ifndef HAL_NODE_H
#define HAL_NODE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Ports of the switch: the four of the torus and the host behind it. */
#define NODE_PORTS 5u
#define NODE_PORT_HOST 4u

/* A board with little memory keeps less; its build says how much. */
#ifndef NODE_EVENTS
#define NODE_EVENTS 512u
#endif
#ifndef NODE_CONSOLE_BYTES
#define NODE_CONSOLE_BYTES 2048u
#endif

/* The node's place and mesh, written before its program starts. */
struct node_identity { /* switch */
    uint32_t magic;    /* of the window, hal/window/window.h; 0 without one */
    uint32_t version;
    uint32_t bytes; /* of the whole window */
    uint32_t mesh;  /* identity of this mesh, in every message */
    uint16_t width;
    uint16_t height;
    uint16_t x;
    uint16_t y;
    uint16_t originator_x;
    uint16_t originator_y;
    uint16_t fault_injection; /* enum node_injection, for tests */
    uint8_t policy; /* of its jobs: enum wire_policy, scatter/wire/wire.h */
    uint8_t probed; /* whether probes may come, on any port, before it */
};

enum node_injection {
    NODE_INJECT_NONE,
    NODE_INJECT_FAULT, /* execute an undefined instruction in the job */
    NODE_INJECT_HANG,  /* never leave the job */
    NODE_INJECT_DIE,   /* nor the tick after: of boards on serial lines */
    NODE_INJECT_ASSERT /* fail an assertion in the job */
};

enum node_state {
    NODE_STATE_RESET,
    NODE_STATE_WAITING,
    NODE_STATE_PLANNING,
    NODE_STATE_SCATTERING,
    NODE_STATE_COMPUTING,
    NODE_STATE_GATHERING,
    NODE_STATE_DONE,
    NODE_STATE_FAILED,
    NODE_STATE_FAULT,
    NODE_STATES
};

/* Tells meshes of different sizes apart; its first byte is the same in all. */
static inline uint32_t node_mesh_identity(uint16_t width, uint16_t height)
{
    return 0x51000000u | (uint32_t)width << 12 | height;
}

/* The stacked frame and the status registers (ARMv7-M, B1.5 and B3.2). */
struct node_fault {
    uint32_t valid;
    uint32_t exception; /* IPSR: 3 hard fault, 4 memory, 5 bus, 6 usage */
    uint32_t r[4];
    uint32_t r12;
    uint32_t lr;
    uint32_t pc;
    uint32_t xpsr;
    uint32_t cfsr;
    uint32_t hfsr;
    uint32_t mmfar;
    uint32_t bfar;
    uint32_t sp;
    uint32_t check; /* place of the failed assertion, hal/check.h; 0: none */
};

struct node_status { /* node */
    uint32_t state;  /* enum node_state */
    int32_t error;   /* enum err, with NODE_STATE_FAILED */
    uint32_t stack_bytes;
    uint32_t stack_used_bytes;
    struct node_fault fault;
};

struct node_counters { /* switch */
    uint64_t sent_bytes;
    uint64_t received_bytes;
    uint64_t busy_ps;  /* a circuit out of this port was held */
    uint64_t stall_ps; /* a send waited for a link that others held */
    uint32_t sent_messages;
    uint32_t received_messages;
    uint32_t stalls;
    uint32_t errors;
};

struct node {
    struct node_identity identity;
    struct node_status status;
};

struct node_event { /* node */
    uint64_t time_ps;
    uint16_t kind; /* enum event_kind, hal/events.h */
    uint16_t detail;
    uint32_t value;
};

struct node_log {             /* node */
    uint32_t events_written;  /* ever; the log keeps the first ones */
    uint32_t console_written; /* ever; the ring keeps the last ones */
    struct node_event event[NODE_EVENTS];
    char console[NODE_CONSOLE_BYTES];
};

static_assert(sizeof(struct node_identity) == 32, "identity layout");
static_assert(sizeof(struct node_counters) == 48, "counters layout");
static_assert(sizeof(struct node_event) == 16, "event layout");

#endif
