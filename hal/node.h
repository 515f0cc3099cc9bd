/* SPDX-License-Identifier: Apache-2.0 */
/* A node's identity, state, and log. A host can read all of these even after
   the node has died. Comments name the only writer of each struct: the node's
   program, or its switch. */
#ifndef HAL_NODE_H
#define HAL_NODE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Ports of the switch: the four of the torus, then the host's. */
#define NODE_PORTS 5u
#define NODE_PORT_HOST 4u

/* Sizes of the log; the build of a board with little memory sets less. */
#ifndef NODE_EVENTS
#define NODE_EVENTS 512u
#endif
#ifndef NODE_CONSOLE_BYTES
#define NODE_CONSOLE_BYTES 2048u
#endif

/* The node's coordinates and mesh, written before its program starts. */
struct node_identity { /* written by the switch */
    uint32_t magic;    /* WINDOW_MAGIC; 0 on a board without a window */
    uint32_t version;  /* WINDOW_VERSION */
    uint32_t bytes;    /* size of the whole window */
    uint32_t mesh;     /* identity of this mesh, in every message */
    uint16_t width;
    uint16_t height;
    uint16_t x;
    uint16_t y;
    uint16_t originator_x;
    uint16_t originator_y;
    uint16_t fault_injection; /* enum node_injection, for tests */
    uint8_t policy;           /* policy of all jobs: enum wire_policy */
    uint8_t probed; /* 1: probes (test messages) may precede the job */
};

enum node_injection {
    NODE_INJECT_NONE,
    NODE_INJECT_FAULT, /* execute an undefined instruction in the job */
    NODE_INJECT_HANG,  /* loop forever in the job */
    NODE_INJECT_DIE, /* loop forever in the job and in the timer's interrupt */
    NODE_INJECT_ASSERT
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

/* Returns a mesh's identity; its highest byte is the same in all meshes. */
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
    uint32_t check; /* failed assertion, as CHECK_PLACE(); 0: none failed */
};

/* How a kernel did not keep to its terms. */
struct node_breach {
    uint32_t first_unit; /* first unit of the node's last range */
    uint32_t units;      /* number of units of that range */
    uint32_t bytes;      /* length of the result or output */
    uint32_t promised;   /* length that the terms allow, bytes */
};

struct node_status { /* written by the node */
    uint32_t state;  /* enum node_state */
    int32_t error;   /* enum err: why it failed, or waits for a call */
    uint32_t stack_bytes;
    uint32_t stack_used_bytes;
    struct node_breach breach; /* valid if err_is_breach(error) */
    struct node_fault fault;
};

struct node_counters { /* written by the switch */
    uint64_t sent_bytes;
    uint64_t received_bytes;
    uint64_t busy_ps;  /* time in which a circuit held the port's output */
    uint64_t stall_ps; /* time in which sends waited for other circuits */
    uint32_t sent_messages;
    uint32_t received_messages;
    uint32_t stalls;
    uint32_t errors;
};

struct node {
    struct node_identity identity;
    struct node_status status;
};

struct node_event { /* written by the node */
    uint64_t time_ps;
    uint16_t kind; /* enum event_kind, hal/events.h */
    uint16_t detail;
    uint32_t value;
};

struct node_log {             /* written by the node */
    uint32_t events_written;  /* entries; any above NODE_EVENTS were dropped */
    uint32_t console_written; /* bytes so far; the ring keeps the last ones */
    struct node_event event[NODE_EVENTS];
    char console[NODE_CONSOLE_BYTES];
};

static_assert(sizeof(struct node_identity) == 32, "identity layout");
static_assert(sizeof(struct node_counters) == 48, "counters layout");
static_assert(sizeof(struct node_event) == 16, "event layout");

#endif
