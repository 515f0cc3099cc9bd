/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of each node of a mesh of serial boards: chip, image, clock and
   memory (PEEK_IDENTITY of hal/switch/peek.h). Also finds nodes that differ
   from the others. */
#ifndef QEMU_SERIAL_NODES_H
#define QEMU_SERIAL_NODES_H

#include "hal/nodiscard.h"
#include "qemu/serial/sweep.h"

#include <jansson.h>
#include <stdio.h>

#define IDENTITY_WHY_BYTES 160u

/* Bits of identity.marks: how a node differs from most nodes. */
enum identity_mark {
    IDENTITY_IMAGE = 1,   /* different image */
    IDENTITY_CLOCK = 2,   /* different clock source or frequency */
    IDENTITY_CRYSTAL = 4, /* crystal that differs by more than 2 % */
    IDENTITY_MEMORY = 8,  /* different size of memory */
    IDENTITY_RESET = 16,  /* it last started by the watchdog or after a fault */
    IDENTITY_PLACE = 32,  /* it reports another position than it was found at */
    IDENTITY_TWICE = 64   /* it was found at two positions */
};

/* Unique number of a chip, hexadecimal; "": unknown. */
struct identity_chip {
    char number[25];
};

/* What a node has answered. Other members are valid only if `known` is true. */
struct identity {
    bool known;
    bool placed; /* true: the node knows its position */
    struct torus_coord place;
    struct identity_chip chip;
    uint32_t image_crc;
    uint32_t clock_hz;
    uint32_t crystal_hz; /* 0: unknown */
    uint32_t room_bytes; /* memory for a batch, bytes */
    uint32_t uptime_ms;
    uint32_t supply_mv; /* 0: unknown */
    int32_t celsius;    /* PEEK_NO_CELSIUS: unknown */
    uint32_t faults;    /* number of faults since power was switched on */
    uint32_t start;     /* a number that changes with every start */
    char clock[PEEK_NAMES_BYTES + 1];
    char reset[PEEK_NAMES_BYTES + 1];
    /* Why the node cannot join a job: its image is not the originator's, or its
       clock is not its crystal's at full speed (emulated boards may). "": it
       can. nodes_read() sets it. */
    char unfit[IDENTITY_WHY_BYTES];
    /* Version of the image; "": unknown. nodes_compare() sets it and
       `marks`. */
    char version[PEEK_VERSION_BYTES + 1];
    unsigned marks; /* bits of enum identity_mark */
};

struct nodes {
    struct sweep sweep;
    struct identity *identity;
};

void nodes_begin(struct nodes *nodes, struct console *console,
                 struct torus_size size, struct torus_coord originator);
void nodes_end(struct nodes *nodes);

/* Asks all nodes for their identity; skipped nodes keep the last answer.
   Returns the number of nodes that did not answer, or -1 if the console did
   not. */
NODISCARD int nodes_read(struct nodes *nodes);

/* Reads the version of each node's image, and marks nodes that differ from most
   nodes. Time: O(nodes^2). Returns 0 if all nodes answer and none is marked, -1
   if the console does not answer, else 1. */
NODISCARD int nodes_compare(struct nodes *nodes);

/* Returns the originator's identity, which may be unknown. */
const struct identity *nodes_first(const struct nodes *nodes);

/* Returns whether a node is known to be emulated: it then runs by the host's
   clock. */
bool identity_is_emulated(const struct identity *identity);

/* Describes the originator's image: "CAFE0001 is FILE, kernels search". FILE is
   `firmware`, an ELF file for fault_image_open(), or "another image". The
   caller frees the text. Returns NULL if the originator has not answered. */
char *nodes_image(const struct nodes *nodes, const char *firmware);

/* Prints a table of all nodes, then those that differ. */
void nodes_print(FILE *out, const struct nodes *nodes);

/* Prints the nodes that cannot join a job, one a line. Returns their number. */
unsigned nodes_print_unfit(FILE *out, const struct nodes *nodes);

void nodes_print_image(FILE *out, const struct nodes *nodes,
                       const char *firmware);

json_t *nodes_json(const struct nodes *nodes);

#endif
