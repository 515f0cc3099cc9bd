/* SPDX-License-Identifier: Apache-2.0 */
#include "test/world/judge.h"

#include <stdlib.h>

/* Of the drawings in scatter/wire/wire.h. */
#define PART_BYTES 12u
#define JOB_BYTES 36u
#define BRANCH_BYTES 16u
#define FLAG_MEANWHILE 2u
#define FLAG_OUTPUT 4u
#define OUTPUTS_BYTES 4u
#define RESULT_BYTES 8u
#define HEAD_BYTES 8u
#define CHUNK_BYTES 12u
#define DEMAND_BYTES 16u
#define PROOF_BYTES 16u
#define REPORT_BYTES 368u

struct work {
    struct kernel_terms terms;
    int8_t lies;
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct world_node *current(void)
{
    return world_now()->current;
}

static struct judge *judge_now(void)
{
    return world_now()->context;
}

static bool is_top(void)
{
    return current() == world_now()->node[0];
}

static void forget_job(struct judge *judge)
{
    for (uint32_t i = 0; i < judge->count; ++i) {
        free(judge->round[i].letter);
    }
    judge->policy = judge->became ? WIRE_TREE : judge->policy;
    judge->became = false;
    judge->count = 0;
    judge->pieces = 0;
    judge->known = false;
    judge->advance = false;
    judge->announced = false;
    judge->returned = false;
    judge->was_early = false;
    judge->demands = 0;
    judge->turns = 0;
}

void judge_free(struct judge *judge)
{
    forget_job(judge);
    free(judge->last);
    free(judge->early);
    judge->last = NULL;
    judge->early = NULL;
}

void judge_delivers(struct judge *judge, const struct letter *letter)
{
    if (judge->last != NULL && judge->last->kind == WIRE_CHUNK &&
        judge->early == NULL &&
        (!judge->announced || judge->returned ||
         judge->last->job != judge->job)) {
        judge->early = judge->last;
        judge->last = NULL;
    }
    free(judge->last);
    judge->last = letter_copy(letter, 0);
    judge->forged |= letter->kind >= 0x10;
}

/* ---- what the top took ---- */

/* Its kernel begins: what it got last is an announcement. */
static void take_announcement(struct judge *judge)
{
    const struct letter *letter = judge->last;
    const uint8_t *at;
    uint32_t head = 4;

    world_check(judge->count == 0 || judge->returned,
                "an announcement is taken in a job");
    forget_job(judge);
    world_check(letter != NULL && letter->kind == WIRE_ANNOUNCE &&
                    !letter->damaged,
                "what was not announced is begun");
    if (judge->policy != WIRE_PATTERN) {
        world_check(letter->bytes >= BRANCH_BYTES, "a piece that is not there");
        head = BRANCH_BYTES * bytes_load_u16(letter->data + 8);
    }
    world_check(letter->bytes >= head + 12, "an announcement cut short");
    world_check(judge->policy != WIRE_PATTERN ||
                    letter->data[0] == judge->role.layer,
                "another layer's announcement");
    at = letter->data + head;
    world_check(at[11] == 0, "a kernel that does not exist is begun");
    world_check(letter->bytes ==
                    head + 12 +
                        (((bytes_load_u32(at + 8) & 0x7fffffu) + 3u) & ~3u),
                "an argument of another length");
    judge->announced = true;
    judge->proves = (at[10] & 0x80) != 0;
    judge->job = letter->job;
    judge->unit_bytes = bytes_load_u32(at);
    judge->load_units = bytes_load_u32(at + 4);
}

/* Reads the job at `at` of a message. Result: its bytes. */
static uint32_t take_job(struct judge *judge, const struct letter *letter,
                         uint32_t at)
{
    const uint8_t *job = letter->data + at;
    uint32_t flags;
    uint32_t bytes = JOB_BYTES;

    world_check(letter->bytes >= at + JOB_BYTES, "a job cut short");
    flags = job[2];
    world_check(!judge->known, "a second job is taken");
    judge->known = true;
    world_check(job[1] >= 1 + judge->count && job[1] <= ROUNDS_MAX,
                "a job of a number of rounds that is none");
    judge->rounds = job[1];
    judge->before_bytes = bytes_load_u32(job + 28);
    judge->after_bytes = bytes_load_u32(job + 32);
    judge->output = (flags & FLAG_OUTPUT) != 0;
    judge->meanwhile = (flags & FLAG_MEANWHILE) != 0;
    world_check(!judge->meanwhile || judge->policy != WIRE_PATTERN ||
                    (judge->output && judge->rounds > 1),
                "outputs of no rounds would return meanwhile");
    world_check(flags >> 4 == judge->policy, "a job of another policy");
    /* Who gets what behind the rounds, the host's tests of whole runs show. */
    judge->forged |= (flags & WIRE_TAIL) != 0;
    world_check(job[0] >= 1 &&
                    job[0] <= (judge->policy == WIRE_PATTERN ? 10 : 228),
                "a job of a number of phases that is none");
    world_check(!judge->advance || judge->phases == job[0],
                "a job that does not go with its advance");
    judge->phases = job[0];
    bytes += judge->output ? 8 * (judge->phases + 1) : 0;
    return bytes;
}

/* Where the range of a part begins, with what is before it. */
static uint32_t take_part(struct judge *judge, const struct letter *letter,
                          struct judge_round *round)
{
    const struct world *world = world_now();
    uint32_t phases;
    uint32_t ahead;
    bool advance;

