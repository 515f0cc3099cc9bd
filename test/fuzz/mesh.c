/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole job: all nodes of a mesh run, and messages on their way are held
 * back, come twice or are changed. Whoever receives what must be refused ends
 * with an error; if there is nothing of that kind, and the order is one that a
 * host sends, the report counts every unit once and has all outputs. An input:
 *
 *    0  u8  width - 1, u8 height - 1, both modulo 5
 *    2  u8  installment or rounds, u8 ports
 *    4  u16 units
 *    6  u8  unit_bytes - 1, u8 bits 0 to 3: numerator of an output, 4 to 7:
 *           denominator; 0: no output
 *    8  u8  bits 0 to 3: bytes before a range, 4 to 7: behind it; u8 of the
 *           result's bytes, how many more than 8
 *   10  u16 of a byte of the tree, u8 what it is changed by; u8 enum mesh_what
 *   14  u64 startup_ps, u64 transfer_ps, u64 compute_ps, all modulo 2^48
 *   38  u32 instructions of 1000 units, modulo 2^20
 *   42  what happens to messages of the job, 12 bytes each: u8 enum mesh_how,
 *       u8 how often the next ones pass as they are, u8 byte of the message
 *       that is changed, u8 by what; u64 compute_ps that a demand tells
 */
#include "test/fuzz/targets.h"

#include "qemu/schedule/registry.h"
#include "test/world/whole.h"

#include <stdlib.h>
#include <string.h>

enum mesh_what {
    MESH_MASTERS = 1, /* a farm of two levels */
    MESH_TREE = 2,    /* in place of a farm: rounds along a tree, or */
    MESH_PATTERN = 4, /* the pattern, on 5x5 */
    MESH_BEHIND = 8,  /* behind an order that was announced, and failed */
    MESH_ORDER = 0xf0 /* in which nodes run */
};

enum mesh_how {
    MESH_HELD = 1, /* until no node can go on without it */
    MESH_OTHER_JOB = 2,
    MESH_DAMAGED = 4,
    MESH_AGAIN = 8,
    MESH_LONGER = 16,
    MESH_SHORTER = 32,
    MESH_CHANGED = 64,
    MESH_TIME = 128 /* a demand tells another compute_ps */
};

#define HEAD_BYTES 42u
#define PLAY_BYTES 12u
#define SIDE_MAX 5u
#define UNITS_MAX 1024u
#define UNIT_BYTES_MAX 128u
#define LOAD_BYTES_MAX 61440u /* more than a node has room for */
#define JOB 3u
#define TIME_MAX_PS ((uint64_t)1 << 40) /* that an order may have */

/* Of load and outputs: if they have more, they may not fit into a node. */
#define FITTING_BYTES_MAX 20000u

struct mesh_job {
    struct judge judge; /* first: the world's context */
    const uint8_t *play;
    uint32_t plays;
    uint32_t passing; /* messages until the next play */
    struct wire_order order;
    uint8_t arg[JUDGE_LONG_ARG_BYTES];
    uint8_t *tree;
    bool strange; /* the order is none that a host sends */
    bool lost;    /* something false came, or what must be refused was sent */
    bool refused; /* a node received that */
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- messages on their way ---- */

/* Whether others may overtake it: of parts of a range, none does. */
static bool may_wait(const struct letter *letter)
{
    return letter->kind == WIRE_CHUNK || letter->kind == WIRE_DEMAND ||
           WIRE_KIND(letter->kind) == WIRE_RESULT;
}

static bool is_of_job(const struct letter *letter)
{
    return may_wait(letter) || letter->kind == WIRE_BRANCH ||
           letter->kind == WIRE_BRANCH_ROUND || letter->kind == WIRE_PART;
}

/* A worker and the number of its chunk, as a chunk and a demand have them. */
static bool is_place(const struct letter *letter, uint32_t at)
{
    return letter->kind == WIRE_DEMAND
               ? at < 4
               : letter->kind == WIRE_CHUNK && at >= 8 && at < 12;
}

/* What only a wrong rate comes from. */
static bool is_harmless(const struct letter *letter, uint32_t at)
{
    return letter->kind == WIRE_DEMAND && at >= 4 && at < WIRE_DEMAND_BYTES;
}

/* Changes a byte, or the length. */
static struct letter *change(struct mesh_job *job, struct letter *letter,
                             const uint8_t *play)
{
    uint32_t at = letter->bytes > 0 ? play[2] % letter->bytes : 0;

    if ((play[0] & MESH_CHANGED) != 0 && letter->bytes > 0 && play[3] != 0) {
        letter->data[at] ^= play[3];
        letter->marked |= is_place(letter, at);
        job->judge.forged |= !is_place(letter, at) && !is_harmless(letter, at);
    }
    if ((play[0] & MESH_LONGER) != 0) {
        struct letter *longer = letter_copy(letter, 1 + play[2] % 8u);

        free(letter);
        letter = longer;
        job->judge.forged = true;
    }
    if ((play[0] & MESH_SHORTER) != 0 && letter->bytes > 0) {
        letter->bytes -= 1 + at;
        job->judge.forged = true;
    }
    return letter;
}

/* The same comes twice: a second demand or chunk must be refused. */
static void send_again(struct mesh_job *job, struct letter *letter)
{
    struct world_node *to = world_node(letter->to);

    letter->marked = letter->kind == WIRE_DEMAND || letter->kind == WIRE_CHUNK;
    job->judge.forged |= !letter->marked;
    if (to != NULL) {
        struct letter *again = letter_copy(letter, 0);

        again->marked = false;
        world_put(to, again);
    }
}

static struct letter *play(struct mesh_job *job, struct letter *letter)
{
    const uint8_t *play = job->play;

