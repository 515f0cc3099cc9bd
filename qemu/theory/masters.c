/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/masters.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

#define NEWTON_MAX 1000
#define RANGES_MAX 64

/* ---- the basic round ---- */

struct basic {
    struct theory_masters *masters;
    const struct theory_workers *workers;
    const struct theory_network *network;
    quad time; /* T, unscaled */
    /* compute - transfer time of a unit: what a master saves by sending it */
    quad gain;
    /* compute + transfer time of a unit: what a worker needs for it */
    quad cost;
};

static quad alone(const struct basic *basic, size_t node)
{
    return basic->network->compute * basic->workers->numbers[node][0];
}

/* Sets the basic round's time T, if sending a unit takes less time than
   computing it. Nodes that hold few units receive; others send (masters.h). T
   is the least time with which the receivers take all units that the senders
   must give. T is also at least the time in which one node can send all its
   units. */
static void set_balanced(struct basic *basic)
{
    size_t nodes = basic->workers->count;
    struct theory_key times[THEORY_WORKERS_MAX] = {{0}};
    bool found = false;
    quad few = 0;
    quad many = 0;

    for (size_t i = 0; i < nodes; ++i) {
        times[i].first = alone(basic, i);
    }
    theory_keys_sort(times, nodes);
    for (size_t i = 0; i < nodes; ++i) {
        many += times[i].first;
    }
    for (size_t i = 0; i < nodes && !found; ++i) {
        few += times[i].first;
        many = theory_number_minus(many, times[i].first);
        basic->time =
            (few / basic->cost + many / basic->gain) /
            ((quad)(i + 1) / basic->cost + (quad)(nodes - i - 1) / basic->gain);
        found = i + 1 == nodes ||
                theory_number_compare(basic->time, times[i + 1].first) <= 0;
    }
    basic->time =
        quad_max(basic->time, times[nodes - 1].first / basic->network->compute *
                                  basic->network->transfer);
}

/* Sets the units that each node sends or receives so that it ends at the basic
   round's time. Receivers are filled one after the other until no sent units
   are left. */
static void set_units(struct basic *basic)
{
    struct theory_masters *masters = basic->masters;
    quad left = 0;

    for (size_t i = 0; i < masters->nodes; ++i) {
        quad over = theory_number_minus(alone(basic, i), basic->time);

        masters->sent[i] = quad_max(0, over / basic->gain);
        left += masters->sent[i];
    }
    for (size_t i = 0; i < masters->nodes; ++i) {
        quad under = theory_number_minus(basic->time, alone(basic, i));
        quad units = quad_max(0, under / basic->cost);

        if (units > left) {
            units = left;
        }
        masters->received[i] = units;
        left = theory_number_minus(left, units);
    }
}

static quad length_of(const struct basic *basic)
{
    const struct theory_masters *masters = basic->masters;
    quad units = 0;

    for (size_t i = 0; i < masters->nodes; ++i) {
        units =
            quad_max(units, quad_max(masters->sent[i], masters->received[i]));
    }
    return units * basic->network->transfer;
}

/* State while transfers are placed on one time line, one after the other. */
struct line {
    size_t from, to;
    quad from_left, to_left; /* units still to send and to receive */
    /* time of the next transfer's start; wraps at masters->length to 0 */
    quad start;
};

/* Places one transfer: the smaller of the units that the sender still has to
   send and the receiver to receive, cut at masters->length. */
static void lay(struct basic *basic, struct line *line)
{
    struct theory_masters *masters = basic->masters;
    quad beta = basic->network->transfer;
    quad room = theory_number_minus(masters->length, line->start) / beta;
    quad units =
        line->from_left < line->to_left ? line->from_left : line->to_left;
    bool last = theory_number_compare(room, units) <= 0;

    if (last) {
        units = room;
    }
    masters->transfer[masters->transfers] =
        (struct theory_transfer){line->from, line->to, line->start, units};
    masters->transfers += 1;
    line->from_left = theory_number_minus(line->from_left, units);
    line->to_left = theory_number_minus(line->to_left, units);
    line->start = last ? 0 : line->start + units * beta;
}