    world_check(letter->kind == WIRE_PART && letter->bytes >= PART_BYTES,
                "what is no part is computed");
    advance = (letter->data[11] & 1) != 0;
    phases = letter->data[8] >> 4;
    ahead = 8 * (phases + 1);
    world_check((letter->data[8] & 15) == judge->role.layer &&
                    letter->data[9] == judge->role.port &&
                    letter->data[10] == judge->count &&
                    (!advance || judge->count == 0),
                "a part of another place is computed");
    round->units = bytes_load_u32(letter->data);
    round->first = bytes_load_u32(letter->data + 4);
    if (advance) {
        judge->advance = true;
        judge->phases = (uint32_t)torus_phases(world->size);
        judge->before_bytes = current()->scatter.terms.before_bytes;
        judge->after_bytes = current()->scatter.terms.after_bytes;
    } else if (!judge->known) {
        ahead += take_job(judge, letter, PART_BYTES + ahead);
    }
    world_check(phases == judge->phases && letter->data[11] >> 1 == ahead / 4,
                "a part of another shape is computed");
    return PART_BYTES + ahead;
}

/* The same of a branch, and of a later round's. */
static uint32_t take_branch(struct judge *judge, const struct letter *letter,
                            struct judge_round *round)
{
    const uint8_t *at = letter->data;
    uint32_t job_bytes;

    if (judge->count > 0) {
        world_check(letter->kind == WIRE_BRANCH_ROUND &&
                        letter->bytes >= 8 + 4 * judge->nodes &&
                        bytes_load_u32(at) == judge->count,
                    "what is not this round is computed");
        round->first = bytes_load_u32(at + 4);
        round->units = bytes_load_u32(at + 4 + 4 * judge->nodes) - round->first;
        world_check(round->first + round->units >= round->first,
                    "a range that ends before it begins is computed");
        return 8 + 4 * judge->nodes;
    }
    world_check(letter->kind == WIRE_BRANCH, "what is no branch is computed");
    job_bytes = take_job(judge, letter, 0);
    world_check(letter->bytes >= job_bytes + BRANCH_BYTES,
                "a branch that is not there");
    at += job_bytes;
    round->units = bytes_load_u32(at);
    round->first = bytes_load_u32(at + 4);
    judge->nodes = bytes_load_u16(at + 8);
    world_check(judge->nodes >= 1 && at[11] >= 1 && at[11] <= judge->phases,
                "a branch of no phase");
    return job_bytes + BRANCH_BYTES * judge->nodes;
}

/* Whether it is for this worker and the next in order. */
static bool is_next_chunk(const struct judge *judge,
                          const struct letter *letter)
{
    return letter != NULL && letter->kind == WIRE_CHUNK && !letter->damaged &&
           letter->job == judge->job && letter->bytes >= CHUNK_BYTES &&
           bytes_load_u16(letter->data + 8) == judge->worker &&
           bytes_load_u16(letter->data + 10) == judge->count;
}

/* The same of a chunk. */
static uint32_t take_chunk(struct judge *judge, const struct letter *letter,
                           struct judge_round *round)
{
    const uint8_t *at = letter->data;
    uint32_t ahead = CHUNK_BYTES;

