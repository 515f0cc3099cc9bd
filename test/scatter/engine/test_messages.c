/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node gets in a job, as it was recorded, told once more with every byte
 * changed, cut at every length, twice, and left out: what is malformed is
 * refused with an error, and of all else the judge says whether it is done.
 * Nothing behind a message is looked at, since the world poisons it.
 */
#include "test/scatter/engine/suite.h"
#include "test/world/whole.h"

#include <stdlib.h>
#include <string.h>

#define LETTERS_MAX 8u
#define CHANGED_MAX 160u /* bytes of a message; behind it is load */
#define BEFORE_BYTES 4u

/* Of the pattern on 5x5: where the job lies in a part, and the layers' units of
   an advance, 40 a node. */
#define TABLES_BYTES WIRE_TABLES_BYTES(2)
#define JOB_AT (WIRE_PART_BYTES + TABLES_BYTES)
#define CHILD_AT (WIRE_JOB_BYTES + TREE_BRANCH_BYTES) /* of a branch */

static const struct torus_size pattern_size = {5, 5};
static const struct torus_coord pattern_place = {1, 1};
static const uint32_t volume_units[] = {1000, 200, 40};
static const uint32_t share_units[] = {0, 40, 40};

/* What it gets, in order. */
struct script {
    enum wire_policy policy;
    struct torus_size size;
    struct torus_coord place;
    unsigned count;
    struct letter *letter[LETTERS_MAX];
};

static void record(struct script *script, enum wire_policy policy,
                   unsigned rounds, unsigned numerator, unsigned unit_bytes)
{
    bool pattern = policy == WIRE_PATTERN;
    struct torus_size size = pattern ? pattern_size : (struct torus_size){9, 6};
    uint8_t arg[JUDGE_LONG_ARG_BYTES];
    struct wire_order order = whole_order(policy, size, 600 * rounds, arg);
    struct letter *at;

    arg[0] = BEFORE_BYTES;
    order.unit_bytes = unit_bytes;
    arg[8] = (uint8_t)numerator;
    arg[10] = numerator > 0 ? 2 : 0;
    if (policy != WIRE_FARM) {
        order.rounds = (uint8_t)rounds;
    }
    *script =
        (struct script){policy,
                        size,
                        pattern ? pattern_place : (struct torus_coord){2, 2},
                        0,
                        {NULL}};
    for (at = whole_record(&order, size, script->place, 1); at != NULL;
         at = at->next) {
        world_check(script->count < LETTERS_MAX, "more messages than recorded");
        script->letter[script->count++] = at;
    }
    free((void *)(uintptr_t)order.tree);
}

/* A part of 200 units of 1 byte for the node at its place. */
static struct letter *make_part(unsigned round, bool advance)
{
    struct torus_role role =
        torus_role_of(pattern_size, (struct torus_coord){0, 0}, pattern_place);
    struct wire_job job = {.phases = 2,
                           .rounds = 2,
                           .flags = WIRE_FLAGS(0u, WIRE_PATTERN),
                           .slots.long_units = 1,
                           .before_bytes = BEFORE_BYTES};
    uint32_t ahead = JOB_AT + (advance ? 0 : WIRE_JOB_BYTES);
    uint32_t units = volume_units[role.layer];
    struct letter *letter = letter_new(
        WIRE_PART, 1, ahead + units + (round > 0 ? BEFORE_BYTES : 0));

    bytes_store_u32(letter->data, units);
    bytes_store_u32(letter->data + 4, round * units);
    bytes_store_u32(letter->data + offsetof(struct wire_part, label),
                    wire_part_place(role.layer, role.port, round) |
                        circuit_label(2, ahead - WIRE_PART_BYTES) |
                        (advance ? WIRE_ADVANCE : 0));
    wire_tables_store(letter->data + WIRE_PART_BYTES, 2, share_units,
                      volume_units);
    if (!advance) {
        wire_job_store(letter->data + JOB_AT, &job, NULL);
    }
    return letter;
}

/* An announcement, an advance, and the part behind it, which has the job. */
static void make_advance(struct script *script)
{
    record(script, WIRE_PATTERN, 1, 0, 1);
    free(script->letter[1]);
    script->letter[1] = make_part(0, true);
    script->letter[2] = make_part(1, false);
    script->count = 3;
}

/* ---- telling ---- */

