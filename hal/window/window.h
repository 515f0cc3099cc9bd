/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window: the memory that a node shares with its circuit switch.
 *
 *   0x00000            struct window: identity, status, switch registers, logs
 *   WINDOW_DMA_OFFSET  buffers that the switch reads and writes, to the end
 *
 * On MPS2 boards the window is the whole 16 MiB PSRAM, on the host an array.
 * Registers are little-endian and of fixed width; the assertions below pin the
 * layout. Comments tell which side alone writes a struct or field: the node, or
 * the switch (in the host's program: qemu/fabric).
 *
 * Node and switch ring each other: they send one byte over a UART.
 *
 *   node                                   switch
 *     | computes; fills entry[], queued      | does not read this window
 *     | fills request,                       |
 *     | then request.sequence = n            |
 *     |--------------- rings --------------->| reads request, then the sends
 *     | sleeps; reads nothing                | up to `queued`; RECEIVE: fills
 *     |                                      | the buffer; DRAIN: sets `done`;
 *     |                                      | response; its sequence = n
 *     |<-------------- rings ----------------|
 *     | reads response, buffer, done         | does not read this window
 *
 *   field            written by   may be read
 *   identity         switch       by the node, always: set before the start
 *   injection        switch       by the node while it does not wait
 *   request, form[], node         by the switch, after the node rings, until
 *   entry[], post,                the switch answers
 *   taken
 *   a send's bytes   node         by the switch, until a DRAIN is answered: the
 *                                 node leaves them alone until then
 *   response, done,  switch       by the node, after the switch has answered
 *   failed, failure[]
 *   port[]           switch       by the host, after the run
 *   status, log      node         by the host, when the run or the node ends
 *
 * So no field that a running node may read changes while the node runs: the
 * host's speed must not change results.
 *
 * Mesh time is the time of the nodes' clocks (hal/circuit.h), ps.
 * hal/window/DESIGN.md is the switch's data sheet: what each part does, the
 * hardware that it would need, and its cost in mesh time.
 */
#ifndef HAL_WINDOW_WINDOW_H
#define HAL_WINDOW_WINDOW_H

#include "hal/rows.h"
#include "hal/node.h"

#define WINDOW_MAGIC 0x71756e63u /* "qunc" */
#define WINDOW_VERSION 8u
#define WINDOW_DMA_OFFSET 0x20000u

#define WINDOW_QUEUE 1024u   /* a power of two */
#define WINDOW_FAILURES 512u /* a power of two */
/* Mesh time that the switch takes to prepare a row (hal/rows.h), ps. */
#define WINDOW_ROW_PS 160000u

/* A piece of a message, in the DMA part of the window. */
struct window_segment {
    uint32_t offset; /* from the window's start, bytes, as all offsets here */
    uint32_t bytes;
};

/* Up to four messages, one on each port of `ports`. The message of port p is a
   header (written by the switch), `head`, `shared` and body[p]. Its `head`
   begins p * head_stride bytes after head.offset. A message to the host has
   body[0]. */
struct window_send {   /* written by the node */
    uint64_t ready_ps; /* mesh time from which the messages may start */
    uint32_t gap_ps;   /* least time after the port's last message, ps */
    uint8_t ports;     /* mask of the ports on which messages are sent */
    uint8_t form;      /* 0; else the entry is a struct window_rows */
    uint16_t job;
    struct window_segment head;
    struct window_segment shared;
    struct window_segment body[4];
    uint16_t hops;
    uint16_t hops_after;
    uint8_t turn; /* enum torus_turn */
    uint8_t kind;
    uint16_t reserved;
    uint32_t head_stride;
    uint32_t reserved_2;
};

/* A range of the load, which the switch cuts into rows (hal/rows.h). */
struct window_rows {        /* written by the node */
    uint64_t ready_ps;      /* mesh time from which the switch prepares rows */
    struct circuit_cut cut; /* cut.form is 1 to CIRCUIT_FORMS - 1 */
    struct window_segment shared;
    /* Offsets of the pointers in struct circuit_rows, modulo 2^32: begin, end,
       data, volume_units. */
    uint32_t begin;
    uint32_t end;
    uint32_t offset;
    uint32_t volumes;
    uint32_t extra_units;
    uint32_t label;
    uint32_t units;
    uint32_t first_unit;
    uint32_t reserved[2];
};

/* The message to send on as rows (hal/rows.h). */
struct window_post {   /* written by the node */
    uint64_t ready_ps; /* mesh time from which the buffer is free */
    struct circuit_cut cut;
    uint32_t label;  /* label passed to circuit_post() */
    uint32_t number; /* number of posts so far */
    uint32_t reserved;
};

union window_entry {
    struct window_send send;
    struct window_rows rows;
};

/* Path and kind of a form (hal/rows.h). Set before there is a load. */
struct window_form { /* written by the node */
    uint16_t hops;
    uint16_t hops_after;
    uint8_t turn;
    uint8_t kind;
    uint16_t reserved;
};

enum window_op {
    WINDOW_OP_RECEIVE = 1,  /* wait for a message on one of the ports */
    WINDOW_OP_DRAIN,        /* wait until every queued send has ended */
    WINDOW_OP_END,          /* this node has stopped; there is no answer */
    WINDOW_OP_RECEIVE_UNTIL /* as RECEIVE, but only until deadline_ps */
};

struct window_request { /* written by the node */
    uint64_t time_ps;
    uint32_t op;
    uint32_t ports;  /* port mask as in circuit_receive() */
    uint32_t offset; /* offset of the receive's buffer */
    uint32_t capacity_bytes;
    uint32_t job;         /* job of the messages; 0: any */
    uint32_t sequence;    /* number of this request */
    uint64_t deadline_ps; /* mesh time at which a RECEIVE_UNTIL gives up */
};

struct window_response {  /* written by the switch */
    uint64_t time_ps;     /* mesh time of the event that ended the wait */
    uint64_t complete_ps; /* mesh time at which the message's last byte comes */
    int32_t complete_status; /* enum err of the whole message */
    int32_t status;          /* enum err of the request */
    uint32_t port;           /* port on which the last message came in */
    uint32_t bytes;     /* length of the message, bytes, even if too long */
    uint32_t head_only; /* 1: rest comes until complete_ps; 0: all is here */
    uint32_t sequence;  /* number of the request that is answered */
};

/* Slowdown for tests, read by the image firmware_slow.elf alone. */
struct window_injection {  /* written by the switch */
    uint64_t slow_from_ps; /* mesh time; < 171 s after every clock_start() */
    uint32_t slow_shift;   /* the node runs 2^slow_shift times slower; 0 to 3 */
    uint32_t reserved;
};

struct window {
    struct node node;
    struct window_request request;
    struct window_response response;
    /* Counters of the ports, written when all nodes have ended. */
    struct node_counters port[NODE_PORTS];
    uint32_t queued; /* number of entries queued so far; the node writes it */
    uint32_t taken;  /* failures that the node has read; the node writes it */
    uint32_t done;   /* entries ended at the last drain; the switch writes it */
    uint32_t failed; /* failures told so far; the switch writes it */
    struct window_form form[CIRCUIT_FORMS];
    struct window_post post;
    /* Entry number i, from 0 on, is at index i % WINDOW_QUEUE. */
    union window_entry entry[WINDOW_QUEUE];
    struct node_log log;
    struct window_injection injection;
    /* Failure number i, from 0 on, is at index i % WINDOW_FAILURES; the switch
       writes it. While the node leaves WINDOW_FAILURES of them untaken, later
       ones are not told. */
    struct circuit_failure failure[WINDOW_FAILURES];
};

static_assert(sizeof(struct window_send) == 80, "send layout");
static_assert(offsetof(struct window, request) == 128, "request offset");
static_assert(offsetof(struct window, response) == 168, "response offset");
static_assert(offsetof(struct window, port) == 208, "port offset");
static_assert(sizeof(struct window_rows) == 80, "rows layout");
static_assert(offsetof(struct window_rows, cut.form) ==
                  offsetof(struct window_send, form),
              "place of the form");
static_assert(sizeof(struct window_form) == 8, "form layout");
static_assert(offsetof(struct window, form) == 464, "form offset");
static_assert(offsetof(struct window, post) == 592, "post offset");
static_assert(sizeof(struct window_post) == 48, "post layout");
static_assert(offsetof(struct window, entry) == 640, "entry offset");
static_assert(sizeof(struct circuit_failure) == 32, "failure layout");
static_assert(sizeof(struct window) <= WINDOW_DMA_OFFSET, "window overflow");

#endif