    world_check(letter->bytes >= CHUNK_BYTES, "a chunk cut short is computed");
    if (judge->count == 0) {
        judge->worker = bytes_load_u16(at + 8);
        ahead += take_job(judge, letter, CHUNK_BYTES);
    }
    world_check(is_next_chunk(judge, letter),
                "a chunk of another place is computed");
    round->units = bytes_load_u32(at);
    round->first = bytes_load_u32(at + 4);
    world_check(round->units > 0, "the end is computed");
    world_check(round->first + round->units >= round->first,
                "a range that ends before it begins is computed");
    return ahead;
}

/* The message that brought the range which the top computes. */
static struct letter *take_letter(struct judge *judge)
{
    bool early = judge->count == 0 && judge->early != NULL;
    struct letter *letter = early ? judge->early : judge->last;

    judge->was_early |= early;
    if (early) {
        judge->early = NULL;
    } else {
        judge->last = NULL;
    }
    return letter;
}

static uint32_t load_at(struct judge *judge, const struct letter *letter,
                        struct judge_round *round)
{
    if (judge->policy == WIRE_TREE && judge->count == 0 &&
        letter->kind == WIRE_CHUNK) {
        judge->policy = WIRE_FARM;
        judge->became = true;
    }
    switch (judge->policy) {
    case WIRE_PATTERN:
        return take_part(judge, letter, round);
    case WIRE_TREE:
        return take_branch(judge, letter, round);
    default:
        return take_chunk(judge, letter, round);
    }
}

/* The top computes: what it got last brought its range. */
static void take_range(struct judge *judge)
{
    struct judge_round *round = &judge->round[judge->count];
    struct letter *letter;
    uint64_t earlier;

    if (judge->forged && judge->known && judge->count >= judge->rounds) {
        return; /* a chunk, or the rest of a share */
    }
    letter = take_letter(judge);
    world_check(judge->count < JUDGE_ROUNDS_MAX &&
                    (judge->policy == WIRE_FARM || !judge->known ||
                     judge->count < judge->rounds),
                "more rounds than the job has");
    world_check(letter != NULL && !letter->damaged && judge->announced &&
                    letter->job == judge->job,
                "a part of another job is computed");
    *round = (struct judge_round){.letter = letter};
    round->load_at = load_at(judge, letter, round);
    earlier = (uint64_t)round->first * judge->unit_bytes;
    round->before_bytes = (uint32_t)least(judge->before_bytes, earlier);
    world_check(letter->bytes >= (uint64_t)round->load_at +
                                     round->before_bytes +
                                     (uint64_t)round->units * judge->unit_bytes,
                "a range that is not there is computed");
    judge->forged |= round->units > UINT32_MAX - round->first;
    judge->count += 1;
}

/* ---- what a node computes ---- */

/* In the message of the node, and as many bytes around it as there must be. */
static void check_halo(const struct judge *judge,
                       const struct judge_round *round,
                       const struct kernel_terms *terms,
                       const struct kernel_range *range)
{
    const struct world_node *node = current();
    uint64_t earlier = range->first_unit * range->unit_bytes;
    uint64_t behind =
        round->letter->bytes - round->load_at - round->before_bytes -
        (range->first_unit - round->first + range->units) * range->unit_bytes;

    world_check(
        range->before_bytes ==
            least(least(terms->before_bytes, judge->before_bytes), earlier),
        "not as many bytes before a range as there are");
    world_check(judge->after_bytes < terms->after_bytes ||
                    range->after_bytes == least(terms->after_bytes, behind),
                "not as many bytes behind a range as there are");
    world_check(range->load_units == judge->load_units,
                "another load than was announced");
    world_check(range->after_bytes <= terms->after_bytes,
                "more bytes behind a range than asked for");
    world_check(node->rest == NULL && !node->corrupt,
                "a range is computed that is not there yet");
    /* What was received last lies behind a chunk that came early. */
    world_check(
        judge->whole || (judge->was_early && judge->count == 1) ||
            (range->data - node->range >= (int64_t)range->before_bytes &&
             node->range_end - range->data >=
                 (int64_t)kernel_range_bytes(range) + range->after_bytes),
        "a range outside its message");
}

/* Adds what a node computes to what is known: no unit twice. */
static void add_piece(struct judge *judge, uint32_t number,
                      const struct kernel_range *range)
{
    for (uint32_t i = 0; i < judge->pieces; ++i) {
        const struct judge_piece *piece = &judge->piece[i];

        world_check(piece->round != number ||
                        piece->first + piece->units <= range->first_unit ||
                        range->first_unit + range->units <= piece->first ||
                        range->units == 0 || piece->units == 0,
                    "a unit is computed twice");
    }
    world_check(judge->pieces < JUDGE_PIECES_MAX, "more pieces than nodes");
    judge->piece[judge->pieces++] = (struct judge_piece){
        .round = number, .units = range->units, .first = range->first_unit};
    judge->round[number].computed += range->units;
}

static void check_range(struct judge *judge, const struct kernel_terms *terms,
                        const struct kernel_range *range)
{
    uint32_t number = judge->whole ? 0 : current()->runs;
    const struct judge_round *round = &judge->round[number];
    const uint8_t *want;

    if (judge->forged) {
        return;
    }
    world_check(number < judge->count, "a round that the top did not get");
    world_check(range->unit_bytes == judge->unit_bytes,
                "units of another size");
    world_check(range->first_unit >= round->first &&
                    range->first_unit + range->units <=
                        (uint64_t)round->first + round->units,
                "units that the top did not get are computed");
    check_halo(judge, round, terms, range);
    want = round->letter->data + round->load_at + round->before_bytes +
           (range->first_unit - round->first) * range->unit_bytes;
    world_check(memcmp(range->data - range->before_bytes,
                       want - range->before_bytes,
                       range->before_bytes + kernel_range_bytes(range) +
                           range->after_bytes) == 0,
                "a range's bytes are not those that the top got");
    add_piece(judge, number, range);
}

/* ---- the kernel ---- */

uint8_t judge_output(uint64_t position)
{
    return (uint8_t)(position * 0xD1342543DE82EF95u >> 56);
}

static int begin(void *work, struct kernel_terms *terms,
                 const struct kernel_job *job)
{
    const uint8_t *arg = job->arg;
    volatile uint8_t sum = 0;

    current()->runs = 0;
    if (is_top() && !judge_now()->whole) {
        take_announcement(judge_now());
    }
    for (uint32_t i = 0; i < job->arg_bytes; ++i) {
        sum = (uint8_t)(sum + arg[i]);
        world_check(i < JUDGE_LONG_ARG_BYTES || !judge_now()->whole ||
                        judge_now()->forged || arg[i] == judge_output(i),
                    "an argument has other bytes");
    }
    if (job->arg_bytes < JUDGE_ARG_BYTES ||
        (!judge_now()->whole && (bytes_load_u32(arg) > JUDGE_HALO_MAX ||
                                 bytes_load_u32(arg + 4) > JUDGE_HALO_MAX))) {
        return KERNEL_ARGUMENT;
    }
    terms->before_bytes = bytes_load_u32(arg);
    terms->after_bytes = bytes_load_u32(arg + 4);
    terms->output_numerator = (uint16_t)bytes_load_u16(arg + 8);
    terms->output_denominator = (uint16_t)bytes_load_u16(arg + 10);
    terms->result_bytes_max = RESULT_BYTES;
    if (job->arg_bytes >= JUDGE_LONG_ARG_BYTES) {
        terms->result_bytes_max += arg[12];
        terms->instructions_per_1000_units = bytes_load_u32(arg + 16);
        ((struct work *)work)->lies = (int8_t)arg[13];
    }
    ((struct work *)work)->terms = *terms;
    return KERNEL_OK;
}

static void run(const void *work, struct kernel_result *result,
                const struct kernel_range *range)
{
    const struct kernel_terms *terms = &((const struct work *)work)->terms;
    struct judge *judge = judge_now();

    /* A node behind the top may be first. */
    if (!judge->whole && current()->runs >= judge->count) {
        take_range(judge);
    }
    check_range(judge, terms, range);
    current()->runs += 1;
    if (terms->output_denominator != 0) {
        uint64_t at = kernel_output_at(terms, range->first_unit);
        uint32_t room =
            kernel_output_room(terms, range->first_unit, range->units);

        world_show(current());
        for (uint32_t i = 0; i < room; ++i) {
            result->output[i] = judge_output(at + i);
        }
        result->output_bytes =
            (uint32_t)((int64_t)room + ((const struct work *)work)->lies);
    }
    kernel_store_u64(result->data, range->units);
    result->bytes = RESULT_BYTES;
}

const struct kernel judge_kernel = {.name = "judge",
                                    .work_bytes = sizeof(struct work),
                                    .begin = begin,
                                    .run = run,
                                    .merge = kernel_merge_count};

/* ---- the result ---- */

static struct judge_piece *piece_of(struct judge *judge, uint64_t first,
                                    uint32_t bytes,
                                    const struct kernel_terms *terms)
{
    for (uint32_t i = 0; i < judge->pieces; ++i) {
        struct judge_piece *piece = &judge->piece[i];

        if (piece->first == first && !piece->returned &&
            kernel_output_room(terms, first, piece->units) == bytes) {
            piece->returned = true;
            return piece;
        }
    }
    return NULL;
}

/* Each of these chunks is the output of a piece, and new. */
static void check_chunks(struct judge *judge, const struct letter *letter,
                         uint32_t at, uint32_t end)
{
    const struct kernel_terms *terms = &current()->scatter.terms;

    world_check(terms->output_denominator != 0,
                "outputs of a kernel that makes none");
    while (at < end) {
        uint64_t first;
        uint32_t bytes;
        uint64_t position;

        world_check(end - at >= 8, "a chunk cut short");
        first = bytes_load_u32(letter->data + at);
        bytes = bytes_load_u32(letter->data + at + 4);
        at += 8;
        world_check(bytes <= end - at &&
                        piece_of(judge, first, bytes, terms) != NULL,
                    "an output of nothing that was computed");
        position = kernel_output_at(terms, first);
        for (uint32_t i = 0; i < bytes; ++i) {
            world_check(letter->data[at + i] == judge_output(position + i),
                        "an output has other bytes");
        }
        at += (bytes + 3u) & ~3u;
    }
}

/* Of a whole job, what has no bytes need not return. */
static void check_all_returned(const struct judge *judge)
{
    const struct kernel_terms *terms = &current()->scatter.terms;

    for (uint32_t i = 0; i < judge->pieces; ++i) {
        const struct judge_piece *piece = &judge->piece[i];

        world_check(piece->returned ||
                        (judge->whole && kernel_output_room(terms, piece->first,
                                                            piece->units) == 0),
                    "outputs are missing");
    }
}

/* A result's; then every piece's output has returned. */
static void check_outputs(struct judge *judge, const struct letter *letter,
                          uint32_t end)
{
    uint32_t head =
        HEAD_BYTES + WIRE_PAD4(current()->scatter.terms.result_bytes_max);

    world_check(end >= head, "a result without its length");
    check_chunks(judge, letter, head, end);
    check_all_returned(judge);
}

/* A worker asks for one chunk after the other, and says of which size the one
   before that in hand was, whose output returns. */
static void take_demand(struct judge *judge, const struct letter *letter)
{
    uint32_t before = judge->demands;
    uint32_t units = 0;

    judge->demands += 1;
    if (before >= judge->count) {
        return; /* the kernel refuses the chunk in hand, which ends the job */
    }
    world_check(letter->kind == WIRE_DEMAND && letter->job == judge->job &&
                    letter->bytes >= DEMAND_BYTES &&
                    bytes_load_u16(letter->data) == judge->worker,
                "a worker sends what is no demand of its own");
    world_check(bytes_load_u16(letter->data + 2) == judge->demands,
                "a chunk is asked for out of order");
    if (before > 0) {
        units = judge->round[before - 1].units;
    }
    world_check(bytes_load_u32(letter->data + 4) == units,
                "a chunk of another size was computed");
    world_check(units > 0 || bytes_load_u64(letter->data + 8) == 0,
                "what took no time took some");
    if (letter->bytes > DEMAND_BYTES) {
        check_chunks(judge, letter, DEMAND_BYTES, letter->bytes);
    }
}

/* Outputs that return meanwhile: one turn after the other, when the part of the
   next round is there, or at the end, when all are. */
static void take_outputs(struct judge *judge, const struct letter *letter)
{
    if (judge->forged) {
        return;
    }
    judge->turns += 1;
    world_check(judge->meanwhile && letter->job == judge->job,
                "outputs return meanwhile that should not");
    world_check(letter->bytes >= OUTPUTS_BYTES &&
                    bytes_load_u32(letter->data) == judge->turns,
                "outputs of another turn");
    world_check(judge->turns <= judge->count,
                "outputs return that are not computed");
    check_chunks(judge, letter, OUTPUTS_BYTES, letter->bytes);
}

/* Whether the job of which this is the result has come to its end. */
static bool is_at_end(const struct judge *judge)
{
    if (judge->policy == WIRE_FARM) {
        return is_next_chunk(judge, judge->last) &&
               bytes_load_u32(judge->last->data) == 0;
    }
    return judge->count == judge->rounds;
}

/* A result's head: its length, nobody lost, a worker's number, and how many
   units it is of: the node's own, `units`, and perhaps its descendants'. */
static void check_head(const struct judge *judge, const uint8_t *head,
                       uint32_t bytes, uint32_t units)
{
    uint32_t number = judge->policy == WIRE_FARM ? judge->worker : 0;

    world_check(bytes >= HEAD_BYTES && bytes_load_u16(head) == RESULT_BYTES,
                "a result of another length");
    world_check(bytes_load_u16(head + 2) == number, "another's number");
    world_check(bytes_load_u32(head + 4) >= units, "a wrong number of units");
}

static void take_result(struct judge *judge, const struct letter *letter)
{
    uint32_t end = letter->bytes - (judge->proves ? PROOF_BYTES : 0);
    uint64_t units = 0;

    judge->returned = true;
    if (judge->forged) {
        return;
    }
    world_check(judge->known && is_at_end(judge),
                "a result before all rounds have come");
    for (uint32_t i = 0; i < judge->count; ++i) {
        world_check(judge->round[i].computed == judge->round[i].units,
                    "units are not computed");
        units += judge->round[i].units;
    }
    check_head(judge, letter->data, end, (uint32_t)units);
    world_check(judge->output || end == HEAD_BYTES + RESULT_BYTES,
                "a result of another length");
    if (judge->output) {
        check_outputs(judge, letter, end);
    }
    world_check(judge->output ||
                    current()->scatter.terms.output_denominator == 0,
                "outputs are lost");
    world_check(kernel_load_u64(letter->data + HEAD_BYTES) == units,
                "a wrong sum of units");
    judge->jobs += 1;
}

void judge_returned(struct judge *judge, const struct letter *letter)
{
    if (letter->kind >= WIRE_OUTPUTS_OF(1)) {
        take_outputs(judge, letter);
    } else if (WIRE_KIND(letter->kind) == WIRE_RESULT) {
        take_result(judge, letter);
        free(judge->last);
        judge->last = NULL;
    } else if (letter->kind != WIRE_ANNOUNCE && letter->kind != WIRE_ANSWER &&
               !judge->forged) {
        take_demand(judge, letter);
    }
}

/* ---- whole jobs ---- */

struct letter *judge_order(const struct wire_order *order, uint16_t job)
{
    uint32_t head = wire_order_head_bytes(order);
    uint32_t bytes = (uint32_t)wire_order_load_bytes(order);
    struct letter *letter = letter_new(WIRE_ORDER, job, head + bytes);

