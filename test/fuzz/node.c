/* SPDX-License-Identifier: Apache-2.0 */
#include "test/fuzz/node.h"

#include "test/unit/ignore.h"
#include "test/world/judge.h"

#include <stdlib.h>

#define MESSAGES_MAX 64u
#define MESSAGE_HEAD_BYTES 4u

/* ---- which node ---- */

/* Of the pattern: one that sends a phase, one that sends none, one whose
   children send. */
static const struct {
    uint16_t side;
    uint8_t layer;
} patterns[] = {{5, 1}, {5, 2}, {25, 2}};

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

/* Masters have a target of their own (farm.h): here nobody is in a group. */
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
    if (letter->kind == WIRE_ANNOUNCE && script->judge.policy == WIRE_FARM) {
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
   those for the originator, who would have to be told more. */
static struct letter *sent(void *context, const struct world_node *from,
                           struct letter *letter)
{
    bool alone = world_now()->policy == WIRE_FARM;
    bool judged = from == world_now()->node[0] &&
                  (alone || WIRE_KIND(letter->kind) == WIRE_RESULT);

    if (judged) {
        judge_returned(context, letter);
    }
    if (judged || alone || (letter->to.x == 0 && letter->to.y == 0)) {
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

void node_try_pattern(const struct fuzz_target *target, const uint8_t *in,
                      uint32_t bytes)
{
    (void)target;
    ignore(try_node(WIRE_PATTERN, in, bytes));
}

void node_try_tree(const struct fuzz_target *target, const uint8_t *in,
                   uint32_t bytes)
{
    (void)target;
    ignore(try_node(WIRE_TREE, in, bytes));
}

void node_try_farm(const struct fuzz_target *target, const uint8_t *in,
                   uint32_t bytes)
{
    (void)target;
    ignore(try_node(WIRE_FARM, in, bytes));
}

/* ---- first inputs ---- */

#define BEFORE_BYTES 3u
#define AFTER_BYTES 2u
#define MORE 8u /* enum wire_order_flag */

struct input {
    uint32_t bytes;
    uint8_t data[FUZZ_BYTES_MAX];
};

/* What a job is, and what its messages have in common. */
struct plan {
    unsigned which;
    uint8_t job;
    uint8_t rounds;
    bool more;
    uint32_t share; /* units of each node in a round */
    uint32_t unit_bytes;
    uint16_t numerator; /* of an output; 0: none; it returns .. */
    bool meanwhile;     /* .. while later rounds are computed */
    bool straight;      /* of a farm: branches have paths from the originator */
};

/* Of a message, from the input's end on. */
static uint8_t *begin_message(struct input *input, unsigned kind, uint8_t job)
{
    uint8_t *at = input->data + input->bytes;

    at[0] = (uint8_t)kind;
    at[1] = job;
    return at + MESSAGE_HEAD_BYTES;
}

static void end_message(struct input *input, const uint8_t *end)
{
    uint8_t *at = input->data + input->bytes;
    uint32_t bytes = (uint32_t)(end - at) - MESSAGE_HEAD_BYTES;

    bytes_store_u16(at + 2, (uint16_t)bytes);
    input->bytes += MESSAGE_HEAD_BYTES + bytes;
}

/* Numbers and how of messages, as pairs of characters: 'h' is a head first. */
static void begin_input(struct input *input, unsigned which, const char *plays)
{
    uint32_t count = (uint32_t)strlen(plays) / 2;

    input->bytes = 2 + 2 * count;
    input->data[0] = (uint8_t)which;
    input->data[1] = (uint8_t)count;
    for (uint32_t i = 0; i < count; ++i) {
        input->data[2 + 2 * i] = (uint8_t)(plays[2 * i] - '0');
        input->data[3 + 2 * i] = plays[2 * i + 1] == 'h' ? NODE_HOW_HEAD : 0;
    }
}

/* Adds it, which must do so many jobs. */
static void end_input(const struct input *input, enum wire_policy policy,
                      int jobs)
{
    fuzz_check(try_node(policy, input->data, input->bytes) == jobs,
               "a first input does not do its jobs");
    fuzz_add(input->data, input->bytes);
}

static void store_announcement(uint8_t **at, const struct plan *plan)
{
    struct wire_announce announce = {.unit_bytes = plan->unit_bytes,
                                     .arg_bytes = JUDGE_ARG_BYTES};
    uint8_t *arg = *at + WIRE_ANNOUNCE_BYTES;

    wire_announce_store(*at, &announce);
    bytes_store_u32(arg, BEFORE_BYTES);
    bytes_store_u32(arg + 4, AFTER_BYTES);
    bytes_store_u16(arg + 8, plan->numerator);
    bytes_store_u16(arg + 10, plan->numerator > 0 ? 2 : 0);
    *at = arg + JUDGE_ARG_BYTES;
}

static void store_job(uint8_t **at, const struct plan *plan,
                      enum wire_policy policy, unsigned phases)
{
    static const uint64_t result_ps[TORUS_PHASES_MAX + 1] = {0};
    unsigned flags = (plan->more ? MORE : 0) |
                     (plan->numerator > 0 ? WIRE_OUTPUT : 0) |
                     (plan->meanwhile ? WIRE_MEANWHILE : 0);
    struct wire_job job = {.phases = (uint8_t)phases,
                           .rounds = plan->rounds,
                           .flags = WIRE_FLAGS(flags, policy),
                           .slots.long_units = 1,
                           .before_bytes = BEFORE_BYTES,
                           .after_bytes = AFTER_BYTES};

    wire_job_store(*at, &job, result_ps);
    *at += wire_job_bytes(&job);
}

/* Units with what is before and behind them: bytes of any kind. */
static void store_range(uint8_t **at, const struct plan *plan, uint32_t first,
                        uint32_t units)
{
    uint32_t before = first * plan->unit_bytes;
    uint32_t bytes = units * plan->unit_bytes + AFTER_BYTES +
                     (before < BEFORE_BYTES ? before : BEFORE_BYTES);

    for (uint32_t i = 0; i < bytes; ++i) {
        (*at)[i] = judge_output(first + i);
    }
    *at += bytes;
}

/* ---- of the pattern ---- */

static unsigned pattern_phases(const struct plan *plan)
{
    return (unsigned)torus_phases(pattern_size(plan->which));
}

static void add_announcement(struct input *input, const struct plan *plan)
{
    uint8_t *at = begin_message(input, WIRE_ANNOUNCE, plan->job);

    bytes_store_u32(at, patterns[plan->which].layer);
    at += WIRE_ANNOUNCE_HEAD_BYTES;
    store_announcement(&at, plan);
    end_message(input, at);
}

/* What a part has ahead of its range. */
enum ahead {
    AHEAD_JOB,
    AHEAD_ADVANCE,
    AHEAD_TABLES
};

/* The part of a round, each of as many units. */
static void add_part(struct input *input, const struct plan *plan,
                     unsigned round, enum ahead ahead)
{
    struct torus_role role =
        torus_role_of(pattern_size(plan->which), (struct torus_coord){0, 0},
                      pattern_top(plan->which));
    unsigned phases = pattern_phases(plan);
    uint32_t share[TORUS_PHASES_MAX + 1];
    uint32_t volume[TORUS_PHASES_MAX + 1];
    uint8_t *part = begin_message(input, WIRE_PART, plan->job);
    uint8_t *at = part + WIRE_PART_BYTES;
    uint32_t label = wire_part_place(role.layer, role.port, round) |
                     (ahead == AHEAD_ADVANCE ? WIRE_ADVANCE : 0);
    uint32_t first;

    for (unsigned layer = phases + 1; layer-- > 0;) {
        share[layer] = plan->share;
        volume[layer] = layer == phases ? plan->share : 5 * volume[layer + 1];
    }
    first = round * volume[role.layer];
    wire_tables_store(at, phases, share, volume);
    at += WIRE_TABLES_BYTES(phases);
    if (ahead == AHEAD_JOB) {
        store_job(&at, plan, WIRE_PATTERN, phases);
    }
    label |= circuit_label(phases, (uint32_t)(at - part) - WIRE_PART_BYTES);
    wire_part_store(part, volume[role.layer], first, label);
    store_range(&at, plan, first, volume[role.layer]);
    end_message(input, at);
}

/* Adds a job of three rounds. */
static void add_three_rounds(struct input *input, const struct plan *plan)
{
    begin_input(input, plan->which, "0w1w2h3h");
    add_announcement(input, plan);
    add_part(input, plan, 0, AHEAD_JOB);
    add_part(input, plan, 1, AHEAD_TABLES);
    add_part(input, plan, 2, AHEAD_TABLES);
    end_input(input, WIRE_PATTERN, 1);
}

/* A job of one round and one of three; an advance with a job of one more, and
   of two more; two jobs, the second with an advance; one with an output, and
   one whose output returns meanwhile. */
static void seed_pattern(unsigned which, struct input *input)
{
    struct plan plan = {.which = which,
                        .job = 1,
                        .rounds = 1,
                        .share = which == 2 ? 2 : 6,
                        .unit_bytes = 1};

    begin_input(input, which, "0w1h");
    add_announcement(input, &plan);
    add_part(input, &plan, 0, AHEAD_JOB);
    end_input(input, WIRE_PATTERN, 1);

    plan.rounds = 3;
    plan.unit_bytes = 2;
    add_three_rounds(input, &plan);

    begin_input(input, which, "0w1h2h3h");
    add_announcement(input, &plan);
    add_part(input, &plan, 0, AHEAD_ADVANCE);
    add_part(input, &plan, 1, AHEAD_JOB);
    add_part(input, &plan, 2, AHEAD_TABLES);
    end_input(input, WIRE_PATTERN, 1);

    plan.more = true;
    plan.rounds = 1;
    begin_input(input, which, "0w1h2w3h4h");
    add_announcement(input, &plan);
    add_part(input, &plan, 0, AHEAD_JOB);
    plan.more = false;
    plan.rounds = 2;
    plan.job = 2;
    add_announcement(input, &plan);
    add_part(input, &plan, 0, AHEAD_ADVANCE);
    add_part(input, &plan, 1, AHEAD_JOB);
    end_input(input, WIRE_PATTERN, 2);

    plan.numerator = 1;
    plan.rounds = 2;
    begin_input(input, which, "0w1w2h");
    add_announcement(input, &plan);
    add_part(input, &plan, 0, AHEAD_JOB);
    add_part(input, &plan, 1, AHEAD_TABLES);
    end_input(input, WIRE_PATTERN, 1);

    plan.meanwhile = true;
    plan.rounds = 3;
    add_three_rounds(input, &plan);
}

void node_seed_pattern(const struct fuzz_target *target)
{
    struct input *input = calloc(1, sizeof *input);

    (void)target;
    fuzz_check(input != NULL, "no memory");
    for (unsigned which = 0; which < PATTERNS; ++which) {
        seed_pattern(which, input);
    }
    free(input);
}

/* ---- of a tree ---- */

/* The top at (2, 2); its children: a leaf, one with two children of which one
   gets nothing, in a phase that was cut off, and a leaf. No two are at one
   place. */
static const struct {
    uint8_t nodes;
    uint8_t phase;
    struct torus_path path;
    uint8_t shares; /* own ones of the subtree's nodes */
} piece[] = {{6, 1, {TORUS_NORTH, TORUS_STRAIGHT, 2, 0}, 5},
             {1, 2, {TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 1},
             {3, 2, {TORUS_NORTH, TORUS_LEFT, 2, 1}, 2},
             {1, 3, {TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 1},
             {1, 5, {TORUS_SOUTH, TORUS_STRAIGHT, 1, 0}, 0},
             {1, 3, {TORUS_SOUTH, TORUS_STRAIGHT, 1, 0}, 1}};

#define PIECE (sizeof piece / sizeof *piece)
#define TREE_PHASES 3u /* that the job has */

static void store_piece(uint8_t **at, const struct plan *plan)
{
    uint32_t first = 0;

    for (unsigned i = 0; i < PIECE; ++i) {
        uint8_t *branch = *at + TREE_BRANCH_BYTES * i;

        bytes_store_u32(branch, plan->straight ? tree_direct_pack(piece[i].path)
                                               : plan->share * piece[i].shares);
        bytes_store_u32(branch + 4, first);
        bytes_store_u16(branch + 8, piece[i].nodes);
        branch[10] = (uint8_t)(piece[i].path.port | piece[i].path.turn << 4);
        branch[11] = piece[i].phase;
        bytes_store_u16(branch + 12, piece[i].path.hops);
        bytes_store_u16(branch + 14, piece[i].path.hops_after);
        first += piece[i].shares > 0 ? plan->share : 0;
    }
    *at += TREE_BRANCH_BYTES * PIECE;
}

static void add_tree_announcement(struct input *input, const struct plan *plan)
{
    uint8_t *at = begin_message(input, WIRE_ANNOUNCE, plan->job);

    store_piece(&at, plan);
    store_announcement(&at, plan);
    end_message(input, at);
}

static void add_branch(struct input *input, const struct plan *plan)
{
    uint8_t *at = begin_message(input, WIRE_BRANCH, plan->job);

    store_job(&at, plan, WIRE_TREE, TREE_PHASES);
    store_piece(&at, plan);
    store_range(&at, plan, 0, plan->share * piece[0].shares);
    end_message(input, at);
}

static void add_round(struct input *input, const struct plan *plan,
                      unsigned round)
{
    uint32_t first = round * plan->share * piece[0].shares;
    uint8_t *at = begin_message(input, WIRE_BRANCH_ROUND, plan->job);
    uint32_t unit = first;

    bytes_store_u32(at, round);
    at += 4;
    for (unsigned i = 0; i < PIECE; ++i, at += 4) {
        bytes_store_u32(at, unit);
        unit += piece[i].shares > 0 ? plan->share : 0;
    }
    bytes_store_u32(at, unit);
    at += 4;
    store_range(&at, plan, first, unit - first);
    end_message(input, at);
}

/* A job of one round, and one of three; two jobs, the second of two; one with
   an output. */
void node_seed_tree(const struct fuzz_target *target)
{
    struct input *input = calloc(1, sizeof *input);
    struct plan plan = {.job = 1, .rounds = 1, .share = 4, .unit_bytes = 3};

    (void)target;
    fuzz_check(input != NULL, "no memory");
    begin_input(input, 0, "0w1w");
    add_tree_announcement(input, &plan);
    add_branch(input, &plan);
    end_input(input, WIRE_TREE, 1);

    plan.rounds = 3;
    plan.unit_bytes = 1;
    begin_input(input, 0, "0w1w2w3w");
    add_tree_announcement(input, &plan);
    add_branch(input, &plan);
    add_round(input, &plan, 1);
    add_round(input, &plan, 2);
    end_input(input, WIRE_TREE, 1);

    plan.more = true;
    plan.rounds = 1;
    begin_input(input, 0, "0w1w2w3w4w");
    add_tree_announcement(input, &plan);
    add_branch(input, &plan);
    plan = (struct plan){
        .job = 2, .rounds = 2, .share = 2, .unit_bytes = 2, .numerator = 0};
    add_tree_announcement(input, &plan);
    add_branch(input, &plan);
    add_round(input, &plan, 1);
    end_input(input, WIRE_TREE, 2);

    plan.numerator = 3;
    begin_input(input, 0, "0w1w2w");
    add_tree_announcement(input, &plan);
    add_branch(input, &plan);
    add_round(input, &plan, 1);
    end_input(input, WIRE_TREE, 1);
    free(input);
}

/* ---- of a farm ---- */

#define WORKER 4u

/* Its number, and the same of those before it, of `share` units each; 0: the
   end. The first has the job. */
static void add_chunk(struct input *input, const struct plan *plan,
                      unsigned number, uint32_t units)
{
    uint8_t *at = begin_message(input, WIRE_CHUNK, plan->job);
    struct wire_chunk chunk = {.units = units,
                               .first_unit = number * plan->share,
                               .worker = WORKER,
                               .number = (uint16_t)number};

    wire_chunk_store(at, &chunk);
    at += WIRE_CHUNK_BYTES;
    if (number == 0) {
        store_job(&at, plan, WIRE_FARM, 1);
    }
    if (units > 0) {
        store_range(&at, plan, chunk.first_unit, units);
    }
    end_message(input, at);
}

/* The announcement as message 0, chunks from 1 on, and the end. */
static void add_farm(struct input *input, const struct plan *plan,
                     unsigned chunks)
{
    add_tree_announcement(input, plan);
    for (unsigned i = 0; i < chunks; ++i) {
        add_chunk(input, plan, i, plan->share);
    }
    add_chunk(input, plan, chunks, 0);
}

/* One chunk; three; the first ahead of the announcement; two jobs; outputs. */
void node_seed_farm(const struct fuzz_target *target)
{
    struct input *input = calloc(1, sizeof *input);
    struct plan plan = {
        .job = 1, .rounds = 1, .share = 4, .unit_bytes = 3, .straight = true};

    (void)target;
    fuzz_check(input != NULL, "no memory");
    begin_input(input, 0, "0w1w2w");
    add_farm(input, &plan, 1);
    end_input(input, WIRE_FARM, 1);

    begin_input(input, 0, "1w0w2w3w4w");
    add_farm(input, &plan, 3);
    end_input(input, WIRE_FARM, 1);

    plan.more = true;
    begin_input(input, 0, "0w1w2w3w4w5w6w7w");
    add_farm(input, &plan, 2);
    plan.job = 2;
    plan.more = false;
    plan.unit_bytes = 1;
    add_farm(input, &plan, 2);
    end_input(input, WIRE_FARM, 2);

    plan.numerator = 3;
    begin_input(input, 0, "0w1w2w3w4w");
    add_farm(input, &plan, 3);
    end_input(input, WIRE_FARM, 1);
    free(input);
}
