/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node of the scatter that is told messages, with its descendants: parts and
 * advances on the pattern, branches and rounds along a tree; or a worker of a
 * farm, that gets chunks. An input is a list
 * of messages and a list of which of them are told, in what order and how, so
 * that one byte more tells one twice:
 *
 *    0  u8  which node
 *    1  u8  P
 *    2  P times u8 number of a message, u8 how: enum node_how
 *   ..  messages: u8 kind, u8 job, u16 bytes, the bytes
 */
#include "test/fuzz/targets.h"

#include "test/unit/ignore.h"
#include "test/world/whole.h"

#include <stdlib.h>
#include <string.h>

/* The bits of `how`. */
enum node_how {
    NODE_HOW_HEAD = 1, /* the head is delivered first if the node asks so */
    NODE_HOW_DAMAGED = 2,
    NODE_HOW_OTHER_JOB = 4,
    NODE_HOW_PORTS = 0x18, /* two bits: at which it arrives, if it may */
    NODE_HOW_CUT = 0xe0    /* three bits: 0, 1, 2, 4, .. 64 bytes are missing */
};

#define MESSAGES_MAX 64u
#define MESSAGE_HEAD_BYTES 4u

/* ---- which node ---- */

/* Of the pattern: one that sends a phase, one that sends none, one whose
   children send. */
static const struct {
    uint16_t side;
    uint8_t layer;
} patterns[] = {{5, 1},
                {5, 2},
#ifndef __arm__ /* 625 nodes fit no board */
                {25, 2}
#endif
};

#define PATTERNS (sizeof patterns / sizeof *patterns)

static const struct torus_size tree_size = {9, 6};
static const struct torus_coord tree_top = {2, 2};

static struct torus_size pattern_size(unsigned which)
{
    return (struct torus_size){patterns[which].side, patterns[which].side};
}

static struct torus_coord pattern_top(unsigned which)
{
    struct torus_size size = pattern_size(which);
    struct torus_coord at = {0, 0};
    uint32_t i = 0;

    do {
        at = torus_coord_of(size, i++);
    } while (torus_role_of(size, (struct torus_coord){0, 0}, at).layer !=
             patterns[which].layer);
    return at;
}

/* ---- the script ---- */

struct script {
    struct judge judge;  /* first: the world's context */
    const uint8_t *play; /* two bytes each */
    uint32_t plays;
    const uint8_t *message[MESSAGES_MAX]; /* with its head */
    uint32_t bytes[MESSAGES_MAX];         /* without */
    uint32_t messages;
};

static void read_script(struct script *script, const uint8_t *in,
                        uint32_t bytes)
{
    const uint8_t *end = in + bytes;
    const uint8_t *at;

    script->play = in + 2;
    script->plays = in[1];
    if (script->plays > (bytes - 2) / 2) {
        script->plays = (bytes - 2) / 2;
    }
    at = script->play + 2 * script->plays;
    while (end - at >= (int64_t)MESSAGE_HEAD_BYTES &&
           script->messages < MESSAGES_MAX) {
        uint32_t left = (uint32_t)(end - at) - MESSAGE_HEAD_BYTES;
        uint32_t length = bytes_load_u16(at + 2);

        length = length < left ? length : left;
        script->message[script->messages] = at;
        script->bytes[script->messages++] = length;
        at += MESSAGE_HEAD_BYTES + length;
    }
}

/* Masters are the target mesh: here nobody is in a group. */
static void leave_groups(struct letter *letter)
{
    uint32_t bytes = letter->bytes;
    uint32_t nodes = bytes >= TREE_BRANCH_BYTES ? tree_nodes(letter->data) : 0;

    for (uint32_t i = 0; i < nodes && (i + 1) * TREE_BRANCH_BYTES <= bytes;
         ++i) {
        letter->data[i * TREE_BRANCH_BYTES] &= (uint8_t)~TREE_IN_GROUP;
    }
}

