/* SPDX-License-Identifier: Apache-2.0 */
#include "test/fuzz/farm.h"

#include "qemu/schedule/registry.h"
#include "test/fuzz/judge.h"
#include "torus/direct.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 42u
#define PLAY_BYTES 12u
#define SIDE_MAX 5u
#define WORKERS_MAX (SIDE_MAX * SIDE_MAX - 1u)
#define UNITS_MAX 1024u
#define UNIT_BYTES_MAX 128u
#define LOAD_BYTES_MAX 61440u /* more than a node has room for */
#define JOB 3u
#define TIME_MAX_PS ((uint64_t)1 << 40) /* that an order may have */

/* Of the drawings in scatter/wire/wire.h. */
#define CHUNK_BYTES 12u
#define DEMAND_BYTES 16u
#define JOB_BYTES 36u
#define RESULT_TIMES_BYTES 16u /* of a job with an output */
#define REPORT_BYTES 368u
#define ARG_BYTES 20u

/* Of load and outputs: if they have more, they may not fit into a node. */
#define FITTING_BYTES_MAX 20000u

struct worker {
    uint32_t chunks; /* that it got, the end included */
    bool asked;      /* for one more */
    bool ended;
    bool returned; /* its result */
};

/* Units that a worker got as its chunk of this number. */
struct piece {
    uint32_t worker;
    uint32_t number;
    uint32_t first;
    uint32_t units;
    bool returned; /* its output */
};

/* A master's: what it knows of the originator, which is played, too. */
struct master {
    bool is; /* the node is a master */
    bool announced;
    bool asked;      /* for the next chunk */
    bool ended;      /* it got the end */
    bool untrue;     /* a chunk says what is not so, and cannot be told */
    bool returned;   /* its result */
    uint32_t chunks; /* that it got */
    uint32_t units;  /* in these */
    uint8_t job[JOB_BYTES];
};

struct farm_job {
    struct torus_coord top;
    struct master master;
    const uint8_t *play;
    uint32_t plays;
    uint32_t turn; /* of plays behind the end */
    struct torus_size size;
    struct wire_order order;
    uint8_t arg[ARG_BYTES];
    uint8_t *tree;
    uint32_t workers;
    uint8_t branch[SIDE_MAX * SIDE_MAX]; /* of each worker */
    struct kernel_terms terms;
    bool ordered;
    bool strange; /* the order is none that a host sends */
    bool refused; /* something came that must be refused */
    bool forged;  /* something false came that cannot be told from the truth */
    bool reported;
    int32_t error; /* of the report */
    struct worker worker[WORKERS_MAX + 1u];
    uint8_t last[DEMAND_BYTES]; /* demand, as it was written */
    uint32_t pieces;
    struct piece piece[UNITS_MAX];
    bool computed[UNITS_MAX]; /* or sent, of each unit */
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static struct farm_job *job_now(void)
{
    return subtree_now()->context;
}

/* Whether [data, data + bytes) is this part of the load. */
static bool is_load(const uint8_t *data, uint32_t from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        if (data[i] != judge_output(from + i)) {
            return false;
        }
    }
    return true;
}

static void compute(struct farm_job *job, uint32_t first, uint32_t units)
{
    if (job->master.untrue) {
        return;
    }
    fuzz_check(!job->master.is || first + units <= job->master.units,
               "units that a master has not got");
    fuzz_check(first <= job->order.load_units &&
                   units <= job->order.load_units - first,
               "units that the load has not");
    for (uint32_t i = 0; i < units; ++i) {
        fuzz_check(!job->computed[first + i], "a unit is computed twice");
        job->computed[first + i] = true;
    }
}

/* ---- the kernel ---- */

struct work {
    struct kernel_terms terms;
};

static int begin(void *work, struct kernel_terms *terms,
                 const struct kernel_job *kernel_job)
{
    const uint8_t *arg = kernel_job->arg;

    if (kernel_job->arg_bytes != ARG_BYTES) {
        return KERNEL_ARGUMENT;
    }
    terms->before_bytes = arg[0];
    terms->after_bytes = arg[1];
    terms->output_numerator = arg[2];
    terms->output_denominator = arg[3];
    terms->result_bytes_max = 8u + arg[4];
    terms->instructions_per_1000_units = bytes_load_u32(arg + 8);
    ((struct work *)work)->terms = *terms;
    job_now()->terms = *terms;
    return KERNEL_OK;
}

