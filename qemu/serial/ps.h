/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of every node of a mesh of boards, read by peeks through the
 * originator's console. A node answers peeks from its interrupts
 * (hal/switch/peek.h), also when its program hangs.
 */
#ifndef QEMU_SERIAL_PS_H
#define QEMU_SERIAL_PS_H

#include "qemu/board/fault_image.h"
#include "qemu/serial/nodes.h"

#include <jansson.h>
#include <stdio.h>

#define PS_WORD_BYTES 24u
#define PS_CHECK_BYTES 64u

struct ps_node {
    struct sweep_node asked; /* the sweep for the state */
    bool well;               /* ready for a job; the last job did not fail */
    /* The node's answer; not set unless it answers. */
    const char *state;
    const char *waypoint;
    char kernel[PS_WORD_BYTES]; /* "-": no job */
    char from[PS_WORD_BYTES]; /* awaited ports, as letters "enws"; "-": none */
    char sending[PS_WORD_BYTES]; /* ports with sends under way */
    const char *last;            /* "sent", "received"; NULL: no message yet */
    char port[PS_WORD_BYTES];    /* of the last message */
    char pc[PS_WORD_BYTES];      /* of the fault; "": no record */
    char lr[PS_WORD_BYTES];
    char cfsr[PS_WORD_BYTES];
    /* The source lines of pc and lr, set by ps_explain(). "": unknown. */
    char pc_at[ADDRESSES_TEXT_BYTES];
    char lr_at[ADDRESSES_TEXT_BYTES];
    char bare[FAULT_IMAGE_WHY_BYTES]; /* why they are unknown; "": known */
    /* Place of the failed assertion, "hal/switch/ring.c:123"; "": another
       fault. */
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
    struct ps_node *node; /* row-major */
    bool silent;          /* the originator's console does not answer */
};

/* Counters of a node's switch since the node started; they wrap. */
struct ps_counts {
    uint32_t messages; /* sent and acknowledged */
    uint32_t bytes;    /* of these messages */
    uint32_t retries;
    uint32_t retransmitted;
};

/* Nothing is asked yet. */
void ps_begin(struct ps *ps, struct console *console, struct torus_size size,
              struct torus_coord originator);
void ps_end(struct ps *ps);

/* Reads every node's state and identity. Result: whether all nodes are well,
   also those that are unfit (qemu/serial/nodes.h). */
bool ps_read(struct ps *ps);

/* Reads every node's state in the middle of a job. Result: a node that has left
   the job, by an error or a reset, while the originator waits; NULL: none. */
const struct ps_node *ps_find_left(struct ps *ps);

/* Looks up the source lines of faults, after ps_read(), in the ELF file
   `firmware`; "" or NULL: firmware.elf beside this program. */
void ps_explain(struct ps *ps, const char *firmware);

/* Reads the counters of all nodes, row-major; zeros of nodes that do not
   answer. Result: number of nodes that answer; 0: the console is silent. */
uint32_t ps_count(struct ps_counts counts[], struct console *console,
                  struct torus_size size, struct torus_coord originator);

/* Prints a table for people and the number of nodes that are well. */
void ps_print(FILE *out, const struct ps *ps);

/* Result: an array of objects, one for each node. */
json_t *ps_json(const struct ps *ps);

#endif
