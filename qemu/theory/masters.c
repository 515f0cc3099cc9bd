/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/masters.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

/* ---- the basic round ---- */

struct basic {
    struct theory_masters *masters;
    const struct theory_workers *workers;
    const struct theory_network *network;
    quad time; /* T, unscaled */
    quad gain; /* gamma - beta: of a unit that a master sends */
    quad cost; /* gamma + beta: of a unit that a worker receives */
};

/* The time in which a node computes what it holds. */
static quad alone(const struct basic *basic, size_t node)
{
    return basic->network->compute * basic->workers->numbers[node][0];
}

static int compare(const void *one, const void *other)
{
    return theory_number_compare(*(const quad *)one, *(const quad *)other);
}

/* The times of all nodes alone, by rising size; to be freed. */
static quad *sort_times(const struct basic *basic)
{
    size_t nodes = basic->workers->count;
    quad *times = memory_or_exit(malloc(nodes * sizeof *times));

    for (size_t i = 0; i < nodes; ++i) {
        times[i] = alone(basic, i);
    }
    qsort(times, nodes, sizeof *times, compare);
    return times;
}

/*
 * Sets T where sending pays: the least with which workers, the first nodes by
 * rising time alone, take what the others give, the sum of
 * (T - gamma x) / (gamma + beta) over the former being that of
 * (gamma x - T) / (gamma - beta) over the latter, and with which a master can
 * send all it has.
 */
static void set_balanced(struct basic *basic)
{
    size_t nodes = basic->workers->count;
    quad *times = sort_times(basic);
    bool found = false;
    quad few = 0;
    quad many = 0;

    for (size_t i = 0; i < nodes; ++i) {
        many += times[i];
    }
    for (size_t i = 0; i < nodes && !found; ++i) {
        few += times[i];
        many = theory_number_minus(many, times[i]);
        basic->time =
            (few / basic->cost + many / basic->gain) /
            ((quad)(i + 1) / basic->cost + (quad)(nodes - i - 1) / basic->gain);
        found = i + 1 == nodes ||
                theory_number_compare(basic->time, times[i + 1]) <= 0;
    }
    basic->time =
        quad_max(basic->time, times[nodes - 1] / basic->network->compute *
                                  basic->network->transfer);
    free(times);
}

/* Sets what each node sends, (gamma x - T) / (gamma - beta), and what it
   receives, (T - gamma x) / (gamma + beta) as long as something is left. */
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

/* L: the longest that a node sends or receives. */
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

/* Where the transfers are laid one after the other. */
struct line {
    size_t from, to;
    quad from_left, to_left; /* what these send and receive yet, units */
    quad start;              /* of the next transfer, within L */
};

/* Lays one transfer: as much as both ends want and as fits before L. */
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
    masters->transfer = memory_or_exit(
        realloc(masters->transfer,
                (masters->transfers + 1) * sizeof *masters->transfer));
    masters->transfer[masters->transfers] =
        (struct theory_transfer){line->from, line->to, line->start, units};
    masters->transfers += 1;
    line->from_left = theory_number_minus(line->from_left, units);
    line->to_left = theory_number_minus(line->to_left, units);
    line->start = last ? 0 : line->start + units * beta;
}

/* Lays all transfers on a line, and that in turns of the length L: as nobody
   sends or receives for longer than L, nobody does so twice at a time. */
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

/* Sorts the transfers, and finds the node that has the most. */
static void end_transfers(struct theory_masters *masters)
{
    size_t *count = memory_or_exit(calloc(masters->nodes, sizeof *count));

    if (masters->transfers > 0) {
        qsort(masters->transfer, masters->transfers, sizeof *masters->transfer,
              compare_start);
    }
    for (size_t i = 0; i < masters->transfers; ++i) {
        count[masters->transfer[i].from] += 1;
        count[masters->transfer[i].to] += 1;
    }
    for (size_t i = 0; i < masters->nodes; ++i) {
        if (count[i] > masters->transfers_most) {
            masters->transfers_most = count[i];
        }
    }
    free(count);
}