static void run(const void *work, struct kernel_result *result,
                const struct kernel_range *range)
{
    const struct kernel_terms *terms = &((const struct work *)work)->terms;
    struct farm_job *job = job_now();
    uint32_t first = (uint32_t)range->first_unit;
    uint32_t at = first * range->unit_bytes;
    uint32_t end = at + kernel_range_bytes(range);
    uint32_t load = job->order.load_units * range->unit_bytes;

    compute(job, first, range->units);
    if (!job->master.untrue) {
        fuzz_check(range->before_bytes == least(terms->before_bytes, at) &&
                       range->after_bytes ==
                           least(terms->after_bytes, load - end),
                   "another halo than there is");
        fuzz_check(is_load(range->data - range->before_bytes,
                           at - range->before_bytes,
                           end - at + range->before_bytes + range->after_bytes),
                   "other bytes than the load's are computed");
    }
    if (terms->output_denominator != 0) {
        uint64_t from = kernel_output_at(terms, first);

        result->output_bytes = kernel_output_room(terms, first, range->units);
        for (uint32_t i = 0; i < result->output_bytes; ++i) {
            result->output[i] = judge_output(~(from + i));
        }
    }
    kernel_store_u64(result->data, range->units);
    result->bytes = 8;
}

static const struct kernel farm_kernel = {.name = "farm",
                                          .work_bytes = sizeof(struct work),
                                          .begin = begin,
                                          .run = run,
                                          .merge = kernel_merge_count};

/* ---- what workers send ---- */

static bool has_output(const struct farm_job *job)
{
    return job->order.load_units > 0 && job->arg[3] != 0 && !job->master.is;
}

static uint8_t *append_output(struct farm_job *job, uint8_t *at,
                              struct piece *piece)
{
    uint64_t from = kernel_output_at(&job->terms, piece->first);
    uint32_t bytes =
        kernel_output_room(&job->terms, piece->first, piece->units);

    piece->returned = true;
    bytes_store_u32(at, piece->first);
    bytes_store_u32(at + 4, bytes);
    memset(at + 8, 0, (bytes + 3u) & ~3u);
    for (uint32_t i = 0; i < bytes; ++i) {
        at[8 + i] = judge_output(~(from + i));
    }
    return at + 8 + ((bytes + 3u) & ~3u);
}

/* Appends outputs of the worker's chunks up to this number that it has not
   returned; and the units of that chunk. */
static uint8_t *append_outputs(struct farm_job *job, uint8_t *at,
                               uint32_t worker, uint32_t last, uint32_t *units)
{
    for (uint32_t i = 0; i < job->pieces; ++i) {
        struct piece *piece = &job->piece[i];

        if (piece->worker != worker || piece->number > last) {
            continue;
        }
        if (piece->number == last) {
            *units = piece->units;
        }
        if (has_output(job) && !piece->returned) {
            at = append_output(job, at, piece);
        }
    }
    return at;
}

/* Writes what the worker asks when it has its last chunk in hand. Result: its
   end. */
static uint8_t *write_demand(struct farm_job *job, uint8_t *out, uint32_t index,
                             uint64_t compute_ps)
{
    uint32_t chunks = job->worker[index].chunks;
    uint32_t units = 0;
    uint8_t *end = out + DEMAND_BYTES;

    if (chunks >= 2) {
        end = append_outputs(job, end, index, chunks - 2, &units);
    }
    bytes_store_u16(out, (uint16_t)index);
    bytes_store_u16(out + 2, (uint16_t)chunks);
    bytes_store_u32(out + 4, units);
    bytes_store_u64(out + 8, units > 0 ? compute_ps : 0);
    return end;
}

static uint8_t *write_result(struct farm_job *job, uint8_t *out, uint32_t index)
{
    uint8_t *result = has_output(job) ? out + 4 : out;
    uint8_t *end = result + 8;
    uint64_t sum = 0;
    uint32_t units;

    for (uint32_t i = 0; i < job->pieces; ++i) {
        sum += job->piece[i].worker == index ? job->piece[i].units : 0;
    }
    bytes_store_u64(result, sum);
    if (has_output(job)) {
        bytes_store_u32(out, 8);
        end = result + WIRE_PAD4(job->terms.result_bytes_max);
        memset(result + 8, 0, (size_t)(end - result - 8));
        end = append_outputs(job, end, index, UINT32_MAX, &units);
    }
    return end;
}

/* Whether a worker with a chunk in hand may ask, or with the end return. */
static bool is_due(const struct worker *worker, bool result)
{
    return result ? worker->ended && !worker->returned
                  : worker->chunks > 0 && !worker->ended && !worker->asked;
}

/* The next one from `index` on of whom that holds; workers, if none. */
static uint32_t find_due(const struct farm_job *job, uint32_t index,
                         bool result)
{
    for (uint32_t i = 0; i < job->workers; ++i) {
        uint32_t at = (index + i) % job->workers;

        if (is_due(&job->worker[at], result)) {
            return at;
        }
    }
    return job->workers;
}

/* Judges a demand by what it says; the worker whose it is has asked then. */
static void judge_demand(struct farm_job *job, const struct letter *letter)
{
    struct worker *worker;
    uint32_t index;

    if (letter->damaged || letter->job != JOB || letter->bytes < DEMAND_BYTES ||
        (letter->bytes > DEMAND_BYTES && !has_output(job)) ||
        letter->bytes % 4 != 0) {
        job->refused = true;
        return;
    }
    index = bytes_load_u16(letter->data);
    if (index >= job->workers) {
        job->refused = true;
        return;
    }
    worker = &job->worker[index];
    job->refused |= !is_due(worker, false) ||
                    bytes_load_u16(letter->data + 2) != worker->chunks;
    worker->asked = true;
}