    job->play += PLAY_BYTES;
    job->plays -= 1;
    job->passing = play[1];
    if ((play[0] & MESH_TIME) != 0 && letter->kind == WIRE_DEMAND &&
        letter->bytes >= WIRE_DEMAND_BYTES &&
        bytes_load_u32(letter->data + 4) > 0) {
        bytes_store_u64(letter->data + 8, bytes_load_u64(play + 4));
    }
    if ((play[0] & MESH_AGAIN) != 0) {
        send_again(job, letter);
    }
    letter = change(job, letter, play);
    letter->held = (play[0] & MESH_HELD) != 0 && may_wait(letter);
    letter->damaged = (play[0] & MESH_DAMAGED) != 0;
    letter->job = (uint16_t)(letter->job + ((play[0] & MESH_OTHER_JOB) != 0));
    letter->marked |= letter->damaged || letter->job != JOB;
    job->lost |= letter->marked;
    return letter;
}

static struct letter *sent(void *context, const struct world_node *from,
                           struct letter *letter)
{
    struct mesh_job *job = context;

    (void)from;
    if (letter->kind == WIRE_REPORT) {
        if (letter->job == JOB) {
            judge_reported(&job->judge, letter);
        }
        free(letter);
        return NULL;
    }
    if (job->plays == 0 || !is_of_job(letter)) {
        return letter;
    }
    if (job->passing > 0) {
        job->passing -= 1;
        return letter;
    }
    return play(job, letter);
}

static void taken(void *context, const struct world_node *to,
                  const struct letter *letter)
{
    struct mesh_job *job = context;

    (void)to;
    job->refused |= letter->marked;
}

/* ---- the order ---- */

static void read_arg(struct mesh_job *job, const uint8_t *in)
{
    bytes_store_u32(job->arg, in[8] & 15u);
    bytes_store_u32(job->arg + 4, in[8] >> 4);
    bytes_store_u16(job->arg + 8, in[7] >> 4 != 0 ? in[7] & 15u : 0);
    bytes_store_u16(job->arg + 10, in[7] >> 4);
    job->arg[12] = in[9] % 64u;
    bytes_store_u32(job->arg + 16, bytes_load_u32(in + 38) % (1u << 20));
}

/* Whether a host sends such an order. */
static bool is_strange(const struct wire_order *order)
{
    return (order->ports != 1 && order->ports != 2 && order->ports != 4) ||
           order->startup_ps > TIME_MAX_PS || order->compute_ps > TIME_MAX_PS ||
           order->transfer_ps > TIME_MAX_PS / order->unit_bytes ||
           order->rounds == 0;
}

/* Whether load and outputs have room in a node, whatever else is there. */
static bool fits(const struct wire_order *order, const uint8_t *in)
{
    uint32_t bytes = order->load_units * order->unit_bytes;

    if (in[7] >> 4 != 0) {
        bytes += order->load_units * (in[7] & 15u) / (in[7] >> 4);
    }
    return bytes <= FITTING_BYTES_MAX;
}

static void make_tree(struct mesh_job *job, struct torus_size size,
                      const uint8_t *in)
{
    bool tree = job->order.policy == WIRE_TREE;
    uint32_t nodes = torus_nodes(size);

    job->tree = schedule_tree(
        tree ? SCHEDULE_PETERS_SYSKA : SCHEDULE_FARM,
        &(struct schedule_nodes){
            .size = size, .masters = !tree && (in[13] & MESH_MASTERS) != 0});
    fuzz_check(job->tree != NULL, "no memory");
    job->tree[bytes_load_u16(in + 10) % (TREE_BRANCH_BYTES * nodes)] ^= in[12];
    job->order.tree = job->tree;
    job->order.tree_nodes = (uint16_t)nodes;
}

/* Reads the input's head. */
static void read_job(struct mesh_job *job, struct world *world,
                     const uint8_t *in)
{
    uint64_t mask = ((uint64_t)1 << 48) - 1;
    struct wire_order *order = &job->order;

    world->size = (struct torus_size){(uint16_t)(1 + in[0] % SIDE_MAX),
                                      (uint16_t)(1 + in[1] % SIDE_MAX)};
    world->policy = WIRE_FARM;
    if ((in[13] & MESH_PATTERN) != 0) {
        world->size = (struct torus_size){SIDE_MAX, SIDE_MAX};
        world->policy = WIRE_PATTERN;
    } else if ((in[13] & MESH_TREE) != 0) {
        world->policy = WIRE_TREE;
    }
    world->builds = (in[13] & MESH_MASTERS) != 0 || in[12] != 0;
    world->seed = in[13] & MESH_ORDER;
    world->goes_on = (in[13] & MESH_BEHIND) != 0;
    read_arg(job, in);
    *order = (struct wire_order){.kernel = "judge",
                                 .phases = WIRE_BEST,
                                 .rounds = in[2],
                                 .ports = in[3],
                                 .whole_units = UINT32_MAX - in[5],
                                 .policy = world->policy & 0xfu,
                                 .unit_bytes = 1 + in[6] % UNIT_BYTES_MAX,
                                 .arg_bytes = JUDGE_LONG_ARG_BYTES,
                                 .arg = job->arg};
    order->load_units =
        1 + bytes_load_u16(in + 4) %
                least(UNITS_MAX, LOAD_BYTES_MAX / order->unit_bytes);
    order->startup_ps = bytes_load_u64(in + 14) & mask;
    order->transfer_ps = bytes_load_u64(in + 22) & mask;
    order->compute_ps = bytes_load_u64(in + 30) & mask;
    if (world->policy != WIRE_PATTERN) {
        make_tree(job, world->size, in);
    }
    job->strange = is_strange(order) || in[12] != 0 || !fits(order, in) ||
                   (in[7] >> 4 != 0 && world->builds);
}

static void run(struct mesh_job *job, struct world *world)
{
    bool done;
    bool refused;

    world_begin(world);
    if (world->goes_on) {
        struct wire_order failing = job->order;

        failing.before_bytes += 1;
        world_put(world_node((struct torus_coord){0, 0}),
                  judge_order(&failing, JOB + 1));
    }
    done = whole_run(&job->judge, world, &job->order, JOB) == ERR_OK;
    /* What cannot be planned, such as too many rounds. */
    refused = world->policy != WIRE_FARM && job->judge.returned;

    fuzz_check(!done || world->node[0]->error == ERR_OK,
               "a report with another error");
    fuzz_check(!done || !job->refused || job->judge.forged,
               "what must be refused is taken");
    fuzz_check(done || refused || job->lost || job->judge.forged ||
                   job->strange,
               "a job that nothing is wrong with has an error");
    world_free(world);
}

void mesh_try(const struct fuzz_target *target, const uint8_t *in,
              uint32_t bytes)
{
    struct mesh_job *job = calloc(1, sizeof *job);
    struct world world = {
        .kernel = &judge_kernel, .context = job, .sent = sent, .taken = taken};

    (void)target;
    fuzz_check(job != NULL, "no memory");
    if (bytes >= HEAD_BYTES) {
        read_job(job, &world, in);
        job->play = in + HEAD_BYTES;
        job->plays = (bytes - HEAD_BYTES) / PLAY_BYTES;
        run(job, &world);
        judge_free(&job->judge);
        free(job->tree);
    }
    free(job);
}

/* ---- first inputs ---- */

struct seed {
    uint8_t unit_bytes;
    uint8_t width;
    uint8_t height;
    uint8_t installment;
    uint16_t units;
    uint8_t output;
    uint8_t halo;
    uint8_t what;
    uint64_t compute_ps;
    uint32_t instructions;
    uint8_t how[6]; /* of the first plays */
};

/* On a farm a job in order; with outputs; with halos and a rate; on one node;
   with more nodes than units; with more output than fits; with what is of
   another job, comes twice, or is changed; with masters. Rounds along a tree
   and on the pattern. All of these behind an order that failed. */
void mesh_seed(const struct fuzz_target *target)
{
    static const struct seed seeds[] = {
        {1, 3, 3, 255, 300, 0, 0, 0, 0, 4000, {0}},
        {1, 3, 2, 4, 200, 0x11, 0, 0x10, 0, 90000, {0, 0, 1, 0, 1, 1}},
        {1, 5, 5, 2, 500, 0x23, 0x35, 0x20, 9999, 3000, {0, 1, 0, 1, 0, 0}},
        {1, 1, 1, 255, 50, 0, 0x11, 0, 0, 0, {0}},
        {1, 4, 3, 255, 5, 0x12, 0, 0, 7, 1, {0}},
        {40, 3, 3, 255, 1000, 0x1f, 0, 0, 0, 3000, {0}},
        {1, 3, 3, 255, 99, 0, 0, 0, 0, 50, {0, 0, 2, 0, 0, 0}},
        {1, 3, 3, 255, 99, 0, 0, 0, 0, 50, {0, 8, 0, 0, 0, 0}},
        {1, 3, 3, 255, 99, 0, 0, 0, 0, 50, {0, 128, 0, 0, 0, 0}},
        {1, 3, 3, 255, 99, 0, 0, 0, 0, 50, {0, 0, 0, 16, 32, 64}},
        {1, 5, 5, 4, 300, 0, 0x35, 1, 1000000, 3000, {0}},
        {1, 5, 4, 9, 700, 0, 0, 0x31, 1000000, 3000, {0, 8, 0, 0, 64}},
        {3, 4, 3, 1, 200, 0x12, 0x35, 2, 0, 90000, {0}},
        {2, 5, 3, 3, 900, 0, 0, 0x12, 1000000, 9000, {0, 1, 4}},
        {1, 5, 5, 1, 700, 0x11, 0x35, 4, 0, 90000, {0}},
        {1, 5, 5, 3, 999, 0x11, 0, 0x14, 1000000, 9000, {0, 1, 64}},
        {1, 4, 3, 255, 300, 0x11, 0x35, 0x38, 0, 4000, {1, 0, 1}},
        {1, 5, 4, 9, 700, 0, 0, 0x29, 1000000, 3000, {0, 0, 1}},
        {2, 4, 3, 2, 300, 0x12, 0x35, 0x1a, 0, 90000, {0}},
        {1, 5, 5, 2, 900, 0, 0x35, 0x4c, 0, 9000, {0}}};

    (void)target;
    for (unsigned i = 0; i < sizeof seeds / sizeof *seeds; ++i) {
        const struct seed *seed = &seeds[i];
        uint8_t out[HEAD_BYTES + 6 * PLAY_BYTES] = {(uint8_t)(seed->width - 1),
                                                    (uint8_t)(seed->height - 1),
                                                    seed->installment, 4};

        bytes_store_u16(out + 4, seed->units);
        out[6] = (uint8_t)(seed->unit_bytes - 1);
        out[7] = seed->output;
        out[8] = seed->halo;
        out[13] = seed->what;
        bytes_store_u64(out + 14, 4850000);
        bytes_store_u64(out + 22, 3300);
        bytes_store_u64(out + 30, seed->compute_ps);
        bytes_store_u32(out + 38, seed->instructions);
        for (unsigned at = 0; at < 6; ++at) {
            uint8_t *play = out + HEAD_BYTES + PLAY_BYTES * at;

            play[0] = seed->how[at];
            play[2] = (uint8_t)at;
            play[3] = 1;
            bytes_store_u64(play + 4, 1000000u * (1u + at));
        }
        fuzz_add(out, sizeof out);
    }
}