/* Places all transfers on one time line, one after the other. The line is cut
   into pieces of masters->length, which all start at time 0. No node sends or
   receives longer than masters->length, so none has two transfers at a time. */
static void lay_all(struct basic *basic)
{
    const struct theory_masters *masters = basic->masters;
    size_t nodes = masters->nodes;
    struct line line = {.from_left = masters->sent[0],
                        .to_left = masters->received[0]};

    for (;;) {
        while (line.from_left <= 0 && ++line.from < nodes) {
            line.from_left = masters->sent[line.from];
        }
        while (line.to_left <= 0 && ++line.to < nodes) {
            line.to_left = masters->received[line.to];
        }
        if (line.from == nodes || line.to == nodes) {
            break;
        }
        lay(basic, &line);
    }
}

static int compare_start(const void *one, const void *other)
{
    const struct theory_transfer *left = one;
    const struct theory_transfer *right = other;
    int order = theory_number_compare(left->start, right->start);

    return order != 0 ? order
                      : (left->from > right->from) - (left->from < right->from);
}

static void end_transfers(struct theory_masters *masters)
{
    size_t count[THEORY_WORKERS_MAX] = {0};

    qsort(masters->transfer, masters->transfers, sizeof *masters->transfer,
          compare_start);
    for (size_t i = 0; i < masters->transfers; ++i) {
        count[masters->transfer[i].from] += 1;
        count[masters->transfer[i].to] += 1;
    }
    for (size_t i = 0; i < masters->nodes; ++i) {
        if (count[i] > masters->transfers_most) {
            masters->transfers_most = count[i];
        }
    }
}

/* Plans the basic round (masters.h) and sets its fields of struct
   theory_masters. Transfers are sorted by rising start. All fields but `bound`
   are for loads that are not multiplied by network->scale. */
static void set_basic_round(struct theory_masters *masters,
                            const struct theory_workers *workers,
                            const struct theory_network *network)
{
    struct basic basic = {
        .masters = masters,
        .workers = workers,
        .network = network,
        .gain = theory_number_minus(network->compute, network->transfer),
        .cost = network->compute + network->transfer};

    masters->nodes = workers->count;
    if (basic.gain > 0) {
        set_balanced(&basic);
        set_units(&basic);
        masters->length = length_of(&basic);
        lay_all(&basic);
    } else {
        for (size_t i = 0; i < masters->nodes; ++i) {
            basic.time = quad_max(basic.time, alone(&basic, i));
        }
    }
    end_transfers(masters);
    masters->bound = basic.time * network->scale;
}

/* ---- limits of rounds ---- */

/* A worker's limit on the part r of the load that a round may carry: r <= a + b
   idle - c R, where idle is the time that all nodes wait at first, and R the
   sum of the parts of all rounds before. a >= c, b > 0, c <= 1. */
struct limit {
    long double a, b, c;
};

struct limits {
    size_t count;
    struct limit limit[THEORY_WORKERS_MAX];
};

/* Returns how many units more a worker has computed than received, if it has
   received `units` units until `time` and has computed when it did not
   receive. */
static quad used_of(const struct theory_network *network, quad time, quad units)
{
    quad computed =
        theory_number_minus(time, network->transfer * units) / network->compute;

    return theory_number_minus(computed, units);
}

/* Returns by how many units at most a worker has computed more than it has
   received, over all times of the basic round. */
static quad most_used(const struct theory_masters *masters,
                      const struct theory_network *network, size_t worker)
{
    quad most = used_of(network, masters->length, masters->received[worker]);
    quad units = 0;

    for (size_t i = 0; i < masters->transfers; ++i) {
        const struct theory_transfer *transfer = &masters->transfer[i];

        if (transfer->to == worker) {
            most = quad_max(most, used_of(network, transfer->start, units));
            units += transfer->units;
        }
    }
    return most;
}

/* Returns whether limit `by` is never above limit `of`. If so, `of` need not be
   checked. */
