/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the state of every node of a mesh by peeks through the originator's
   console. A node answers peeks from interrupts (hal/switch/peek.h), even if
   its program hangs. */
#ifndef QEMU_SERIAL_PS_H
#define QEMU_SERIAL_PS_H

#include "qemu/board/fault_image.h"
#include "qemu/serial/nodes.h"

#include <jansson.h>
#include <stdio.h>

#define PS_WORD_BYTES 24u
#define PS_CHECK_BYTES 64u

struct ps_node {
    struct sweep_node asked; /* result of asking for PEEK_STATE */
    bool well; /* the node is ready and its last job did not fail */
    /* The next members are set only if the node answers. */
    const char *state;
    const char *waypoint;
    char kernel[PS_WORD_BYTES]; /* "-": no job */
    char from[PS_WORD_BYTES];   /* awaited ports as letters "enws"; "-": none */
    char sending[PS_WORD_BYTES]; /* ports that are sending */
    const char *last;         /* "sent" or "received"; NULL: no message yet */
    char port[PS_WORD_BYTES]; /* port of the last message */
    /* program counter of the fault; "": no fault recorded */
    char pc[PS_WORD_BYTES];
    char lr[PS_WORD_BYTES];
    char cfsr[PS_WORD_BYTES];
    /* Source lines of pc and lr, set by ps_explain(). "": unknown. */
    char pc_at[ADDRESSES_TEXT_BYTES];
    char lr_at[ADDRESSES_TEXT_BYTES];
    /* why the source lines are unknown; "": known */
    char bare[FAULT_IMAGE_WHY_BYTES];
    /* Source line of a failed assertion, "hal/switch/ring.c:123"; "": another
       kind of fault. */
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
    bool silent; /* the originator's console does not answer */
};

/* Counters of a node's switch since its start. They wrap. */
struct ps_counts {
    uint32_t messages; /* messages sent and acknowledged */
    uint32_t bytes;    /* bytes of acknowledged messages */
    uint32_t retries;
    uint32_t retransmitted;
};

void ps_begin(struct ps *ps, struct console *console, struct torus_size size,
              struct torus_coord originator);
void ps_end(struct ps *ps);

/* Reads every node's state and identity. Returns whether all nodes are well;
   unfit nodes count, too (qemu/serial/nodes.h). */
bool ps_read(struct ps *ps);

/* Reads every node's state during a job. Returns a node that left the job
   (error or reset) while the originator waits, or NULL. */
const struct ps_node *ps_find_left(struct ps *ps);

/* Looks up the source lines of faults in the ELF file `firmware`; "" or NULL:
   firmware.elf beside this program. Call ps_read() first. */
void ps_explain(struct ps *ps, const char *firmware);

/* Reads the counters of all nodes, row-major; zeros if a node is silent.
   Returns the number of nodes that answered; 0: the console is silent. */
uint32_t ps_count(struct ps_counts counts[], struct console *console,
                  struct torus_size size, struct torus_coord originator);

/* Prints a table and the number of nodes that are well. */
void ps_print(FILE *out, const struct ps *ps);

json_t *ps_json(const struct ps *ps);

#endif
