/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the state of every node of a mesh of serial boards through the
   originator's console. Nodes are asked by peeks, messages that a node answers
   from its interrupts even if its program hangs (hal/switch/peek.h). */
#ifndef QEMU_SERIAL_PS_H
#define QEMU_SERIAL_PS_H

#include "hal/node.h"
#include "qemu/board/fault_image.h"
#include "qemu/serial/nodes.h"

#include <jansson.h>
#include <stdio.h>

#define PS_WORD_BYTES 24u
#define PS_CHECK_BYTES 64u

struct ps_node {
    struct sweep_node asked; /* what the node answered to PEEK_STATE */
    bool well; /* true: the node is ready, and its last job did not fail */
    /* The members below are set only if the node has answered. */
    const char *state;
    const char *waypoint;
    /* kernel of the node's job, or of the last one if that ended by a breach;
       "-": none */
    char kernel[PS_WORD_BYTES];
    struct node_breach breach; /* if err_is_breach(error); .promised is 0 */
    char from[PS_WORD_BYTES];  /* ports at which it waits, "enws"; "-": none */
    char sending[PS_WORD_BYTES]; /* ports that send, as letters "enws" */
    const char *last; /* "sent" or "received"; NULL: it had no message yet */
    char port[PS_WORD_BYTES]; /* port of the last message */
    /* program counter of the fault; "": the node had no fault */
    char pc[PS_WORD_BYTES];
    char lr[PS_WORD_BYTES];
    char cfsr[PS_WORD_BYTES];
    /* Source lines of `pc` and `lr`, set by ps_explain(); "": unknown. */
    char pc_at[ADDRESSES_TEXT_BYTES];
    char lr_at[ADDRESSES_TEXT_BYTES];
    /* why the source lines are unknown; "": they are known */
    char bare[FAULT_IMAGE_WHY_BYTES];
    /* place of a failed assertion, "hal/switch/ring.c:123"; "": the fault is
       another one */
    char check[PS_CHECK_BYTES];
    bool placed;
    bool job;
    int32_t error;
    int32_t last_error;
    uint32_t x;
    uint32_t y;
    uint32_t round;
    uint32_t kind;
    uint32_t last_bytes;
    uint32_t uptime_ms;
    uint32_t still_ms;
    uint32_t stack_used_bytes;
    uint32_t jobs;
    uint32_t faults;
    uint32_t exception;
};

struct ps {
    struct nodes nodes;
    struct ps_node *node;
    bool silent; /* true: the originator's console does not answer */
};

/* Counters of a node's switch since the node's start. They wrap. */
struct ps_counts {
    uint32_t messages; /* messages that were sent and acknowledged */
    uint32_t bytes;    /* bytes of these messages */
    uint32_t retries;
    uint32_t retransmitted;
    bool skip;    /* the caller sets it: the node is not asked */
    bool answers; /* the node has told its counters */
};

void ps_begin(struct ps *ps, struct console *console, struct torus_size size,
              struct torus_coord originator);
void ps_end(struct ps *ps);

/* Asks every node for state and identity. Returns whether all nodes are well
   and can join a job (qemu/serial/nodes.h). */
bool ps_read(struct ps *ps);

/* Asks every node for its state during a job. Returns a node that has left the
   job, by an error or reset, while the originator waits; or NULL. */
const struct ps_node *ps_find_left(struct ps *ps);

/* Looks up the source lines of faults in the ELF file `firmware`; "" and NULL
   stand for firmware.elf beside this program. ps_read() must come first. */
void ps_explain(struct ps *ps, const char *firmware);

/* Reads the counters of all nodes, row-major, and zeros for nodes that do not
   answer. Returns the number of nodes that answer, or 0 if the console does
   not. */
uint32_t ps_count(struct ps_counts counts[], struct console *console,
                  struct torus_size size, struct torus_coord originator);

/* Prints a table of all nodes, and how many are well. */
void ps_print(FILE *out, const struct ps *ps);

json_t *ps_json(const struct ps *ps);

#endif