static bool implies(const struct limit *by, const struct limit *of)
{
    return by->a <= of->a && by->b <= of->b && by->c >= of->c;
}

static void add_limit(struct limits *limits, struct limit limit)
{
    size_t kept = 0;

    for (size_t i = 0; i < limits->count; ++i) {
        if (implies(&limits->limit[i], &limit)) {
            return;
        }
    }
    for (size_t i = 0; i < limits->count; ++i) {
        if (!implies(&limit, &limits->limit[i])) {
            limits->limit[kept] = limits->limit[i];
            kept += 1;
        }
    }
    limits->limit[kept] = limit;
    limits->count = kept + 1;
}

/* Adds the limit that a worker sets on rounds, if it sets one. Lowers
   masters->class if with this worker the makespan falls more slowly towards its
   bound. */
static void limit_by(struct limits *limits, struct theory_masters *masters,
                     const struct theory_network *network, size_t worker)
{
    quad received = masters->received[worker];
    quad first = used_of(network, masters->bound / network->scale, received);
    quad used = used_of(network, masters->length, received);
    quad most = most_used(masters, network, worker);

    if (most <= 0) {
        return;
    }
    if (first == 0 && used == 0) {
        masters->class = 1;
    } else if (masters->class == 3 &&
               (first == 0 || theory_number_compare(first, used) == 0)) {
        masters->class = 2;
    }
    add_limit(limits,
              (struct limit){.a = (long double)(first / most),
                             .b = (long double)(1 / (most * network->compute *
                                                     network->scale)),
                             .c = (long double)(used / most)});
}

static void set_limits(struct limits *limits, struct theory_masters *masters,
                       const struct theory_network *network)
{
    masters->class = 3;
    for (size_t i = 0; i < masters->nodes; ++i) {
        if (masters->received[i] > 0) {
            limit_by(limits, masters, network, i);
        }
    }
}

/* ---- number of rounds ---- */

struct search {
    const struct limits *limits;
    long double round_time;
    long double time; /* least time found so far, beyond the basic round's */
    long double idle;
    unsigned rounds;
};

struct point {
    unsigned rounds;
    long double idle;
};

/* Returns the limit on the next round, after rounds that carried the part `sum`
   of the load; sets *next to the sum after it. Returns NULL if no worker limits
   rounds: one round is enough. */
static const struct limit *next_round(long double *next,
                                      const struct limits *limits,
                                      long double sum, long double idle)
{
    const struct limit *least = NULL;

    *next = 1;
    for (size_t i = 0; i < limits->count; ++i) {
        const struct limit *limit = &limits->limit[i];
        long double after = limit->a + idle * limit->b + sum * (1 - limit->c);

        if (least == NULL || after < *next) {
            least = limit;
            *next = after;
        }
    }
    return least;
}

/* Returns the largest part of the load that `rounds` rounds can carry. Sets
 *slope to how much it grows for each unit of idle time. */
static long double sum_rounds(long double *slope, const struct limits *limits,
                              unsigned rounds, long double idle)
{
    long double sum = 0;

    *slope = 0;
    while (rounds-- > 0) {
        const struct limit *least = next_round(&sum, limits, sum, idle);

        if (least == NULL) {
            return 1;
        }
        *slope = least->b + *slope * (1 - least->c);
    }
    return sum;
}

/* Returns the least idle time, not below `from`, with which `rounds` rounds can
   carry the whole load. */
static long double least_idle(const struct limits *limits, unsigned rounds,
                              long double from)
{
    for (unsigned i = 0; i < NEWTON_MAX; ++i) {
        long double slope;
        long double sum = sum_rounds(&slope, limits, rounds, from);
        long double next;

        if (sum >= 1) {
            break;
        }
        next = from + (1 - sum) / slope;
        if (next <= from) {
            break;
        }
        from = next;
    }
    return from;
}

static struct point try_rounds(struct search *search, unsigned rounds,
                               long double from)
{
    struct point point = {rounds, least_idle(search->limits, rounds, from)};
    long double time = rounds * search->round_time + point.idle;

    if (time < search->time ||
        (time == search->time && rounds < search->rounds)) {
        search->rounds = rounds;
        search->idle = point.idle;
        search->time = time;
    }
    return point;
}

