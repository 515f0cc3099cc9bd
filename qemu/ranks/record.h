/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol between ranks. It consists of records, several of which travel
 * in a message; each has a head and a body. All ranks have one architecture and
 * one build, which HELLO checks.
 *
 *   rank 0 -> others   OPEN, STOP, END      opens or ends a mesh; the command
 *   rank 0 -> all      START                starts the nodes of the mesh
 *                      ANSWER, SEND         follow a doorbell: see below
 *                      SLOW_FROM, KILL      for tests
 *                      LOOK, EXPLAIN        ask for statistics; about a death
 *   all -> rank 0      RANG, DIED           report events of a node
 *                      LOOKED, WORDS        answer LOOK and EXPLAIN
 *   others -> rank 0   HELLO, OPENED        tell host data; nodes are ready
 *                      FAILED, STOPPED      the rank failed; all nodes ended
 *   any -> any         PAYLOAD              carries bytes of a message
 *
 *      sender's rank                rank 0           receiver's rank
 *   ring |-- RANG, window patch ----->|                     |
 *        |                            | fabric decides      |
 *        |<-- SEND receiver, number --|-- ANSWER, number -->|
 *        |-------------- PAYLOAD of that number ----------->|
 *        |                                                  | ring
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
    RECORD_FAILED, /* body: why the rank failed; empty: a signal */
    RECORD_LOOKED,
    RECORD_WORDS,
    RECORD_STOPPED,
    RECORD_PAYLOAD,
    RECORD_BROKEN /* never sent: stands for a malformed record */
};

struct record {
    uint32_t bytes; /* length of the record's body */
    uint16_t kind;  /* enum record_kind */
    uint16_t mesh;  /* mesh number; records of old meshes are dropped */
    uint32_t node;  /* node; in RECORD_LOOK 1: windows are asked for, too */
};

#define RECORD_NAME_BYTES RANK_HOST_BYTES

struct record_hello {
    char version[RECORD_NAME_BYTES];
    char host[RECORD_NAME_BYTES];
    uint32_t cores;
    uint32_t reserved;
    uint64_t memory_left; /* free memory, bytes; UINT64_MAX: unknown */
};

/* Head of the record OPEN. Its body goes on with the first node of each rank,
   the number of nodes, and two images of firmware_bytes and slow_bytes
   bytes. */
struct record_open {
    uint32_t ranks;
    uint32_t identity;
    uint32_t in_process; /* 1: nodes are native; 0: they are boards */
    uint32_t verbose;
    uint32_t one_by_one;
    uint32_t firmware_bytes;
    uint32_t slow_bytes; /* 0: there is no second image */
    char board[RECORD_NAME_BYTES];
    char emulator[EMULATOR_VERSION_BYTES]; /* version of rank 0's QEMU */
};

/* The record START has one of these for each node of the rank. */
struct record_start {
    struct node_identity identity;
    uint64_t slow_from_ps;
    uint32_t slow_from_shift; /* 0: the node does not become slow */
    uint32_t slow_shift;
};

/* The record ANSWER: an answer to a node that waits. The failures follow that
   the node has not taken. */
struct record_answer {
    struct window_response response;
    uint32_t done;
    uint32_t failed; /* number of failures told so far */
    uint32_t number; /* number of the payload that follows; 0: none */
    uint32_t offset; /* offset in the window at which the payload is written */
    uint32_t known;  /* first bytes that rank 0's copy has already */
    uint32_t damage; /* enum message_damage */
};

/* The record SEND: the message to be sent, as a header and three pieces. */
struct record_send {
    uint32_t to;
    uint32_t number;
    uint16_t job;
    uint8_t kind;
    uint8_t has_head; /* 1: the first piece is `head` */
    struct window_segment piece[MESSAGE_PIECES];
    uint8_t head[CIRCUIT_ROW_BYTES];
};

struct record_payload {
    uint32_t number;
    uint32_t reserved;
};

struct record_looked {
    double boot_s; /* time until the rank's last node was up, s; 0: it is not */
    double run_s;  /* time since then, s */
    uint64_t between_bytes; /* bytes of payloads sent to other ranks */
};

#endif
