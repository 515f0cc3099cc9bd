/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ranks say to each other: records, several of them in a message, each a
 * head and a body. All ranks are of one architecture, and of one build, which
 * is checked with the first record.
 *
 *   rank 0 -> others   OPEN, STOP, END      a mesh; its end; the command's
 *   rank 0 -> all      START                the nodes of the mesh start
 *                      ANSWER, SEND         at a doorbell: see below
 *                      SLOW_FROM, KILL      for tests
 *                      LOOK, EXPLAIN        what there is to see; a dead node
 *   all -> rank 0      RANG, DIED           of a node
 *                      LOOKED, WORDS        what was asked for
 *   others -> rank 0   HELLO, OPENED        who is there; and is ready
 *                      FAILED, STOPPED      of the rank; no node is left
 *   any -> any         PAYLOAD              a message's bytes
 *
 *          node's rank                rank 0            destination's rank
 *   rings ---- RANG, what is new ------>|
 *              in its window            | the fabric decides
 *        <--- SEND, where to, which ----|---- ANSWER, what comes, and -->|
 *              number                   |     under which number         |
 *        |-------------- PAYLOAD of that number ------------------------>|
 * rings
 */
#ifndef QEMU_RANKS_RECORD_H
#define QEMU_RANKS_RECORD_H

#include "hal/rows.h"
#include "qemu/board/emulator.h"
#include "qemu/fabric/message.h"
#include "qemu/ranks/seen.h"

#include <stdint.h>

enum record_kind {
    RECORD_HELLO = 1,
    RECORD_OPEN,
    RECORD_OPENED,
    RECORD_START,
    RECORD_ANSWER,
    RECORD_SEND,
    RECORD_SLOW_FROM,
    RECORD_KILL,
    RECORD_LOOK,
    RECORD_EXPLAIN,
    RECORD_STOP,
    RECORD_END,
    RECORD_RANG,
    RECORD_DIED,
    RECORD_FAILED, /* body: a text; none: by a signal */
    RECORD_LOOKED,
    RECORD_WORDS,
    RECORD_STOPPED,
    RECORD_PAYLOAD,
    RECORD_BROKEN /* never sent: what came was no record */
};

struct record {
    uint32_t bytes; /* of the body */
    uint16_t kind;  /* enum record_kind */
    uint16_t mesh;  /* how many were opened before it; older ones are dropped */
    uint32_t node;  /* or 0; of LOOK 1: at the windows, too */
};

#define RECORD_NAME_BYTES RANK_HOST_BYTES

struct record_hello {
    char version[RECORD_NAME_BYTES]; /* of the command */
    char host[RECORD_NAME_BYTES];
    uint32_t cores;
    uint32_t reserved;
    uint64_t memory_left; /* bytes; UINT64_MAX: nobody knows */
};

/* Behind it: the first node of each rank and the number of nodes; then the
   images, firmware_bytes and slow_bytes of them. */
struct record_open {
    uint32_t ranks;
    uint32_t identity;   /* of the mesh, in every message */
    uint32_t in_process; /* 1: no boards */
    uint32_t verbose;
    uint32_t one_by_one;
    uint32_t firmware_bytes;
    uint32_t slow_bytes; /* 0: none */
    char board[RECORD_NAME_BYTES];
    char emulator[EMULATOR_VERSION_BYTES]; /* of boards: rank 0's */
};

/* One for each node of the rank. */
struct record_start {
    struct node_identity identity;
    uint64_t slow_from_ps;
    uint32_t slow_from_shift; /* 0: none */
    uint32_t slow_shift;
};

/* An answer to a node that waits. */
struct record_answer {
    struct window_response response;
    uint32_t done;
    uint32_t number; /* of the payload that comes with it; 0: none */
    uint32_t offset; /* where that goes */
    uint32_t known;  /* so many of its first bytes are known to rank 0 */
    uint32_t damage; /* enum message_damage */
};

/* What is to be sent: header, then three pieces. */
struct record_send {
    uint32_t to; /* node */
    uint32_t number;
    uint16_t job;
    uint8_t kind;
    uint8_t has_head; /* the first piece is `head` */
    struct window_segment piece[MESSAGE_PIECES];
    uint8_t head[CIRCUIT_ROW_BYTES];
};

struct record_payload {
    uint32_t number;
    uint32_t reserved;
};

/* With LOOKED: what a rank has seen of the mesh. */
struct record_looked {
    double boot_s;          /* until its last node was up; 0: not yet */
    double run_s;           /* since then */
    uint64_t between_bytes; /* of payloads, to other ranks */
};

#endif
