/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity of each node of a mesh of boards (PEEK_IDENTITY of
 * hal/switch/peek.h): chip, image, clock, memory; and the nodes that differ
 * from the others.
 */
#ifndef QEMU_SURVEY_IDENTITY_H
#define QEMU_SURVEY_IDENTITY_H

#include "hal/nodiscard.h"
#include "qemu/survey/sweep.h"

#include <stdio.h>

#define IDENTITY_WHY_BYTES 160u

/* A node's answer. */
struct identity {
    bool known; /* it answered; else nothing of the rest */
    bool placed;
    struct torus_coord place; /* if so: where it takes itself to be */
    uint32_t uid[3];
    uint32_t image_crc;
    uint32_t clock_hz;
    uint32_t crystal_hz; /* 0: unknown */
    uint32_t room_bytes;
    uint32_t uptime_ms;
    uint32_t supply_mv; /* 0: unknown */
    int32_t celsius;    /* PEEK_NO_CELSIUS: unknown */
    uint32_t faults;    /* since power-up */
    uint32_t start;     /* another number after every reset */
    char clock[PEEK_NAMES_BYTES + 1];
    char reset[PEEK_NAMES_BYTES + 1];
};

/* The ways in which a node stands out from the others. */
enum identity_mark {
    IDENTITY_IMAGE = 1,   /* its image, */
    IDENTITY_CLOCK = 2,   /* its clock's source or frequency, */
    IDENTITY_CRYSTAL = 4, /* its crystal by more than 2 %, */
    IDENTITY_MEMORY = 8,  /* or its memory is not that of most nodes */
    IDENTITY_RESET = 16,  /* started by the watchdog, or had a fault */
    IDENTITY_PLACE = 32,  /* takes itself to be elsewhere */
    IDENTITY_TWICE = 64   /* another place leads to the same board */
};

/* Asks all nodes; `identity` has one for each, row-major, first zeros; those
   of nodes that are skipped stay. Result: as sweep_read(). */
NODISCARD int identity_read(struct identity *identity, struct sweep *sweep);

/* The marks of each node, masks; a node that is not known has none. Cost: the
   square of the number of nodes. */
void identity_mark(unsigned *mark, const struct identity *identity,
                   struct torus_size size);

/* Whether a known node is emulated: its times are then its host's. */
bool identity_is_emulated(const struct identity *node);

/*
 * Whether a node must not be in a job with this originator: it is not at full
 * speed by its crystal (an emulated one is), or has another image. `why` gets
 * what is wrong and what is expected, for people.
 */
bool identity_is_unfit(char why[IDENTITY_WHY_BYTES],
                       const struct identity *node,
                       const struct identity *originator);

/* Prints the nodes that are unfit, one a line. Result: their number. */
unsigned identity_print_unfit(FILE *out, const struct identity *identity,
                              const struct sweep *sweep);

/* Which image the originator has, "CAFE0001 is FILE, kernels search": that of
   the ELF file `firmware`, "" for the one beside this program, or another one.
   Result: the caller's to free; NULL: it did not say. */
char *identity_image(const struct identity *identity, const struct sweep *sweep,
                     const char *firmware);

/* Prints a line with it, or nothing. */
void identity_print_image(FILE *out, const struct identity *identity,
                          const struct sweep *sweep, const char *firmware);

#endif