    letter->port = CIRCUIT_HOST;
    wire_order_store(letter->data, order);
    for (uint32_t i = 0; i < bytes; ++i) {
        letter->data[head + i] = judge_output(i);
    }
    return letter;
}

void judge_ordered(struct judge *judge, const struct letter *letter,
                   const struct wire_order *order)
{
    judge->whole = true;
    judge->count = 1;
    judge->unit_bytes = order->unit_bytes;
    judge->load_units = order->whole_units;
    judge->before_bytes = UINT32_MAX;
    judge->after_bytes = UINT32_MAX;
    judge->round[0] =
        (struct judge_round){.letter = letter_copy(letter, 0),
                             .load_at = wire_order_head_bytes(order),
                             .before_bytes = order->before_bytes,
                             .first = order->first_unit,
                             .units = order->load_units};
}

void judge_reported(struct judge *judge, const struct letter *report)
{
    const struct kernel_terms *terms = &current()->scatter.terms;
    const struct judge_round *round = &judge->round[0];
    uint32_t at = REPORT_BYTES;

    world_check(report->bytes >= at && !judge->returned, "a report cut short");
    judge->returned = true;
    judge->error = (int32_t)bytes_load_u32(report->data);
    if (judge->error != ERR_OK || judge->forged) {
        return;
    }
    judge->jobs += 1;
    world_check(round->computed == round->units, "units are not computed");
    at += 8 * report->data[6] * (report->data[4] + 1u) *
          (report->data[6] > 1 && (report->data[7] & 2) != 0);
    at += (report->data[7] & 16) != 0 ? PROOF_BYTES : 0;
    if (terms->output_denominator != 0) {
        check_head(judge, report->data + at, report->bytes - at, round->units);
        at += HEAD_BYTES;
    }
    world_check(report->bytes >= at + RESULT_BYTES &&
                    bytes_load_u64(report->data + at) == round->units,
                "a wrong sum of units");
    if (terms->output_denominator != 0) {
        check_chunks(judge, report, at + WIRE_PAD4(terms->result_bytes_max),
                     report->bytes);
        check_all_returned(judge);
    }
}
