/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/basic_round.h"

#include "qemu/support/memory.h"

#include <stdlib.h>

struct basic {
    struct papers_masters *masters;
    const struct papers_workers *workers;
    const struct papers_network *network;
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
    return papers_number_compare(*(const quad *)one, *(const quad *)other);
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
        many = papers_number_minus(many, times[i]);
        basic->time =
            (few / basic->cost + many / basic->gain) /
            ((quad)(i + 1) / basic->cost + (quad)(nodes - i - 1) / basic->gain);
        found = i + 1 == nodes ||
                papers_number_compare(basic->time, times[i + 1]) <= 0;
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
    struct papers_masters *masters = basic->masters;
    quad left = 0;

    for (size_t i = 0; i < masters->nodes; ++i) {
        quad over = papers_number_minus(alone(basic, i), basic->time);

        masters->sent[i] = quad_max(0, over / basic->gain);
        left += masters->sent[i];
    }
    for (size_t i = 0; i < masters->nodes; ++i) {
        quad under = papers_number_minus(basic->time, alone(basic, i));
        quad units = quad_max(0, under / basic->cost);

        if (units > left) {
            units = left;
        }
        masters->received[i] = units;
        left = papers_number_minus(left, units);
    }
}

/* L: the longest that a node sends or receives. */
static quad length_of(const struct basic *basic)
{
    const struct papers_masters *masters = basic->masters;
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
    struct papers_masters *masters = basic->masters;
    quad beta = basic->network->transfer;
    quad room = papers_number_minus(masters->length, line->start) / beta;
    quad units =
        line->from_left < line->to_left ? line->from_left : line->to_left;
    bool last = papers_number_compare(room, units) <= 0;

    if (last) {
        units = room;
    }
    masters->transfer = memory_or_exit(
        realloc(masters->transfer,
                (masters->transfers + 1) * sizeof *masters->transfer));
    masters->transfer[masters->transfers] =
        (struct papers_transfer){line->from, line->to, line->start, units};
    masters->transfers += 1;
    line->from_left = papers_number_minus(line->from_left, units);
    line->to_left = papers_number_minus(line->to_left, units);
    line->start = last ? 0 : line->start + units * beta;
}

/* Lays all transfers on a line, and that in turns of the length L: as nobody
   sends or receives for longer than L, nobody does so twice at a time. */
static void lay_all(struct basic *basic)
{
    const struct papers_masters *masters = basic->masters;
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
    const struct papers_transfer *left = one;
    const struct papers_transfer *right = other;
    int order = papers_number_compare(left->start, right->start);

    return order != 0 ? order
                      : (left->from > right->from) - (left->from < right->from);
}

/* Sorts the transfers, and finds the node that has the most. */
static void end_transfers(struct papers_masters *masters)
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

void papers_basic_round(struct papers_masters *masters,
                        const struct papers_workers *workers,
                        const struct papers_network *network)
{
    struct basic basic = {
        .masters = masters,
        .workers = workers,
        .network = network,
        .gain = papers_number_minus(network->compute, network->transfer),
        .cost = network->compute + network->transfer};
    size_t nodes = workers->count;

    *masters = (struct papers_masters){.nodes = nodes};
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