#define GOOD UINT32_MAX /* number of a letter: none is changed */

static struct told told;

/* Tells the letters of this order, a digit each, from 1; the one of number
   `changed` as `bad`. Result: its error; 0 while it waits, or if all is done,
   which told.judge.jobs counts. */
static int tell_order(const struct script *script, const char *order,
                      unsigned changed, const struct letter *bad)
{
    memset(&told, 0, sizeof told);
    told.with_children = true;
    told_begin(&told, script->policy, script->size, script->place);
    for (; *order != '\0'; ++order) {
        unsigned number = (unsigned)(*order - '1');
        const struct letter *at =
            number == changed ? bad : script->letter[number];

        tell(&told, at->kind, at->job, at->data, at->bytes);
    }
    return told_end(&told);
}

static int tell_all(const struct script *script, unsigned changed,
                    const struct letter *bad)
{
    char all[LETTERS_MAX + 1] = "12345678";

    all[script->count] = '\0';
    return tell_order(script, all, changed, bad);
}

/* A bit of each byte, none and all of them. Result: how many are refused. */
static uint32_t change_bytes(const struct script *script, unsigned number)
{
    struct letter *bad = letter_copy(script->letter[number], 0);
    uint32_t end = bad->bytes < CHANGED_MAX ? bad->bytes : CHANGED_MAX;
    uint32_t refused = 0;

    for (uint32_t at = 0; at < end; ++at) {
        uint8_t good = bad->data[at];

        for (unsigned way = 0; way < 10; ++way) {
            unsigned changed = way < 8 ? good ^ 1u << way : (way - 8) * 255;

            bad->data[at] = (uint8_t)changed;
            refused += tell_all(script, number, bad) != ERR_OK;
        }
        bad->data[at] = good;
    }
    free(bad);
    return refused;
}

static void check_cuts(struct unit *unit, const struct script *script,
                       unsigned number)
{
    struct letter *bad = letter_copy(script->letter[number], 0);
    uint32_t bytes = bad->bytes;

    for (bad->bytes = 0; bad->bytes < bytes; ++bad->bytes) {
        CHECK_EQUAL(unit, tell_all(script, number, bad), ERR_LENGTH);
    }
    free(bad);
}

static void forget(struct script *script)
{
    for (unsigned i = 0; i < script->count; ++i) {
        free(script->letter[i]);
    }
}

/* Adds two announcements of other jobs, which are as good: the second is
   longer. */
static void add_stale(struct script *script)
{
    for (uint16_t more = 1; more <= 2; ++more) {
        const struct letter *good = script->letter[1];
        uint32_t longer = more == 2 ? 400 : 0;
        struct letter *stale = letter_copy(good, longer);
        uint8_t *arg = stale->data + good->bytes - JUDGE_LONG_ARG_BYTES;

        stale->job = (uint16_t)(good->job + more);
        bytes_store_u32(arg - 4, JUDGE_LONG_ARG_BYTES + longer);
        script->letter[script->count++] = stale;
    }
}

/* ---- of all these jobs ---- */

enum job {
    PART,    /* of one round */
    ADVANCE, /* and what follows it */
    PARTS,   /* of three rounds, with outputs */
    BRANCH,
    BRANCHES,
    CHUNKS, /* of a farm's worker: all, and the end */
    BECAME, /* the same, to a node that awaits a branch */
    JOBS,
    NUMBERS, /* of a worker whose units have no bytes, but outputs */
    STALE    /* of one, and announcements that nothing follows */
};

static void make(struct script *script, enum job job)
{
    switch (job) {
    case PART:
        record(script, WIRE_PATTERN, 1, 0, 1);
        break;
    case ADVANCE:
        make_advance(script);
        break;
    case PARTS:
        record(script, WIRE_PATTERN, 3, 1, 1);
        break;
    case BRANCH:
        record(script, WIRE_TREE, 1, 0, 1);
        break;
    case BRANCHES:
        record(script, WIRE_TREE, 2, 1, 1);
        break;
    case NUMBERS:
        record(script, WIRE_FARM, 1, 2, 0);
        break;
    default:
        record(script, WIRE_FARM, 1, 0, 1);
        break;
    }
    script->policy = job == BECAME ? WIRE_TREE : script->policy;
    if (job == STALE) {
        add_stale(script);
    }
}

