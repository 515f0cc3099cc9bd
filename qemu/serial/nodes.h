/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of each node of a mesh (PEEK_IDENTITY of hal/switch/peek.h):
   chip, image, clock, memory. Also finds nodes that differ from the others. */
#ifndef QEMU_SERIAL_NODES_H
#define QEMU_SERIAL_NODES_H

#include "hal/nodiscard.h"
#include "qemu/serial/sweep.h"

#include <jansson.h>
#include <stdio.h>

#define IDENTITY_WHY_BYTES 160u

/* Bits of identity.marks. A mark means that a node differs from most nodes. */
enum identity_mark {
    IDENTITY_IMAGE = 1,   /* different image */
    IDENTITY_CLOCK = 2,   /* different clock source or frequency */
    IDENTITY_CRYSTAL = 4, /* crystal differs by more than 2 % */
    IDENTITY_MEMORY = 8,  /* different memory size */
    IDENTITY_RESET = 16,  /* last start by the watchdog or after a fault */
    IDENTITY_PLACE = 32,  /* the node reports a different position */
    IDENTITY_TWICE = 64   /* two positions lead to the same board */
};

/* A node's answer. Other members are valid only if `known`. */
struct identity {
    bool known;
    bool placed; /* the node knows its position */
    struct torus_coord place;
    char unique_id[25]; /* ID of the chip, hexadecimal */
    uint32_t image_crc;
    uint32_t clock_hz;
    uint32_t crystal_hz; /* 0: unknown */
    uint32_t room_bytes; /* memory for a batch */
    uint32_t uptime_ms;
    uint32_t supply_mv; /* 0: unknown */
    int32_t celsius;    /* PEEK_NO_CELSIUS: unknown */
    uint32_t faults;    /* number of faults since power-up */
    uint32_t start;     /* changes with every reset */
    char clock[PEEK_NAMES_BYTES + 1];
    char reset[PEEK_NAMES_BYTES + 1];
    /* Reason why the node cannot join a job: another image than the
       originator's, or a clock other than its crystal at full speed (an
       emulated board passes). "": fit. Set by nodes_read(). */
    char unfit[IDENTITY_WHY_BYTES];
    /* Version of the image; "": unknown. nodes_compare() sets it and marks. */
    char version[PEEK_VERSION_BYTES + 1];
    unsigned marks; /* mask of enum identity_mark */
};

struct nodes {
    struct sweep sweep;
    struct identity *identity;
};

void nodes_begin(struct nodes *nodes, struct console *console,
                 struct torus_size size, struct torus_coord originator);
void nodes_end(struct nodes *nodes);

/* Asks all nodes for their identity. Skipped nodes keep the old one. Returns
   the result of sweep_read(). */
NODISCARD int nodes_read(struct nodes *nodes);

/* Reads the versions of images and marks the nodes whose image is not that of
   most nodes. Takes time in proportion to the square of the number of nodes.
   Returns 0 if all nodes answer and none is marked; 1 otherwise; -1: the
   console is silent. */
NODISCARD int nodes_compare(struct nodes *nodes);

/* Returns the originator's identity, which may be unknown. */
const struct identity *nodes_first(const struct nodes *nodes);

/* Whether a known node is emulated. An emulated node runs in its host's
   time. */
bool identity_is_emulated(const struct identity *identity);

/* Returns the originator's image, "CAFE0001 is FILE, kernels search". FILE is
   `firmware` of fault_image_open(), or another image. The caller frees the
   text. NULL: the originator is unknown. */
char *nodes_image(const struct nodes *nodes, const char *firmware);

/* Prints a table, then the nodes that differ. */
void nodes_print(FILE *out, const struct nodes *nodes);

/* Prints the unfit nodes, one per line. Returns their number. */
unsigned nodes_print_unfit(FILE *out, const struct nodes *nodes);

void nodes_print_image(FILE *out, const struct nodes *nodes,
                       const char *firmware);

json_t *nodes_json(const struct nodes *nodes);

#endif