/* The same of a result: which it is, only its length tells. */
static void judge_result(struct farm_job *job, const struct letter *letter,
                         uint32_t index, bool changed)
{
    uint32_t head =
        has_output(job) ? 4 + WIRE_PAD4(job->terms.result_bytes_max) : 8;

    job->refused |=
        letter->damaged || letter->job != JOB ||
        (has_output(job) ? letter->bytes < head || letter->bytes % 4 != 0
                         : letter->bytes != head);
    job->forged |= changed;
    job->worker[index].returned = true;
}

/* What is wrong with a message of so many bytes. Result: its length. */
static uint32_t damage(struct farm_job *job, struct letter *letter,
                       const uint8_t *play, uint32_t bytes)
{
    unsigned how = play[0];

    letter->job = (uint16_t)(JOB + ((how & FARM_HOW_OTHER_JOB) != 0));
    letter->damaged = (how & FARM_HOW_DAMAGED) != 0;
    if ((how & FARM_HOW_CHANGED) != 0) {
        letter->data[play[2] % bytes] ^= play[3];
        job->forged |= play[2] % bytes >= DEMAND_BYTES;
    }
    if ((how & FARM_HOW_LONGER) != 0) {
        uint32_t more = 1 + play[2] % 8u;

        memset(letter->data + bytes, play[3], more);
        bytes += more;
        job->forged = true;
    }
    if ((how & FARM_HOW_SHORTER) != 0) {
        bytes -= 1 + play[2] % bytes;
        job->forged = true;
    }
    return bytes;
}

static struct letter *write_one_result(struct farm_job *job,
                                       const uint8_t *play)
{
    uint32_t index = find_due(job, play[1], true);
    struct letter *letter;

    if (index == job->workers) {
        return NULL;
    }
    letter = letter_new(2 * FUZZ_BYTES_MAX);
    letter->kind = (uint8_t)WIRE_RESULT_OF(1);
    letter->bytes =
        (uint32_t)(write_result(job, letter->data, index) - letter->data);
    letter->bytes = damage(job, letter, play, letter->bytes);
    judge_result(job, letter, index, (play[0] & FARM_HOW_CHANGED) != 0);
    return letter;
}

static struct letter *write_one_demand(struct farm_job *job,
                                       const uint8_t *play)
{
    bool anybody = (play[0] & FARM_HOW_ANYBODY) != 0;
    uint32_t index =
        anybody ? play[1] % (job->workers + 1) : find_due(job, play[1], false);
    struct letter *letter;

    if (index == job->workers && !anybody) {
        return NULL;
    }
    letter = letter_new(2 * FUZZ_BYTES_MAX);
    letter->kind = WIRE_DEMAND;
    if ((play[0] & FARM_HOW_AGAIN) != 0) {
        letter->bytes = DEMAND_BYTES;
        memcpy(letter->data, job->last, DEMAND_BYTES);
    } else {
        letter->bytes = (uint32_t)(write_demand(job, letter->data, index,
                                                bytes_load_u64(play + 4)) -
                                   letter->data);
        memcpy(job->last, letter->data, DEMAND_BYTES);
    }
    letter->bytes = damage(job, letter, play, letter->bytes);
    judge_demand(job, letter);
    return letter;
}

/* ---- the order ---- */

static struct letter *write_order(const struct farm_job *job)
{
    const struct wire_order *order = &job->order;
    uint32_t head = wire_order_head_bytes(order);
    uint32_t bytes = order->load_units * order->unit_bytes;
    struct letter *letter = letter_new(head + bytes);

    letter->kind = WIRE_ORDER;
    letter->job = JOB;
    wire_order_store(letter->data, order);
    for (uint32_t i = 0; i < bytes; ++i) {
        letter->data[head + i] = judge_output(i);
    }
    return letter;
}

