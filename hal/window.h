/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window: the memory that a node shares with its circuit switch.
 *
 *   0x00000  struct window: identity, status, switch registers, logs
 *   WINDOW_DMA_OFFSET .. bytes  buffers that the switch reads and writes
 *
 * On mps2_an385 it is the whole 16 MiB PSRAM, on the host an array. Registers
 * are little-endian and of fixed width; the assertions below pin what both
 * sides see. "node" marks fields that only the node writes, "switch" those
 * that only the switch (the fabric) writes.
 *
 * Handshake: the node fills `request`, increments request.sequence last and
 * rings its doorbell; the switch fills `response`, sets response.sequence to
 * the same value last and rings back. The switch looks at the send ring
 * only then; each send carries the mesh time at which it was queued. Nothing
 * that a running node may read changes behind its back: `done` moves only in
 * the answer to WINDOW_OP_DRAIN, or a full ring would depend on the host.
 */
#ifndef HAL_WINDOW_H
#define HAL_WINDOW_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define WINDOW_MAGIC 0x71756e63u /* "qunc" */
#define WINDOW_VERSION 2u
#define WINDOW_DMA_OFFSET 0x20000u

/* Ports of the switch: the four of the torus and the host behind it. */
#define WINDOW_PORTS 5u
#define WINDOW_PORT_HOST 4u
#define WINDOW_QUEUE 1024u /* sends that the ring holds; a power of two */
#define WINDOW_EVENTS 512u
#define WINDOW_CONSOLE_BYTES 2048u

/* Who this node is: written before it starts, read at boot. */
struct window_identity { /* switch */
    uint32_t magic;
    uint32_t version;
    uint32_t bytes; /* of the whole window */
    uint32_t mesh;  /* identity of this mesh, in every message */
    uint16_t width;
    uint16_t height;
    uint16_t x;
    uint16_t y;
    uint16_t originator_x;
    uint16_t originator_y;
    uint16_t fault_injection; /* enum window_injection, for tests */
    uint16_t tree; /* whether the job comes along a tree, scatter/tree.h */
};

enum window_injection {
    WINDOW_INJECT_NONE,
    WINDOW_INJECT_FAULT, /* execute an undefined instruction in the job */
    WINDOW_INJECT_HANG   /* never leave the job */
};

enum window_state {
    WINDOW_STATE_RESET,
    WINDOW_STATE_WAITING,
    WINDOW_STATE_PLANNING,
    WINDOW_STATE_SCATTERING,
    WINDOW_STATE_COMPUTING,
    WINDOW_STATE_GATHERING,
    WINDOW_STATE_DONE,
    WINDOW_STATE_FAILED,
    WINDOW_STATE_FAULT,
    WINDOW_STATES
};

/* The stacked frame and the status registers (ARMv7-M, B1.5 and B3.2). */
struct window_fault {
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
};

struct window_status { /* node */
    uint32_t state;    /* enum window_state */
    int32_t error;     /* enum err, with WINDOW_STATE_FAILED */
    uint32_t stack_bytes;
    uint32_t stack_used_bytes;
    struct window_fault fault;
};

struct window_event { /* node */
    uint64_t time_ps;
    uint16_t kind; /* enum event_kind, hal/events.h */
    uint16_t detail;
    uint32_t value;
};

/* A piece of a message, in the DMA part of the window. */
struct window_segment {
    uint32_t offset;
    uint32_t bytes;
};

/*
 * Up to four messages, queued at once: on every port of the mask the same path
 * turned to that port. The message of port p is the switch's header (see
 * hal/circuit.h), then `head` moved on by p * head_stride, then `shared`, then
 * body[p] (body[0] for the host). A port works its messages off in the order
 * of this ring.
 */
struct window_send {   /* node */
    uint64_t ready_ps; /* start no earlier */
    uint32_t gap_ps;   /* nor earlier than this after the port's last one */
    uint32_t ports;    /* mask */
    uint16_t hops;
    uint16_t hops_after;
    uint8_t turn; /* enum torus_turn */
    uint8_t kind;
    uint16_t job;
    struct window_segment head;
    uint32_t head_stride;
    struct window_segment shared;
    struct window_segment body[4];
    uint32_t reserved;
};

struct window_counters { /* switch */
    uint64_t sent_bytes;
    uint64_t received_bytes;
    uint64_t busy_ps;  /* a circuit out of this port was held */
    uint64_t stall_ps; /* a send waited for a link that others held */
    uint32_t sent_messages;
    uint32_t received_messages;
    uint32_t stalls;
    uint32_t errors;
};

enum window_op {
    WINDOW_OP_RECEIVE = 1, /* wait for a message on one of the ports */
    WINDOW_OP_DRAIN,       /* wait until every queued send has ended */
    WINDOW_OP_END          /* stop: no answer comes */
};

struct window_request { /* node */
    uint64_t time_ps;
    uint32_t op;
    uint32_t ports; /* mask; bits 8 to 15: the only kind wanted, or 0 */
    uint32_t offset;
    uint32_t capacity_bytes;
    uint32_t reserved;
    uint32_t sequence;
};

struct window_response { /* switch */
    uint64_t time_ps;    /* when what was waited for happened */
    int32_t status;
    uint32_t port;
    uint32_t bytes; /* of the message, also when it did not fit */
    uint32_t sequence;
};

struct window {
    struct window_identity identity;
    struct window_status status;
    struct window_request request;
    struct window_response response;
    /* switch, when the run ends: a node that read them in the middle would
       depend on how far the host has come */
    struct window_counters port[WINDOW_PORTS];
    uint32_t queued; /* node: sends ever queued */
    uint32_t done;   /* switch: of these, ended at the last drain */
    struct window_send send[WINDOW_QUEUE]; /* entry i at i % WINDOW_QUEUE */
    uint32_t events_written;  /* node: ever; the log keeps the first ones */
    uint32_t console_written; /* node: ever; the ring keeps the last ones */
    struct window_event event[WINDOW_EVENTS];
    char console[WINDOW_CONSOLE_BYTES];
};

static_assert(sizeof(struct window_identity) == 32, "identity layout");
static_assert(sizeof(struct window_send) == 80, "send layout");
static_assert(sizeof(struct window_counters) == 48, "counters layout");
static_assert(offsetof(struct window, request) == 112, "request offset");
static_assert(offsetof(struct window, response) == 144, "response offset");
static_assert(offsetof(struct window, port) == 168, "port offset");
static_assert(offsetof(struct window, send) == 416, "send offset");
static_assert(sizeof(struct window) <= WINDOW_DMA_OFFSET, "window overflow");

#endif
