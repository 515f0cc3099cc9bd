/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold of a node with its descendants, whatever the top is told: each
 * node ends with an error, or all units that the top got are computed once,
 * each with its bytes and its halo, and the top's result counts them. Of a
 * whole job, whose originator runs, too: the same of all units of the order,
 * and of the report. It reads the messages by the drawings of
 * scatter/wire/wire.h, not by the engine's functions.
 *
 * The kernel of its nodes is one of its own: the argument is u32 before, u32
 * after, u16 numerator, u16 denominator of an output; and, if there is more, u8
 * of the result's bytes, how many more than 8, i8 of the output's, how many
 * more than it should have, u16 0, u32 instructions of 1000 units, then
 * judge_output() up to its end. The result is u64 units.
 */
#ifndef TEST_WORLD_JUDGE_H
#define TEST_WORLD_JUDGE_H

#include "test/world/world.h"

#define JUDGE_ARG_BYTES 12u
#define JUDGE_LONG_ARG_BYTES 20u
#define JUDGE_HALO_MAX 64u
#define JUDGE_PIECES_MAX 1024u
#define JUDGE_ROUNDS_MAX 256u

/* What the top got in one round; on a farm, with one chunk. */
struct judge_round {
    struct letter *letter;
    uint32_t load_at; /* in the letter: the range with what is before it */
    uint32_t before_bytes;
    uint32_t first;
    uint32_t units;
    uint64_t computed; /* by all nodes */
};

/* What some node computed. */
struct judge_piece {
    uint32_t round;
    uint32_t units;
    uint64_t first;
    bool returned; /* its output was */
};

/* The world's context begins with one. */
struct judge {
    bool whole;             /* what follows is of one order */
    struct torus_role role; /* the top's */
    enum wire_policy policy;
    bool became;          /* a farm, from a tree, for this job */
    bool forged;          /* a result did not come from a child */
    struct letter *last;  /* what the top got last, and not yet took */
    struct letter *early; /* a chunk that came before the announcement */
    bool was_early;       /* the first round's did */
    /* The job at hand: what was announced, and what came with the job. */
    bool announced;
    bool proves; /* results end with a proof */
    bool known;
    bool advance;   /* came first */
    bool output;    /* of the job; .. */
    bool meanwhile; /* .. returns at so many turns */
    uint32_t turns;
    bool returned; /* its result was; of a whole job, its report with .. */
    int error;     /* .. this */
    uint16_t job;
    uint32_t unit_bytes;
    uint32_t load_units; /* of the whole load */
    uint32_t phases;
    uint32_t rounds;
    uint32_t before_bytes;
    uint32_t after_bytes;
    uint32_t nodes;   /* of the top's piece of the tree */
    uint32_t worker;  /* of a farm: its number */
    uint32_t demands; /* that it sent */
    uint32_t count;   /* of rounds so far */
    struct judge_round round[JUDGE_ROUNDS_MAX];
    uint32_t pieces;
    struct judge_piece piece[JUDGE_PIECES_MAX];
    uint32_t jobs; /* of which the top returned the result */
};

extern const struct kernel judge_kernel;

/* The top is about to get a copy of this message. */
void judge_delivers(struct judge *judge, const struct letter *letter);

/* The top returned this result; a worker of a farm, or this demand. */
void judge_returned(struct judge *judge, const struct letter *letter);

/* An order whose load is judge_output() from its first byte on. */
struct letter *judge_order(const struct wire_order *order, uint16_t job);

/* The same of a whole job: its order, as a letter, too; and its report. */
void judge_ordered(struct judge *judge, const struct letter *letter,
                   const struct wire_order *order);
void judge_reported(struct judge *judge, const struct letter *report);

void judge_free(struct judge *judge);

/* Byte of an output, by its place in that of the whole load. */
uint8_t judge_output(uint64_t position);

#endif