/* Sets bound, length, what each node sends and receives, and the transfers by
   rising start; unscaled but for the bound. */
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
    size_t nodes = workers->count;

    *masters = (struct theory_masters){.nodes = nodes};
    masters->sent = memory_or_exit(calloc(nodes, sizeof *masters->sent));
    masters->received =
        memory_or_exit(calloc(nodes, sizeof *masters->received));
    if (basic.gain > 0) {
        set_balanced(&basic);
        set_units(&basic);
        masters->length = length_of(&basic);
        lay_all(&basic);
    } else {
        /* A unit is computed as fast as sent: nobody sends. */
        for (size_t i = 0; i < nodes; ++i) {
            basic.time = quad_max(basic.time, alone(&basic, i));
        }
    }
    end_transfers(masters);
    masters->bound = basic.time * network->scale;
}

/* ---- rounds ---- */

/* What a worker has computed more than received at `time`, when it has
   received so many units: (time - beta units) / gamma - units. */
static quad used_of(const struct theory_network *network, quad time, quad units)
{
    quad computed =
        theory_number_minus(time, network->transfer * units) / network->compute;

    return theory_number_minus(computed, units);
}

/* The most that a worker has computed more than received. Its transfers come by
   rising start. */
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

/* Whether another limit is never above one. */
static bool implies(const struct theory_limit *by,
                    const struct theory_limit *of)
{
    return by->a <= of->a && by->b <= of->b && by->c >= of->c;
}

/* Adds a limit, unless others imply it; leaves out what it implies. */
static void add_limit(struct theory_rounds *rounds, struct theory_limit limit)
{
    size_t kept = 0;

    for (size_t i = 0; i < rounds->limits; ++i) {
        if (implies(&rounds->limit[i], &limit)) {
            return;
        }
    }
    for (size_t i = 0; i < rounds->limits; ++i) {
        if (!implies(&limit, &rounds->limit[i])) {
            rounds->limit[kept] = rounds->limit[i];
            kept += 1;
        }
    }
    rounds->limit[kept] = limit;
    rounds->limits = kept + 1;
}

/* Adds the limit of a worker, if it has one, and lowers the class. */
static void limit_by(struct theory_masters *masters,
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
    add_limit(
        &masters->rounds,
        (struct theory_limit){
            .a = (long double)(first / most),
            .b = (long double)(1 / (most * network->compute * network->scale)),
            .c = (long double)(used / most)});
}

/* Sets class and limits. */
static void set_limits(struct theory_masters *masters,
                       const struct theory_network *network)
{
    masters->class = 3;
    masters->rounds.limit =
        memory_or_exit(malloc(masters->nodes * sizeof *masters->rounds.limit));
    for (size_t i = 0; i < masters->nodes; ++i) {
        if (masters->received[i] > 0) {
            limit_by(masters, network, i);
        }
    }
}

/* How much later than the bound nodes end that send nothing: gamma max x - T.
 */
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

/* Scales what of the basic round is unscaled. */
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

bool theory_masters(struct theory_masters *masters,
                    const struct theory_workers *workers,
                    const struct theory_network *network)
{
    bool good = true;

    set_basic_round(masters, workers, network);
    set_limits(masters, network);
    if (masters->transfers > 0) {
        good = theory_masters_rounds(
            &masters->rounds,
            (long double)(network->startup * (quad)masters->transfers_most),
            (long double)alone_over(masters, workers, network));
        masters->excess = masters->rounds.over / (long double)masters->bound;
    }
    scale_round(masters, network->scale);
    return good;
}

void theory_masters_free(struct theory_masters *masters)
{
    free(masters->sent);
    free(masters->received);
    free(masters->transfer);
    free(masters->rounds.limit);
    free(masters->rounds.part);
}
