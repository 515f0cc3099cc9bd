/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of every node of a mesh of boards, read by peeks through the
 * originator's console. A node answers peeks from its interrupts
 * (hal/switch/peek.h), also when its program hangs.
 */
#ifndef QEMU_SURVEY_PS_H
#define QEMU_SURVEY_PS_H

#include "qemu/board/fault_image.h"
#include "qemu/survey/identity.h"
#include "qemu/survey/sweep.h"

#include <jansson.h>
#include <stdio.h>

#define PS_WORD_BYTES 24u

struct ps_node {
    struct sweep_node asked; /* for its state, or not */
    bool well;               /* ready for a job, and none failed */
    /* The node's answer; not set unless it answers. */
    char state[PS_WORD_BYTES];
    char waypoint[PS_WORD_BYTES];
    char kernel[PS_WORD_BYTES];
    char from[PS_WORD_BYTES]; /* ports, as letters */
    char sending[PS_WORD_BYTES];
    char last[PS_WORD_BYTES]; /* "sent", "received"; "": there was none */
    char port[PS_WORD_BYTES];
    char pc[PS_WORD_BYTES]; /* of the fault; "": no record */
    char lr[PS_WORD_BYTES];
    char cfsr[PS_WORD_BYTES];
    /* The source lines of pc and lr, set by ps_explain(). "": unknown. */
    char pc_at[ADDRESSES_TEXT_BYTES];
    char lr_at[ADDRESSES_TEXT_BYTES];
    char bare[FAULT_IMAGE_WHY_BYTES]; /* why not; "": they are known */
    bool placed;
    bool job;
    int error;
    int last_error;
    uint64_t x;
    uint64_t y;
    uint64_t round;
    uint64_t kind;
    uint64_t last_bytes;
    uint64_t uptime_ms;
    uint64_t still_ms;
    uint64_t stack_used_bytes;
    uint64_t jobs;
    uint64_t faults;
    uint64_t exception;
    uint32_t check; /* the failed assertion, hal/check.h; 0: another fault */
};

struct ps {
    struct sweep sweep;
    struct ps_node *node;      /* row-major */
    struct identity *identity; /* likewise */
    char why[PS_WORD_BYTES];   /* of the originator's console; "": it answers */
};

/* Sums over the nodes that answered. */
struct ps_counts {
    uint32_t nodes;
    uint64_t messages; /* that were acknowledged, and their bytes */
    uint64_t bytes;
    uint64_t refused;
    uint64_t retries;
    uint64_t retransmitted;
    uint64_t damaged;
    uint64_t dead;
};

/* Of one node; counters that wrap. */
struct ps_node_counts {
    bool counted; /* it answered */
    uint32_t retries;
    uint32_t retransmitted;
};

/* Nothing is asked yet. */
void ps_begin(struct ps *ps, struct console *console, struct torus_size size,
              struct torus_coord originator);
void ps_end(struct ps *ps);

/* Asks every node how it is, and who. Result: whether all are well; that some
   are unfit (qemu/survey/identity.h) does not matter. */
bool ps_read(struct ps *ps);

/* Asks every node for its state in the middle of a job. Result: one that has
   left it, with an error or by a reset, so that the originator waits in vain;
   NULL: none, or others may bring it what it waits for. */
const struct ps_node *ps_find_left(struct ps *ps);

/* Looks up where nodes faulted, after ps_read(), in the image `firmware`, an
   ELF file; "" or NULL: the one beside this program. */
void ps_explain(struct ps *ps, const char *firmware);

/* Sums the counters of all nodes that answer: counts->nodes of them; `node`,
   row-major, has each one's. Result: 0; -1: some did not. */
int ps_count(struct ps *ps, struct ps_counts *counts,
             struct ps_node_counts node[]);

/* A table for people, and how many are well. */
void ps_print(FILE *out, const struct ps *ps);

/* An array of objects. */
json_t *ps_json(const struct ps *ps);

#endif