static void read_arg(struct farm_job *job, const uint8_t *in)
{
    job->arg[0] = in[8] & 15u;
    job->arg[1] = in[8] >> 4;
    job->arg[2] = in[7] & 15u;
    job->arg[3] = in[7] >> 4;
    job->arg[4] = in[9] % 64u;
    bytes_store_u32(job->arg + 8, bytes_load_u32(in + 38) % (1u << 20));
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
static bool fits(const struct farm_job *job)
{
    uint32_t units = job->order.load_units;
    uint32_t bytes = units * job->order.unit_bytes;

    if (job->arg[3] != 0) {
        bytes += units * job->arg[2] / job->arg[3];
    }
    return bytes <= FITTING_BYTES_MAX;
}

/* Workers are all nodes but the first that are in a group, or in none. */
static void find_workers(struct farm_job *job, bool grouped)
{
    job->workers = 0;
    for (uint32_t i = 1; i < job->order.tree_nodes; ++i) {
        if (tree_in_group(job->tree + TREE_BRANCH_BYTES * i) == grouped) {
            job->branch[job->workers++] = (uint8_t)i;
        }
    }
}

/* Reads the input's head. */
static void read_job(struct farm_job *job, const uint8_t *in)
{
    uint64_t mask = ((uint64_t)1 << 48) - 1;
    struct wire_order *order = &job->order;

    job->size = (struct torus_size){(uint16_t)(1 + in[0] % SIDE_MAX),
                                    (uint16_t)(1 + in[1] % SIDE_MAX)};
    job->workers = torus_nodes(job->size) - 1;
    job->tree = schedule_tree(SCHEDULE_FARM, job->size,
                              (struct torus_coord){0, 0}, NULL);
    fuzz_check(job->tree != NULL, "no memory");
    read_arg(job, in);
    *order = (struct wire_order){.kernel = "farm",
                                 .phases = WIRE_BEST,
                                 .rounds = in[2],
                                 .ports = in[3],
                                 .policy = WIRE_FARM,
                                 .tree_nodes = job->workers + 1,
                                 .unit_bytes = 1 + in[6] % UNIT_BYTES_MAX,
                                 .arg_bytes = ARG_BYTES,
                                 .arg = job->arg,
                                 .tree = job->tree};
    order->load_units =
        1 + bytes_load_u16(in + 4) %
                least(UNITS_MAX, LOAD_BYTES_MAX / order->unit_bytes);
    order->startup_ps = bytes_load_u64(in + 14) & mask;
    order->transfer_ps = bytes_load_u64(in + 22) & mask;
    order->compute_ps = bytes_load_u64(in + 30) & mask;
    job->tree[bytes_load_u16(in + 10) %
              (TREE_BRANCH_BYTES * order->tree_nodes)] ^= in[12];
    find_workers(job, false);
    job->strange = is_strange(order) || in[12] != 0 || !fits(job);
}

/* ---- a master's originator ---- */

#define MASTER_NUMBER 3u

static struct letter *write_announcement(const struct farm_job *job)
{
    uint32_t tree = TREE_BRANCH_BYTES * job->order.tree_nodes;
    struct letter *letter = letter_new(tree + WIRE_ANNOUNCE_BYTES + ARG_BYTES);
    uint8_t *at = letter->data + tree;

    letter->kind = WIRE_ANNOUNCE;
    letter->job = JOB;
    memcpy(letter->data, job->tree, tree);
    memset(at, 0, WIRE_ANNOUNCE_BYTES);
    bytes_store_u32(at + 4, job->order.unit_bytes);
    bytes_store_u32(at + 8, ARG_BYTES);
    memcpy(at + WIRE_ANNOUNCE_BYTES, job->arg, ARG_BYTES);
    return letter;
}

/* Judges a chunk, or the end, by what is wrong with it. */
static void judge_chunk(struct farm_job *job, const struct letter *letter,
                        const uint8_t *play, bool wanted)
{
    struct master *master = &job->master;
    unsigned how = play[0];
    uint32_t place = play[2] % letter->bytes;
    bool changed = (how & FARM_HOW_CHANGED) != 0 && play[3] != 0;
    bool cut = (how & (FARM_HOW_LONGER | FARM_HOW_SHORTER)) != 0;

    job->refused |= letter->damaged || letter->job != JOB || !wanted ||
                    (changed && !cut && place >= 8 && place < 12);
    master->untrue |= changed || cut;
    job->forged |= master->untrue;
    master->asked = false;
}

/* The next units of the load for the master, as many as the play says, with the
   job if they are the first; the end, if there are none. */
static struct letter *write_chunk(struct farm_job *job, const uint8_t *play)
{
    struct master *master = &job->master;
    uint32_t unit_bytes = job->order.unit_bytes;
    uint32_t load = job->order.load_units * unit_bytes;
    uint32_t units =
        least(1u + play[1] + play[4], job->order.load_units - master->units);
    uint32_t from = master->units * unit_bytes;
    uint32_t to = from + units * unit_bytes;
    struct letter *letter =
        letter_new(CHUNK_BYTES + JOB_BYTES + (to - from) + 64u);
    uint8_t *at = letter->data + CHUNK_BYTES;
    bool wanted = master->asked || master->chunks == 0;

    letter->kind = WIRE_CHUNK;
    letter->job = JOB;
    bytes_store_u32(letter->data, units);
    bytes_store_u32(letter->data + 4, master->units);
    bytes_store_u16(letter->data + 8, MASTER_NUMBER);
    bytes_store_u16(letter->data + 10, (uint16_t)master->chunks);
    if (master->chunks == 0) {
        memcpy(at, master->job, JOB_BYTES);
        at += JOB_BYTES;
    }
    from -= least(from, job->arg[0]);
    to += least(load - to, job->arg[1]);
    for (uint32_t i = from; units > 0 && i < to; ++i) {
        *at++ = judge_output(i);
    }
    letter->bytes = (uint32_t)(at - letter->data);
    judge_chunk(job, letter, play, wanted);
    letter->bytes = damage(job, letter, play, letter->bytes);
    job->refused |= letter->damaged || letter->job != JOB;
    master->ended = units == 0;
    master->units += units;
    master->chunks += 1;
    return letter;
}

/* What comes to a master that waits for anything: a chunk or a demand. */
static struct letter *write_for_master(struct farm_job *job,
                                       const uint8_t *play, bool proper)
{
    bool chunk = proper ? job->master.asked : play[1] % 2 == 0;

    chunk |= find_due(job, 0, false) == job->workers;
    return chunk && !job->master.ended ? write_chunk(job, play)
                                       : write_one_demand(job, play);
}

static struct letter *next(void *context, unsigned kind)
{
    static const uint8_t proper[PLAY_BYTES] = {0, 0, 0, 0, 9, 9, 9};
    struct farm_job *job = context;
    const uint8_t *play = proper;

    if (!job->ordered) {
        job->ordered = true;
        return job->master.is ? write_announcement(job) : write_order(job);
    }
    if (job->master.is && job->master.chunks == 0) {
        return write_chunk(job, proper);
    }
    if (job->plays > 0) {
        play = job->play;
        job->play += PLAY_BYTES;
        job->plays -= 1;
    } else {
        job->turn += 1;
    }
    if (subtree_now()->has_end &&
        ((play[0] & FARM_HOW_NONE) != 0 || (play == proper && job->turn % 2))) {
        return NULL;
    }
    if (job->master.is && kind == 0) {
        return write_for_master(job, play, play == proper);
    }
    return kind == WIRE_DEMAND ? write_one_demand(job, play)
                               : write_one_result(job, play);
}

/* ---- what the originator sends ---- */

/* The end, or units of the load with their halo. */
static void check_body(const struct farm_job *job, const struct letter *letter,
                       uint32_t at, uint32_t first, uint32_t units)
{
    uint32_t unit_bytes = job->order.unit_bytes;
    uint32_t from = first * unit_bytes;
    uint32_t to = from + units * unit_bytes;
    uint32_t load = job->order.load_units * unit_bytes;

    from -= least(from, job->terms.before_bytes);
    to += least(load - to, job->terms.after_bytes);
    fuzz_check(units > 0 ? letter->bytes == at + to - from &&
                               is_load(letter->data + at, from, to - from)
                         : letter->bytes == at,
               "a chunk with other bytes than its units'");
}

/* The first chunk has the job: one phase, one round, no slots, but what a
   master plans with; a master's is the one that it got. */
static void check_job(const struct farm_job *job, const struct letter *letter)
{
    uint32_t times = has_output(job) ? RESULT_TIMES_BYTES : 0;
    uint8_t want[JOB_BYTES + RESULT_TIMES_BYTES] = {1, 1};

    if (job->master.is) {
        fuzz_check(letter->bytes >= CHUNK_BYTES + JOB_BYTES &&
                       memcmp(letter->data + CHUNK_BYTES, job->master.job,
                              JOB_BYTES) == 0,
                   "a master passes on another job");
        return;
    }
    fuzz_check(letter->bytes >= CHUNK_BYTES + JOB_BYTES, "a job cut short");
    want[3] = letter->data[CHUNK_BYTES + 3];
    memcpy(want + 8, letter->data + CHUNK_BYTES + 8, 12);
    fuzz_check(want[3] > 0 && bytes_load_u64(want + 8) > 0,
               "a master could not plan with that");
    want[2] = (uint8_t)(WIRE_FARM << 4 | (has_output(job) ? WIRE_OUTPUT : 0));
    bytes_store_u32(want + 28, job->terms.before_bytes);
    bytes_store_u32(want + 32, job->terms.after_bytes);
    fuzz_check(
        letter->bytes >= CHUNK_BYTES + JOB_BYTES + times &&
            memcmp(letter->data + CHUNK_BYTES, want, JOB_BYTES + times) == 0,
        "another job comes with a chunk");
}

/* A chunk for a worker that has asked for it, or its first. */
static void take_chunk(struct farm_job *job, const struct letter *letter)
{
    const uint8_t *data = letter->data;
    uint32_t at = CHUNK_BYTES;
    uint32_t units = bytes_load_u32(data);
    uint32_t first = bytes_load_u32(data + 4);
    uint32_t index = bytes_load_u16(data + 8);
    struct worker *worker;
    struct torus_coord to;

    fuzz_check(letter->job == JOB && letter->bytes >= at &&
                   index < job->workers,
               "a chunk for nobody");
    worker = &job->worker[index];
    to = torus_path_end(
        job->size, job->top,
        tree_direct(job->tree + TREE_BRANCH_BYTES * job->branch[index]));
    fuzz_check(to.x == letter->to.x && to.y == letter->to.y,
               "a chunk that goes elsewhere");
    fuzz_check(bytes_load_u16(data + 10) == worker->chunks &&
                   (worker->asked || worker->chunks == 0) && !worker->ended,
               "a chunk that was not asked for");
    if (worker->chunks == 0) {
        check_job(job, letter);
        at += JOB_BYTES + (has_output(job) ? RESULT_TIMES_BYTES : 0);
        fuzz_check(units > 0, "a first chunk of no units");
    }
    worker->ended = units == 0;
    worker->asked = false;
    compute(job, first, units);
    if (!job->master.untrue) {
        check_body(job, letter, at, first, units);
    }
    if (units > 0 && job->pieces < UNITS_MAX) {
        job->piece[job->pieces++] = (struct piece){.worker = index,
                                                   .number = worker->chunks,
                                                   .first = first,
                                                   .units = units};
    }
    worker->chunks += 1;
}

/* Whether it goes to the originator, unless the tree says otherwise. */
static bool is_home(const struct farm_job *job, const struct letter *letter)
{
    return job->strange || (letter->to.x == 0 && letter->to.y == 0);
}

/* A master asks for its next chunk. */
static void take_demand(struct farm_job *job, const struct letter *letter)
{
    struct master *master = &job->master;

    fuzz_check(master->is && letter->job == JOB && is_home(job, letter) &&
                   letter->bytes == DEMAND_BYTES &&
                   bytes_load_u16(letter->data) == MASTER_NUMBER &&
                   bytes_load_u16(letter->data + 2) == master->chunks &&
                   (job->strange || bytes_load_u32(letter->data + 4) > 0),
               "a master asks for something else");
    fuzz_check(!master->asked && !master->ended && master->chunks > 0,
               "a master asks twice");
    master->asked = true;
}

/* A master's result counts all units that it got. */
static void take_result(struct farm_job *job, const struct letter *letter)
{
    struct master *master = &job->master;

    fuzz_check(master->is && master->ended && !master->returned &&
                   letter->kind == WIRE_RESULT_OF(1) && letter->job == JOB &&
                   is_home(job, letter),
               "a result that is none");
    master->returned = true;
    fuzz_check(job->forged || (letter->bytes == 8 &&
                               bytes_load_u64(letter->data) == master->units),
               "a wrong sum of a master's units");
    for (uint32_t i = 0; !job->forged && i < master->units; ++i) {
        fuzz_check(job->computed[i], "a unit is not computed");
    }
}

/* Every byte of the whole output is there once. */
static void check_outputs(const struct farm_job *job,
                          const struct letter *letter, uint32_t at)
{
    uint64_t all = kernel_output_at(&job->terms, job->order.load_units);
    uint64_t found = 0;

    while (at < letter->bytes) {
        uint64_t from;
        uint32_t bytes;

        fuzz_check(letter->bytes - at >= 8, "an output cut short");
        from = kernel_output_at(&job->terms, bytes_load_u32(letter->data + at));
        bytes = bytes_load_u32(letter->data + at + 4);
        at += 8;
        fuzz_check(bytes <= letter->bytes - at, "an output cut short");
        for (uint32_t i = 0; i < bytes; ++i) {
            fuzz_check(letter->data[at + i] == judge_output(~(from + i)),
                       "an output has other bytes");
        }
        found += bytes;
        at += (bytes + 3u) & ~3u;
    }
    fuzz_check(found == all, "an output has not as many bytes as all units'");
}

static void take_report(struct farm_job *job, const struct letter *letter)
{
    uint32_t at = REPORT_BYTES;

    fuzz_check(letter->bytes >= at && !job->reported, "a report cut short");
    job->reported = true;
    job->error = (int32_t)bytes_load_u32(letter->data);
    if (job->error != ERR_OK || job->forged) {
        return;
    }
    for (uint32_t i = 0; i < job->order.load_units; ++i) {
        fuzz_check(job->computed[i], "a unit is not computed");
    }
    if (has_output(job)) {
        fuzz_check(letter->bytes >= at + 4 &&
                       bytes_load_u32(letter->data + at) == 8,
                   "a result of another length");
        at += 4;
    }
    fuzz_check(letter->bytes >= at + 8 &&
                   bytes_load_u64(letter->data + at) == job->order.load_units,
               "a wrong sum of units");
    if (has_output(job)) {
        check_outputs(job, letter, at + WIRE_PAD4(job->terms.result_bytes_max));
    }
}

static void sent(void *context, const struct letter *letter)
{
    struct farm_job *job = context;

    if (letter->kind == WIRE_CHUNK) {
        take_chunk(job, letter);
    } else if (letter->kind == WIRE_REPORT) {
        take_report(job, letter);
    } else if (letter->kind == WIRE_DEMAND) {
        take_demand(job, letter);
    } else if (WIRE_KIND(letter->kind) == WIRE_RESULT) {
        take_result(job, letter);
    } else {
        fuzz_check(letter->kind == WIRE_ANNOUNCE, "a message of another kind");
    }
}

/* ---- trying ---- */

/* The piece of a master at 1, 0 or 0, 1: a master, and all others but the
   originator in its group. */
static void make_piece(struct farm_job *job, const uint8_t *in)
{
    uint32_t nodes = torus_nodes(job->size);
    uint8_t *at = job->tree;

    for (uint32_t i = 0; i < nodes; ++i) {
        struct torus_coord to = torus_coord_of(job->size, i);
        bool root = at == job->tree;
        struct torus_path path;

        if (i == 0) {
            continue; /* the originator; the master is number 1 */
        }
        if (!root) {
            to.x = (uint16_t)((to.x + job->size.width - job->top.x) %
                              job->size.width);
            to.y = (uint16_t)((to.y + job->size.height - job->top.y) %
                              job->size.height);
        }
        path = torus_direct(job->size, to);
        memset(at, 0, TREE_BRANCH_BYTES);
        bytes_store_u32(at,
                        tree_direct_pack(path) | (root ? 0 : TREE_IN_GROUP));
        bytes_store_u16(at + 8, (uint16_t)(root ? nodes - 1 : 1));
        at[10] = (uint8_t)(path.port | path.turn << 4);
        at[11] = root ? 1 : 2;
        bytes_store_u16(at + 12, path.hops);
        bytes_store_u16(at + 14, path.hops_after);
        at += TREE_BRANCH_BYTES;
    }
    job->tree[bytes_load_u16(in + 10) %
              (TREE_BRANCH_BYTES * job->order.tree_nodes)] ^= in[12];
}

/* Reads the input's head, of an originator, for a master. */
static void read_master(struct farm_job *job, const uint8_t *in)
{
    struct master *master = &job->master;
    uint64_t compute_ps;

    read_job(job, in);
    master->is = true;
    if (job->arg[3] == 0) {
        job->arg[2] = 0; /* no output has no length */
    }
    job->top = torus_coord_of(job->size, 1);
    job->order.tree_nodes = torus_nodes(job->size) - 1;
    make_piece(job, in);
    find_workers(job, true);
    compute_ps = job->order.compute_ps;
    master->job[0] = 1;
    master->job[1] = 1;
    master->job[2] = WIRE_FARM << 4;
    master->job[3] = job->order.rounds;
    bytes_store_u64(master->job + 8, compute_ps);
    bytes_store_u32(master->job + 16, (uint32_t)job->order.startup_ps);
    bytes_store_u32(master->job + 28, job->arg[0]);
    bytes_store_u32(master->job + 32, job->arg[1]);
    /* A node that has no workers is no master. */
    job->strange = job->workers == 0 || in[12] != 0 || !fits(job) ||
                   job->order.rounds == 0 || compute_ps == 0 ||
                   compute_ps > TIME_MAX_PS || job->arg[3] != 0;
}

/* Plays what is behind the head of the input, against the node at `top`; to be
   freed with subtree_free(). Result: the node's error. */
static int run_top(struct subtree *subtree, struct farm_job *job,
                   struct torus_coord top, const uint8_t *in, uint32_t bytes)
{
    int error;

    *subtree = (struct subtree){.policy = WIRE_FARM,
                                .kernel = &farm_kernel,
                                .size = job->size,
                                .next = next,
                                .returned = sent,
                                .context = job,
                                .alone = true,
                                .builds = subtree->builds};
    job->play = in + HEAD_BYTES;
    job->plays = (bytes - HEAD_BYTES) / PLAY_BYTES;
    error = subtree_run(subtree, top);
    fuzz_check(error != ERR_OK || !job->refused,
               "what must be refused is taken");
    fuzz_check(error == ERR_OK || job->refused || job->forged || job->strange,
               "a job that nothing is wrong with has an error");
    return error;
}

void farm_try_master(const struct fuzz_target *target, const uint8_t *in,
                     uint32_t bytes)
{
    struct farm_job *job = calloc(1, sizeof *job);
    struct subtree subtree = {.builds = true};

    (void)target;
    fuzz_check(job != NULL, "no memory");
    if (bytes >= HEAD_BYTES && in[0] % SIDE_MAX + in[1] % SIDE_MAX > 0) {
        read_master(job, in);
        if (job->workers > 0) {
            int error = run_top(&subtree, job, job->top, in, bytes);

            fuzz_check((error == ERR_OK) == job->master.returned,
                       "a result with an error");
            subtree_free(&subtree);
        }
        free(job->tree);
    }
    free(job);
}

void farm_try_originator(const struct fuzz_target *target, const uint8_t *in,
                         uint32_t bytes)
{
    struct farm_job *job = calloc(1, sizeof *job);
    struct subtree subtree = {.builds = false};

    (void)target;
    fuzz_check(job != NULL, "no memory");
    if (bytes >= HEAD_BYTES) {
        int error;

        read_job(job, in);
        error = run_top(&subtree, job, (struct torus_coord){0, 0}, in, bytes);
        fuzz_check(job->reported ? job->error == error : error == ERR_BUFFER,
                   "a report with another error");
        subtree_free(&subtree);
        free(job->tree);
    }
    free(job);
}

/* ---- first inputs ---- */

/* Stores a job of 99 units on 3x3 nodes, of which the first plays are such. */
static void add_master(uint8_t halo, uint16_t units, const uint8_t how[],
                       const uint8_t which[])
{
    uint8_t out[HEAD_BYTES + 12 * PLAY_BYTES] = {2, 2, 4, 4};

    bytes_store_u16(out + 4, (uint16_t)(units - 1));
    out[8] = halo;
    bytes_store_u64(out + 14, 4850000);
    bytes_store_u64(out + 22, 3300);
    bytes_store_u64(out + 30, 1000000);
    bytes_store_u32(out + 38, 3000);
    for (unsigned play = 0; play < 12; ++play) {
        uint8_t *at = out + HEAD_BYTES + PLAY_BYTES * play;

        at[0] = how[play];
        at[1] = which[play];
        at[2] = 9;
        at[3] = how[play] != 0 ? 5 : 0;
        bytes_store_u64(at + 4, 1000000u * (1u + play));
    }
    fuzz_add(out, sizeof out);
}

/* In order; with halos; a demand of another job, twice, of anybody; a chunk
   that is not for this worker, of another job, cut short, that was not asked
   for. */
void farm_seed_master(const struct fuzz_target *target)
{
    static const uint8_t proper[12] = {0};
    static const uint8_t how[][12] = {{1, 0, 2},
                                      {0, 0, 8, 8},
                                      {1, 1, 0, 128, 128},
                                      {1, 1, 1, 64, 64, 64},
                                      {1, 1, 1, 1, 32, 32},
                                      {1, 1, 2, 2, 2, 2},
                                      {4, 4},
                                      {1, 16, 16, 16}};
    static const uint8_t which[][12] = {{0, 40, 2, 9, 41, 5, 0, 7, 40, 3, 8, 1},
                                        {8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8}};

    (void)target;
    add_master(0, 99, proper, proper);
    add_master(0x35, 300, proper, which[0]);
    add_master(0, 3, proper, which[1]);
    for (unsigned i = 0; i < sizeof how / sizeof *how; ++i) {
        add_master(0x11, 300, how[i], which[i % 2]);
    }
}

struct seed {
    uint8_t unit_bytes;
    uint8_t width;
    uint8_t height;
    uint8_t installment;
    uint16_t units;
    uint8_t output;
    uint8_t halo;
    uint64_t compute_ps;
    uint32_t instructions;
    uint8_t how[6]; /* of the first plays */
};

/* A job in order; with outputs; with halos and a rate; on one node; with more
   nodes than units; with more output than fits; with demands of other jobs,
   twice, of anybody, too long. */
void farm_seed_originator(const struct fuzz_target *target)
{
    static const struct seed seeds[] = {
        {1, 3, 3, 255, 300, 0, 0, 0, 4000, {0}},
        {1, 3, 2, 4, 200, 0x11, 0, 0, 90000, {0, 0, 1, 0, 1, 1}},
        {1, 5, 5, 2, 500, 0x23, 0x35, 1000000, 3000, {0, 1, 0, 1, 0, 0}},
        {1, 1, 1, 255, 50, 0, 0x11, 0, 0, {0}},
        {1, 4, 3, 255, 5, 0x12, 0, 7, 1, {0}},
        {40, 3, 3, 255, 1000, 0x1f, 0, 0, 3000, {0}},
        {1, 3, 3, 255, 99, 0, 0, 0, 50, {0, 0, 2, 0, 0, 0}},
        {1, 3, 3, 255, 99, 0, 0, 0, 50, {0, 8, 0, 0, 0, 0}},
        {1, 3, 3, 255, 99, 0, 0, 0, 50, {0, 128, 0, 0, 0, 0}},
        {1, 3, 3, 255, 99, 0, 0, 0, 50, {0, 0, 0, 16, 32, 64}}};

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
        bytes_store_u64(out + 14, 4850000);
        bytes_store_u64(out + 22, 3300);
        bytes_store_u64(out + 30, seed->compute_ps);
        bytes_store_u32(out + 38, seed->instructions);
        for (unsigned play = 0; play < 6; ++play) {
            uint8_t *at = out + HEAD_BYTES + PLAY_BYTES * play;

            at[0] = seed->how[play];
            at[1] = (uint8_t)play;
            bytes_store_u64(at + 4, 1000000u * (1u + play));
        }
        fuzz_add(out, sizeof out);
    }
}
