/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity of each node of a mesh of boards (PEEK_IDENTITY of
 * hal/switch/peek.h): chip, image, clock, memory; and the nodes that differ
 * from the others.
 */
#ifndef QEMU_SERIAL_NODES_H
#define QEMU_SERIAL_NODES_H

#include "hal/nodiscard.h"
#include "qemu/serial/sweep.h"

#include <jansson.h>
#include <stdio.h>

#define IDENTITY_WHY_BYTES 160u

/* Bits of identity.marks. "Another": than most nodes have. */
enum identity_mark {
    IDENTITY_IMAGE = 1,   /* another image */
    IDENTITY_CLOCK = 2,   /* another source or frequency of the clock */
    IDENTITY_CRYSTAL = 4, /* another crystal, by more than 2 % */
    IDENTITY_MEMORY = 8,  /* another size of the memory */
    IDENTITY_RESET = 16,  /* the watchdog started the node, or it had a fault */
    IDENTITY_PLACE = 32,  /* the node says that it is elsewhere */
    IDENTITY_TWICE = 64   /* another place leads to the same board */
};

/* A node's answer; nothing else is set unless `known`. */
struct identity {
    bool known;
    bool placed; /* the node knows its place */
    struct torus_coord place;
    char unique_id[25]; /* of the chip, hexadecimal */
    uint32_t image_crc;
    uint32_t clock_hz;
    uint32_t crystal_hz; /* 0: unknown */
    uint32_t room_bytes; /* memory for a batch */
    uint32_t uptime_ms;
    uint32_t supply_mv; /* 0: unknown */
    int32_t celsius;    /* PEEK_NO_CELSIUS: unknown */
    uint32_t faults;    /* since power-up */
    uint32_t start;     /* another number after every reset */
    char clock[PEEK_NAMES_BYTES + 1];
    char reset[PEEK_NAMES_BYTES + 1];
    /* Set by nodes_read(). Why the node must not be in a job with the
       originator: it is not at full speed by its crystal (an emulated one
       is), or has another image. "": it may. */
    char unfit[IDENTITY_WHY_BYTES];
    /* Set by nodes_compare(). */
    char version[PEEK_VERSION_BYTES + 1]; /* of the image; "": unknown */
    unsigned marks;                       /* mask of enum identity_mark */
};

struct nodes {
    struct sweep sweep;
    struct identity *identity; /* row-major */
};

/* Nothing is asked yet. */
void nodes_begin(struct nodes *nodes, struct console *console,
                 struct torus_size size, struct torus_coord originator);
void nodes_end(struct nodes *nodes);

/* Asks all nodes for their identity; the identity of nodes that are skipped
   stays. Result: as sweep_read(). */
NODISCARD int nodes_read(struct nodes *nodes);

/* Asks for the versions of images, too, and marks the nodes that stand out, in
   a time that grows with the square of their number. Result: 0: all answer and
   none is marked; 1: not so; -1: the console is silent. */
NODISCARD int nodes_compare(struct nodes *nodes);

/* Result: the originator's identity, which may be unknown. */
const struct identity *nodes_first(const struct nodes *nodes);

/* Whether a known node is emulated: its times are then its host's. */
bool identity_is_emulated(const struct identity *identity);

/* Result: the originator's image, "CAFE0001 is FILE, kernels search", where
   FILE is `firmware` of fault_image_open(), or another image; the caller's to
   free. NULL: the originator is not known. */
char *nodes_image(const struct nodes *nodes, const char *firmware);

/* Prints a table for people and the nodes that stand out. */
void nodes_print(FILE *out, const struct nodes *nodes);

/* Prints the nodes that are unfit, one a line. Result: their number. */
unsigned nodes_print_unfit(FILE *out, const struct nodes *nodes);

/* Prints a line with the originator's image, if it is known. */
void nodes_print_image(FILE *out, const struct nodes *nodes,
                       const char *firmware);

/* Result: an array of objects, one for each node. */
json_t *nodes_json(const struct nodes *nodes);

#endif
