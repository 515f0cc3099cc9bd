/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window: the memory that a node shares with its circuit switch.
 *
 *   0x00000  struct window: identity, status, switch registers, logs
 *   WINDOW_DMA_OFFSET .. bytes  buffers that the switch reads and writes
 *
 * On MPS2 boards it is the whole 16 MiB PSRAM, on the host an array. Registers
 * are little-endian and of fixed width; the assertions below pin what both
 * sides see. "node" marks fields that only the node writes, "switch" those
 * that only the switch (the fabric) writes.
 *
 * The doorbell is one byte each way over a UART:
 *
 *   node                                   switch
 *     | computes; fills entry[], queued      | does not read this window
 *     | fills request,                       |
 *     | then request.sequence = n            |
 *     |--------------- rings --------------->| reads request, then the sends
 *     | sleeps; reads nothing                | up to `queued`, each with the
 *     |                                      | mesh time when it was queued
 *     |                                      | fills the buffer of the receive
 *     |                                      | and response (a DRAIN: `done`),
 *     |                                      | then response.sequence = n
 *     |<-------------- rings ----------------|
 *     | reads response, buffer, done         | does not read this window
 *
 *   field            written by   may be read
 *   identity         switch       by the node, always: set before it starts
 *   injection        switch       by the node while it does not wait
 *   request, form[], node         by the switch, from a ring to its answer
 *     entry[], post
 *   a send's bytes   node         by the switch, until a DRAIN is answered: the
 *                                 node leaves them alone until then
 *   response, done   switch       by the node, behind the answer's ring
 *   port[]           switch       by the host, after the run
 *   status, log      node         by the host, when the run or the node ends
 *
 * So nothing changes that a running node may read. If `done` moved whenever a
 * send ends, a full ring would make results depend on the host's speed.
 *
 * DESIGN.md beside this file is the switch's data sheet: rows, posts, heads,
 * what they would take in hardware, and what they cost.
 */
#ifndef HAL_WINDOW_WINDOW_H
#define HAL_WINDOW_WINDOW_H

#include "hal/rows.h"
#include "hal/node.h"

#define WINDOW_MAGIC 0x71756e63u /* "qunc" */
#define WINDOW_VERSION 6u
#define WINDOW_DMA_OFFSET 0x20000u

#define WINDOW_QUEUE 1024u /* sends that the ring holds; a power of two */
/* Time from ready_ps, or from the row before, to the requests of a row. */
#define WINDOW_ROW_PS 160000u

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
    uint64_t ready_ps; /* mesh time of the earliest start */
    uint32_t gap_ps;   /* least time from the end of the port's message
                          before to this one's start */
    uint8_t ports;     /* mask of the ports it goes out of */
    uint8_t form;      /* 0; otherwise the entry is a struct window_rows */
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

/* A descriptor of a range's rows: hal/circuit.h says what they are. */
struct window_rows {        /* node */
    uint64_t ready_ps;      /* mesh time of the earliest start */
    struct circuit_cut cut; /* form: 1 to CIRCUIT_FORMS - 1 */
    struct window_segment shared;
    uint32_t begin;
    uint32_t end;
    uint32_t offset;  /* of the range less the halo before it; modulo 2^32, as
                         that may lie before the window */
    uint32_t volumes; /* offset of volume_units[0]; modulo 2^32, too */
    uint32_t extra_units;
    uint32_t label;
    uint32_t units;
    uint32_t first_unit;
    uint32_t reserved[2];
};

/* A posted receive, and how what of it goes on is cut: circuit_expect(),
   circuit_post(). */
struct window_post {   /* node */
    uint64_t ready_ps; /* since when the buffer is free */
    struct circuit_cut cut;
    uint32_t label;
    uint32_t number; /* of posts ever; a message is sent on if its post has
                        another number than that of the one before */
    uint32_t reserved;
};

/* An entry of the ring. */
union window_entry {
    struct window_send send;
    struct window_rows rows;
};

/* Path and kind of rows: written before there is a load, read by the switch
   with each row that names it. */
struct window_form { /* node */
    uint16_t hops;
    uint16_t hops_after;
    uint8_t turn;
    uint8_t kind;
    uint16_t reserved;
};

enum window_op {
    WINDOW_OP_RECEIVE = 1,  /* wait for a message on one of the ports */
    WINDOW_OP_DRAIN,        /* wait until every queued send has ended */
    WINDOW_OP_END,          /* stop: no answer comes */
    WINDOW_OP_RECEIVE_UNTIL /* as RECEIVE, but no longer than deadline_ps */
};

struct window_request { /* node */
    uint64_t time_ps;
    uint32_t op;
    uint32_t ports; /* mask; bits 8 to 15: the only kind wanted, or 0; from bit
                       16: bytes of its head that are enough, or 0: all */
    uint32_t offset;
    uint32_t capacity_bytes;
    uint32_t job; /* of a RECEIVE: messages of others are ERR_FOREIGN; or 0 */
    uint32_t sequence;
    uint64_t deadline_ps; /* of a RECEIVE_UNTIL */
};

struct window_response {  /* switch */
    uint64_t time_ps;     /* when what was waited for happened */
    uint64_t complete_ps; /* when the last byte of the message is there */
    int32_t complete_status;
    int32_t status;
    uint32_t port;      /* the last one's */
    uint32_t bytes;     /* of the last message, also when it did not fit */
    uint32_t head_only; /* 1: the rest is there at complete_ps, not yet */
    uint32_t sequence;
};

/* For a test, of the image firmware_slow.elf alone: from mesh time slow_from_ps
   on, what the node executes takes 2^slow_shift times as long. */
struct window_injection {  /* switch */
    uint64_t slow_from_ps; /* less than 171 s after any start of the clock */
    uint32_t slow_shift;   /* 0 to 3 */
    uint32_t reserved;
};

struct window {
    struct node node;
    struct window_request request;
    struct window_response response;
    /* switch, when the run ends: a node that read them in the middle would
       depend on how far the host has come */
    struct node_counters port[NODE_PORTS];
    uint32_t queued; /* node: sends ever queued */
    uint32_t done;   /* switch: of these, ended at the last drain */
    struct window_form form[CIRCUIT_FORMS];
    struct window_post post;
    union window_entry entry[WINDOW_QUEUE]; /* entry i at i % WINDOW_QUEUE */
    struct node_log log;
    struct window_injection injection;
};

static_assert(sizeof(struct window_send) == 80, "send layout");
static_assert(offsetof(struct window, request) == 112, "request offset");
static_assert(offsetof(struct window, response) == 152, "response offset");
static_assert(offsetof(struct window, port) == 192, "port offset");
static_assert(sizeof(struct window_rows) == 80, "rows layout");
static_assert(offsetof(struct window_rows, cut.form) ==
                  offsetof(struct window_send, form),
              "place of the form");
static_assert(sizeof(struct window_form) == 8, "form layout");
static_assert(offsetof(struct window, form) == 440, "form offset");
static_assert(offsetof(struct window, post) == 568, "post offset");
static_assert(sizeof(struct window_post) == 48, "post layout");
static_assert(offsetof(struct window, entry) == 616, "entry offset");
static_assert(sizeof(struct window) <= WINDOW_DMA_OFFSET, "window overflow");

#endif