/* The message of a play, marked as what the judge knows of. */
static struct letter *write_play(const struct script *script,
                                 const uint8_t *play)
{
    uint32_t number = play[0] % script->messages;
    const uint8_t *message = script->message[number];
    uint32_t bytes = script->bytes[number];
    uint8_t how = play[1];
    uint32_t cut = 1u << (how >> 5) >> 1;
    struct letter *letter;

    /* A list of probes is the host's. */
    letter = letter_new(
        message[0] == WIRE_MEASURE ? (unsigned)WIRE_MEASURED : message[0],
        (uint16_t)(message[1] + ((how & NODE_HOW_OTHER_JOB) != 0)),
        bytes > cut ? bytes - cut : bytes);
    letter->marked = true;
    letter->head_only = (how & NODE_HOW_HEAD) != 0;
    letter->damaged = (how & NODE_HOW_DAMAGED) != 0;
    letter->port = how >> 3 & 3u;
    memcpy(letter->data, message + MESSAGE_HEAD_BYTES, letter->bytes);
    if (letter->kind == WIRE_ANNOUNCE && script->judge.policy != WIRE_PATTERN) {
        leave_groups(letter);
    }
    return letter;
}

static void taken(void *context, const struct world_node *to,
                  const struct letter *letter)
{
    (void)to;
    if (letter->marked) {
        judge_delivers(context, letter);
    }
}

/* The top's results are judged; a worker's messages are all for nobody, as are
   those for the originator, who would have to be told more, and what the top
   announces to itself. */
static struct letter *sent(void *context, const struct world_node *from,
                           struct letter *letter)
{
    bool alone = world_now()->policy == WIRE_FARM;
    bool judged = from == world_now()->node[0] &&
                  (alone || WIRE_KIND(letter->kind) == WIRE_RESULT);

    if (judged) {
        judge_returned(context, letter);
    }
    if (judged || alone || (letter->to.x == 0 && letter->to.y == 0) ||
        (letter->kind == WIRE_ANNOUNCE &&
         world_node(letter->to) == world_now()->node[0])) {
        free(letter);
        return NULL;
    }
    return letter;
}

/* Tells the top all that is played, as if it came at once. Result: its error,
   or how many jobs it did. */
static int play(struct script *script, struct world *world,
                struct torus_coord at)
{
    struct world_node *top;
    int error;

    world_begin(world);
    top = world_node(at);
    for (; script->messages > 0 && script->plays > 0; script->plays -= 1) {
        world_put(top, write_play(script, script->play));
        script->play += 2;
    }
    world_run();
    error = top->error != ERR_OK ? top->error : (int)script->judge.jobs;
    world_check(error != 0 || script->judge.forged, "a job without end");
    world_free(world);
    return error;
}

/* Result: the top's error, or how many jobs it did. */
static int try_node(enum wire_policy policy, const uint8_t *in, uint32_t bytes)
{
    struct script *script = calloc(1, sizeof *script);
    struct world world = {.size = tree_size,
                          .policy = policy,
                          .kernel = &judge_kernel,
                          .context = script,
                          .sent = sent,
                          .taken = taken,
                          .prompt = policy == WIRE_FARM};
    struct torus_coord top = tree_top;
    int error = ERR_EMPTY;

    fuzz_check(script != NULL, "no memory");
    if (bytes >= 2) {
        unsigned which = in[0] % PATTERNS;

        script->judge.policy = policy;
        if (policy == WIRE_PATTERN) {
            world.size = pattern_size(which);
            top = pattern_top(which);
            script->judge.role =
                torus_role_of(world.size, (struct torus_coord){0, 0}, top);
        }
        world.seed = in[0] / PATTERNS;
        read_script(script, in, bytes);
        error = play(script, &world, top);
        judge_free(&script->judge);
    }
    free(script);
    return error;
}

void node_try(const struct fuzz_target *target, const uint8_t *in,
              uint32_t bytes)
{
    ignore(try_node(target->policy, in, bytes));
}

/* ---- first inputs ---- */

#define BEFORE_BYTES 3u
#define AFTER_BYTES 2u
#define HEAD_BYTES_MAX 72u /* of a message's head, at least */
#define SMALL_NUMBER 4u

/* Jobs of a whole mesh, of which the first input is what the top gets. */
static const struct {
    uint8_t jobs; /* one after the other */
    uint8_t rounds;
    uint16_t units;
    uint8_t unit_bytes;
    uint8_t numerator; /* of an output; 0: none */
} plans[] = {{1, 1, 1200, 1, 0},
             {1, 3, 1800, 2, 0},
             {2, 2, 1400, 1, 0},
             {1, 2, 1600, 1, 1},
             {1, 3, 1800, 1, 3}};

/* Tells the first announcement as that of another job, which nothing follows.
 */
static void add_stale(uint8_t *out, const struct letter *letters)
{
    while (letters->kind != WIRE_ANNOUNCE) {
        out[2] += 1;
        letters = letters->next;
    }
    out[3] = NODE_HOW_OTHER_JOB;
    out[1] = 1;
}