static void try_between(struct search *search, struct point low,
                        struct point high)
{
    struct point stack[RANGES_MAX];
    unsigned depth = 1;

    stack[0] = high;
    while (depth > 0) {
        high = stack[depth - 1];
        if (high.rounds - low.rounds < 2 ||
            (low.rounds + 1) * search->round_time + high.idle >= search->time) {
            low = high;
            depth -= 1;
        } else {
            stack[depth] = try_rounds(
                search, low.rounds + (high.rounds - low.rounds) / 2, high.idle);
            depth += 1;
        }
    }
}

/* Sets which part of the load each round of the best plan carries. The last
   round carries the rest. */
static void set_parts(struct theory_masters *masters,
                      const struct limits *limits)
{
    long double sum = 0;

    for (unsigned i = 0; i < masters->rounds; ++i) {
        long double next;

        (void)next_round(&next, limits, sum, masters->idle);
        if (next > 1 || i + 1 == masters->rounds) {
            next = 1;
        }
        masters->part[i] = next - sum;
        sum = next;
    }
}

/* Finds the number of rounds that ends earliest and sets rounds, part, idle and
   over. `over`, the time beyond the basic round's, is rounds * round_time +
   idle. There are no rounds if the nodes end by `alone` without any transfer.
   For each number of rounds, the least idle time is a root of a concave
   function, which Newton's method finds from below. More rounds never need more
   idle time, so whole ranges of numbers are skipped. The sum of k parts has a
   relative error of at most 3 k 2^-64. Returns whether
   THEORY_MASTERS_ROUNDS_MAX rounds are enough. */
static bool set_rounds(struct theory_masters *masters,
                       const struct limits *limits, long double round_time,
                       long double alone)
{
    struct search search = {
        .limits = limits, .round_time = round_time, .time = alone};
    struct point low = try_rounds(&search, 1, 0);

    while (low.rounds * round_time < search.time) {
        struct point high;

        if (low.rounds == THEORY_MASTERS_ROUNDS_MAX) {
            return false;
        }
        high = try_rounds(&search, 2 * low.rounds, 0);
        try_between(&search, low, high);
        low = high;
    }
    masters->rounds = search.rounds;
    masters->idle = search.idle;
    masters->over = search.time;
    masters->excess = search.time / (long double)masters->bound;
    set_parts(masters, limits);
    return true;
}

/* ---- the plan ---- */

/* Returns by how much the nodes end after masters->bound if nobody sends: each
   computes its own units. */
static quad alone_over(const struct theory_masters *masters,
                       const struct theory_workers *workers,
                       const struct theory_network *network)
{
    quad most = 0;

    for (size_t i = 0; i < workers->count; ++i) {
        most = quad_max(most, workers->numbers[i][0]);
    }
    return theory_number_minus(most * network->compute * network->scale,
                               masters->bound);
}

static void scale_round(struct theory_masters *masters, quad scale)
{
    masters->length *= scale;
    for (size_t i = 0; i < masters->nodes; ++i) {
        masters->sent[i] *= scale;
        masters->received[i] *= scale;
    }
    for (size_t i = 0; i < masters->transfers; ++i) {
        masters->transfer[i].start *= scale;
        masters->transfer[i].units *= scale;
    }
}

struct theory_masters *theory_masters(const struct theory_workers *workers,
                                      const struct theory_network *network)
{
    struct theory_masters *masters = memory_or_exit(calloc(1, sizeof *masters));
    struct limits limits = {0};

    set_basic_round(masters, workers, network);
    set_limits(&limits, masters, network);
    if (masters->transfers > 0 &&
        !set_rounds(
            masters, &limits,
            (long double)(network->startup * (quad)masters->transfers_most),
            (long double)alone_over(masters, workers, network))) {
        free(masters);
        return NULL;
    }
    scale_round(masters, network->scale);
    return masters;
}