static void every_byte_and_length(struct unit *unit)
{
    for (enum job job = 0; job < JOBS; ++job) {
        struct script script;
        uint32_t refused = 0;

        make(&script, job);
        CHECK_EQUAL(unit, tell_all(&script, GOOD, NULL), ERR_OK);
        for (unsigned number = 0; number < script.count; ++number) {
            refused += change_bytes(&script, number);
            check_cuts(unit, &script, number);
        }
        CHECK(unit, refused > 300);
        forget(&script);
    }
}

/* What is told of a job, and in which order; the letter of a number, from 1,
   has this number of so many bytes at this place: what its error is then. */
static const struct {
    enum job job;
    const char *order;
    unsigned number;
    uint32_t at;
    unsigned bytes;
    uint64_t value;
    int error;
} cases[] = {
    /* Announcements: none, of another layer, kernel, argument, job. */
    {PART, "2", 0, 0, 0, 0, ERR_FIELD},
    {PART, "1", 1, 0, 1, 9, ERR_PLACE},
    {PART, "1", 1, 15, 1, 1, ERR_IMAGE},
    {PART, "1", 1, 12, 4, KERNEL_ARG_MAX + 1, ERR_FIELD},
    {PART, "1", 1, 12, 4, JUDGE_LONG_ARG_BYTES + 4, ERR_LENGTH},
    {PART, "12", 1, 4, 4, 2, ERR_LENGTH}, /* longer units than came */
    {ADVANCE, "121", 0, 0, 0, 0, ERR_KIND},
    /* Parts of another layer, port, round; jobs of other phases, of no rounds,
       of too many, of another policy. */
    {PART, "12", 2, 8, 1, 0x2f, ERR_PLACE},
    {PART, "12", 2, 9, 1, 7, ERR_PLACE},
    {PART, "12", 2, 10, 1, 1, ERR_PLACE},
    {PART, "12", 2, JOB_AT, 1, 1, ERR_FIELD},
    {PART, "12", 2, JOB_AT, 1, 3, ERR_FIELD},
    {PART, "12", 2, JOB_AT + 1, 1, 0, ERR_FIELD},
    {PART, "12", 2, JOB_AT + 1, 1, ROUNDS_MAX + 1, ERR_FIELD},
    {PART, "12", 2, JOB_AT + 2, 1, WIRE_FLAGS(0, WIRE_TREE), ERR_FIELD},
    {PARTS, "122", 0, 0, 0, 0, ERR_PLACE},
    {PARTS, "124", 0, 0, 0, 0, ERR_PLACE},
    /* An advance comes once and first; the job behind it, in round 1, has two
       rounds or more. */
    {ADVANCE, "122", 0, 0, 0, 0, ERR_PLACE},
    {ADVANCE, "13", 0, 0, 0, 0, ERR_PLACE},
    {ADVANCE, "123", 3, 10, 1, 2, ERR_PLACE},
    {ADVANCE, "123", 3, JOB_AT + 1, 1, 1, ERR_FIELD},
    {ADVANCE, "123", 3, JOB_AT + 1, 1, ROUNDS_MAX, ERR_OK},
    /* Branches: the same; a range that ends before it begins. */
    {BRANCH, "2", 0, 0, 0, 0, ERR_FIELD},
    {BRANCH, "12", 2, 1, 1, 0, ERR_FIELD},
    {BRANCH, "12", 2, 1, 1, ROUNDS_MAX + 1, ERR_FIELD},
    {BRANCH, "12", 2, 2, 1, WIRE_FLAGS(0, WIRE_PATTERN), ERR_FIELD},
    {BRANCH, "12", 2, 28, 4, 0, ERR_FIELD}, /* other halos than the terms' */
    {BRANCH, "12", 2, 28, 4, UINT32_MAX - 15, ERR_FIELD},
    {BRANCH, "12", 2, 32, 4, 1, ERR_FIELD},
    {BRANCH, "12", 2, 2, 1, WIRE_FLAGS(WIRE_OUTPUT, WIRE_TREE), ERR_FIELD},
    {BRANCHES, "122", 0, 0, 0, 0, ERR_KIND},
    {BRANCHES, "123", 3, 0, 4, 2, ERR_PLACE},
    {BRANCHES, "123", 3, 4, 4, UINT32_MAX, ERR_PLAN},
    /* Its first child, which is refused where else it would wait in vain:
       announced in no phase; of no phase, too many units, others than its
       neighbour leaves, over no port. */
    {BRANCH, "1", 1, TREE_BRANCH_BYTES + 11, 1, 0, ERR_PLAN},
    {BRANCH, "12", 2, CHILD_AT + 11, 1, 0, ERR_PLAN},
    {BRANCH, "12", 2, CHILD_AT, 4, 10000, ERR_PLAN},
    {BRANCH, "12", 2, CHILD_AT, 4, 0, ERR_PLAN},
    {BRANCH, "12", 2, CHILD_AT + 10, 1, 15, ERR_NO_ROUTE},
    /* No units, from 376 on, in the first round, and some in the second; ahead
       of the branch there are seven times to return at. */
    {BRANCHES, "123", 2, CHILD_AT + 7 * 8, 8, (uint64_t)376 << 32, ERR_PLAN},
    /* A worker's first chunk, which comes before the announcement here, may
       come behind it; chunks of no units, of another number, policy, length,
       worker, beyond all loads. */
    {CHUNKS, "213", 0, 0, 0, 0, ERR_OK},
    {CHUNKS, "12", 2, 0, 4, 0, ERR_PLAN}, /* no way to the originator */
    {CHUNKS, "12", 1, 0, 4, 0, ERR_PLAN},
    {CHUNKS, "12", 1, 10, 2, 1, ERR_PLACE},
    {CHUNKS, "12", 1, 12 + 2, 1, WIRE_FLAGS(0, WIRE_TREE), ERR_FIELD},
    {CHUNKS, "12", 1, 12 + 28, 4, UINT32_MAX - 15, ERR_FIELD},
    {NUMBERS, "12", 1, 12 + 2, 1, WIRE_FLAGS(0, WIRE_FARM), ERR_FIELD},
    {CHUNKS, "12", 1, 0, 4, 10000, ERR_LENGTH},
    {CHUNKS, "12", 1, 4, 4, UINT32_MAX - 1, ERR_PLAN},
    {CHUNKS, "123", 3, 8, 2, 0, ERR_PLACE},
    {CHUNKS, "123", 3, 10, 2, 0, ERR_PLACE},
    {CHUNKS, "123", 3, 10, 2, 2, ERR_PLACE},
    /* So many units that the length of their output wraps in 32 bits. */
    {NUMBERS, "213", 0, 0, 0, 0, ERR_OK},
    {NUMBERS, "21", 1, 0, 8, UINT32_MAX - 1, ERR_MEMORY},
    /* Announcements of orders that failed (4; 5 is longer), ahead of a chunk,
       behind it, and both; one that is all there is. */
    {STALE, "4213", 0, 0, 0, 0, ERR_OK},
    {STALE, "4123", 0, 0, 0, 0, ERR_OK},
    {STALE, "5123", 0, 0, 0, 0, ERR_OK},
    {STALE, "1423", 0, 0, 0, 0, ERR_OK},
    {STALE, "41523", 0, 0, 0, 0, ERR_OK},
    {STALE, "54152423", 0, 0, 0, 0, ERR_OK},
    {STALE, "41", 0, 0, 0, 0, ERR_OK}, /* it waits */
    {STALE, "412", 2, TREE_BRANCH_BYTES + 11, 1, 9, ERR_IMAGE}};

static void what_is_refused(struct unit *unit)
{
    for (unsigned i = 0; i < COUNT(cases); ++i) {
        unsigned number = cases[i].number - 1;
        struct letter *bad = NULL;
        struct script script;
        int error;

        make(&script, cases[i].job);
        if (number != GOOD) {
            bad = letter_copy(script.letter[number], 0);
            memcpy(bad->data + cases[i].at, &cases[i].value, cases[i].bytes);
        }
        error = tell_order(&script, cases[i].order, number, bad);
        if (error != cases[i].error ||
            (cases[i].job == STALE && cases[i].order[2] != '\0' &&
             told.judge.jobs != (error == ERR_OK))) {
            CHECK_EQUAL(unit, error, cases[i].error);
            CHECK_EQUAL(unit, i, -1); /* the case */
        }
        free(bad);
        forget(&script);
    }
}

void test_messages(struct unit *unit)
{
    UNIT_RUN(unit, every_byte_and_length);
    UNIT_RUN(unit, what_is_refused);
}