/* Tries it with each word of a head as another number, which is what mutations
   seldom come to, and with a small one in place of each other word. */
static void try_wrong_words(uint8_t *out, uint32_t bytes, uint32_t from,
                            uint32_t end)
{
    static const uint32_t numbers[] = {0, INT32_MAX, UINT32_MAX - 15u};

    for (uint32_t at = from; at + 4 <= end; at += 4) {
        uint32_t was = bytes_load_u32(out + at);

        for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
            bytes_store_u32(out + at, numbers[i]);
            fuzz_once(out, bytes);
        }
        for (uint32_t other = from; other + 4 <= end; other += 4) {
            uint32_t kept = bytes_load_u32(out + other);

            if (other != at) {
                bytes_store_u32(out + other, SMALL_NUMBER);
                fuzz_once(out, bytes);
                bytes_store_u32(out + other, kept);
            }
        }
        bytes_store_u32(out + at, was);
    }
}

/* Tries wrong heads of the first message of each kind. */
static void try_wrong_heads(uint8_t *out, uint32_t head, uint32_t bytes)
{
    uint32_t kinds = 0;

    while (head < bytes) {
        uint32_t kind = 1u << (out[head] & 31u);
        uint32_t from = head + MESSAGE_HEAD_BYTES;
        uint32_t length = bytes_load_u16(out + head + 2);

        if ((kinds & kind) == 0) {
            try_wrong_words(
                out, bytes, from,
                from + (length < HEAD_BYTES_MAX ? length : HEAD_BYTES_MAX));
        }
        kinds |= kind;
        head = from + length;
    }
}

/* Adds what was kept, behind an announcement of another job, as it came and
   heads first: it must do its jobs. */
static void add_kept(struct letter *letters, enum wire_policy policy,
                     unsigned which, int jobs, bool is_tried)
{
    static uint8_t message[FUZZ_BYTES_MAX];
    uint8_t out[FUZZ_BYTES_MAX] = {(uint8_t)which};
    uint32_t bytes = 0;
    uint32_t head = 4;
    uint8_t number = 0;

    add_stale(out, letters);
    for (struct letter *next; letters != NULL; letters = next) {
        uint8_t *at = message + bytes;

        fuzz_check(bytes + MESSAGE_HEAD_BYTES + letters->bytes < sizeof message,
                   "a first input is too long");
        at[0] = letters->kind;
        at[1] = (uint8_t)letters->job;
        bytes_store_u16(at + 2, (uint16_t)letters->bytes);
        memcpy(at + MESSAGE_HEAD_BYTES, letters->data, letters->bytes);
        bytes += MESSAGE_HEAD_BYTES + letters->bytes;
        out[1] += 1;
        out[head] = number;
        out[head + 1] = number++ % 2 == 0 ? NODE_HOW_HEAD : 0;
        head += 2;
        next = letters->next;
        free(letters);
    }
    memcpy(out + head, message, bytes);
    fuzz_check(try_node(policy, out, head + bytes) == jobs,
               "a first input does not do its jobs");
    fuzz_add(out, head + bytes);
    if (which == 0 && is_tried) {
        try_wrong_heads(out, head, head + bytes);
    }
}

void node_seed(const struct fuzz_target *target)
{
    enum wire_policy policy = target->policy;
    unsigned whiches = policy == WIRE_PATTERN ? PATTERNS : 1;

    for (unsigned n = 0; n < whiches * sizeof plans / sizeof *plans; ++n) {
        unsigned which = n % whiches;
        unsigned plan = n / whiches;
        bool pattern = policy == WIRE_PATTERN;
        struct torus_size size = pattern ? pattern_size(which) : tree_size;
        uint8_t arg[JUDGE_LONG_ARG_BYTES];
        struct wire_order order =
            whole_order(policy, size, plans[plan].units, arg);

        arg[0] = BEFORE_BYTES;
        arg[4] = AFTER_BYTES;
        arg[8] = plans[plan].numerator;
        arg[10] = plans[plan].numerator > 0 ? 2 : 0;
        order.unit_bytes = plans[plan].unit_bytes;
        if (policy != WIRE_FARM) {
            order.rounds = plans[plan].rounds;
        }
        add_kept(whole_record(&order, size,
                              pattern ? pattern_top(which) : tree_top,
                              plans[plan].jobs),
                 policy, which, plans[plan].jobs, plan % 3 == 0);
        free((void *)(uintptr_t)order.tree);
    }
}
