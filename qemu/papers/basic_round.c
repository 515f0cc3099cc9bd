/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/basic_round.h"

#include "qemu/papers/number.h"
#include "qemu/support/memory.h"

#include <stdlib.h>
#include <string.h>

struct basic {
    struct papers_masters *masters;
    const struct papers_workers *workers;
    const struct papers_network *network;
    mpq_t time; /* T, unscaled */
    mpq_t gain; /* gamma - beta: of a unit that a master sends */
    mpq_t cost; /* gamma + beta: of a unit that a worker receives */
};

/* x of a node. */
static mpq_srcptr held(const struct basic *basic, size_t node)
{
    return papers_workers_at(basic->workers, node, 0);
}

static int compare_held(const void *one, const void *other)
{
    return mpq_cmp(*(const mpq_srcptr *)one, *(const mpq_srcptr *)other);
}

/* All x by rising size; to be freed. */
static mpq_srcptr *sort_held(const struct basic *basic)
{
    size_t nodes = basic->workers->count;
    mpq_srcptr *all = memory_or_exit(malloc(nodes * sizeof *all));

    for (size_t i = 0; i < nodes; ++i) {
        all[i] = held(basic, i);
    }
    qsort(all, nodes, sizeof *all, compare_held);
    return all;
}

/* Sets T such that the first `workers` of all nodes by rising x take what the
   others give: the sum of (T - gamma x) / (gamma + beta) over the former is
   that of (gamma x - T) / (gamma - beta) over the latter, with the sums of x
   `few` and `many`. */
static void balance(struct basic *basic, size_t workers, const mpq_t few,
                    const mpq_t many)
{
    mpq_t weight, value;

    mpq_inits(weight, value, NULL);
    mpq_div(basic->time, few, basic->cost);
    mpq_div(value, many, basic->gain);
    mpq_add(basic->time, basic->time, value);
    mpq_mul(basic->time, basic->time, basic->network->compute);
    mpq_set_ui(weight, workers, 1);
    mpq_div(weight, weight, basic->cost);
    mpq_set_ui(value, basic->workers->count - workers, 1);
    mpq_div(value, value, basic->gain);
    mpq_add(weight, weight, value);
    mpq_div(basic->time, basic->time, weight);
    mpq_clears(weight, value, NULL);
}

/* Sets T where sending pays: the least with which workers can take what masters
   must give, and a master can send all it has. */
static void set_balanced(struct basic *basic)
{
    size_t nodes = basic->workers->count;
    mpq_srcptr *all = sort_held(basic);
    bool found = false;
    mpq_t few, many, next;

    mpq_inits(few, many, next, NULL);
    for (size_t i = 0; i < nodes; ++i) {
        mpq_add(many, many, all[i]);
    }
    for (size_t i = 0; i < nodes && !found; ++i) {
        mpq_add(few, few, all[i]);
        mpq_sub(many, many, all[i]);
        balance(basic, i + 1, few, many);
        if (i + 1 < nodes) {
            mpq_mul(next, basic->network->compute, all[i + 1]);
        }
        found = i + 1 == nodes || mpq_cmp(basic->time, next) <= 0;
    }
    mpq_mul(next, basic->network->transfer, all[nodes - 1]);
    if (mpq_cmp(basic->time, next) < 0) {
        mpq_set(basic->time, next);
    }
    mpq_clears(few, many, next, NULL);
    free(all);
}

/* Sets T where a unit is computed as fast as sent: nobody sends. */
static void set_unbalanced(struct basic *basic)
{
    mpq_t time;

    mpq_init(time);
    for (size_t i = 0; i < basic->workers->count; ++i) {
        mpq_mul(time, basic->network->compute, held(basic, i));
        if (mpq_cmp(time, basic->time) > 0) {
            mpq_set(basic->time, time);
        }
    }
    mpq_clear(time);
}

/* Sets what each node sends: (gamma x - T) / (gamma - beta). Adds it to `sum`.
 */
static void set_sent(struct basic *basic, mpq_t sum)
{
    for (size_t i = 0; i < basic->workers->count; ++i) {
        mpq_ptr sent = basic->masters->sent[i];

        mpq_mul(sent, basic->network->compute, held(basic, i));
        mpq_sub(sent, sent, basic->time);
        if (mpq_sgn(sent) > 0) {
            mpq_div(sent, sent, basic->gain);
            mpq_add(sum, sum, sent);
        } else {
            mpq_set_ui(sent, 0, 1);
        }
    }
}

/* Sets what each node receives: (T - gamma x) / (gamma + beta), as long as
   something of `sum` is left. */
static void set_received(struct basic *basic, mpq_t sum)
{
    for (size_t i = 0; i < basic->workers->count; ++i) {
        mpq_ptr received = basic->masters->received[i];

        mpq_mul(received, basic->network->compute, held(basic, i));
        mpq_sub(received, basic->time, received);
        mpq_div(received, received, basic->cost);
        if (mpq_sgn(received) < 0) {
            mpq_set_ui(received, 0, 1);
        }
        if (mpq_cmp(received, sum) > 0) {
            mpq_set(received, sum);
        }
        mpq_sub(sum, sum, received);
    }
}

/* L: the longest that a node sends or receives. */
static void set_length(struct basic *basic)
{
    mpq_ptr length = basic->masters->length;

    for (size_t i = 0; i < basic->workers->count; ++i) {
        if (mpq_cmp(basic->masters->sent[i], length) > 0) {
            mpq_set(length, basic->masters->sent[i]);
        }
        if (mpq_cmp(basic->masters->received[i], length) > 0) {
            mpq_set(length, basic->masters->received[i]);
        }
    }
    mpq_mul(length, length, basic->network->transfer);
}

/* Where the transfers are laid one after the other. */
struct line {
    size_t from, to;
    mpq_t from_left, to_left; /* what these send and receive yet, units */
    mpq_t start;              /* of the next transfer, within L */
};

static void add_transfer(struct basic *basic, const struct line *line,
                         mpq_srcptr units)
{
    struct papers_masters *masters = basic->masters;
    struct papers_transfer *transfer;

    masters->transfer = memory_or_exit(
        realloc(masters->transfer,
                (masters->transfers + 1) * sizeof *masters->transfer));
    transfer = &masters->transfer[masters->transfers];
    masters->transfers += 1;
    transfer->from = line->from;
    transfer->to = line->to;
    mpq_inits(transfer->start, transfer->units, NULL);
    mpq_set(transfer->start, line->start);
    mpq_set(transfer->units, units);
}

/* Lays one transfer: as much as both ends want and as fits before L. */
static void lay(struct basic *basic, struct line *line)
{
    mpq_t units, room;

    mpq_inits(units, room, NULL);
    mpq_set(units, mpq_cmp(line->from_left, line->to_left) < 0 ? line->from_left
                                                               : line->to_left);
    mpq_sub(room, basic->masters->length, line->start);
    mpq_div(room, room, basic->network->transfer);
    if (mpq_cmp(room, units) <= 0) {
        mpq_set(units, room);
    }
    add_transfer(basic, line, units);
    mpq_sub(line->from_left, line->from_left, units);
    mpq_sub(line->to_left, line->to_left, units);
    if (mpq_equal(units, room)) {
        mpq_set_ui(line->start, 0, 1);
    } else {
        mpq_mul(room, units, basic->network->transfer);
        mpq_add(line->start, line->start, room);
    }
    mpq_clears(units, room, NULL);
}

/* Lays all transfers on a line, and that in turns of the length L: as nobody
   sends or receives for longer than L, nobody does so twice at a time. */
static void lay_all(struct basic *basic)
{
    const struct papers_masters *masters = basic->masters;
    size_t nodes = masters->nodes;
    struct line line = {.from = 0, .to = 0};

    mpq_inits(line.from_left, line.to_left, line.start, NULL);
    mpq_set(line.from_left, masters->sent[0]);
    mpq_set(line.to_left, masters->received[0]);
    for (;;) {
        while (mpq_sgn(line.from_left) == 0 && ++line.from < nodes) {
            mpq_set(line.from_left, masters->sent[line.from]);
        }
        while (mpq_sgn(line.to_left) == 0 && ++line.to < nodes) {
            mpq_set(line.to_left, masters->received[line.to]);
        }
        if (line.from == nodes || line.to == nodes) {
            break;
        }
        lay(basic, &line);
    }
    mpq_clears(line.from_left, line.to_left, line.start, NULL);
}

static int compare_start(const void *one, const void *other)
{
    const struct papers_transfer *left = one;
    const struct papers_transfer *right = other;
    int order = mpq_cmp(left->start, right->start);

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
        .masters = masters, .workers = workers, .network = network};
    mpq_t sum;

    *masters = (struct papers_masters){.nodes = workers->count};
    mpq_inits(masters->bound, masters->length, NULL);
    masters->sent = papers_numbers_new(workers->count);
    masters->received = papers_numbers_new(workers->count);
    mpq_inits(basic.time, basic.gain, basic.cost, sum, NULL);
    mpq_sub(basic.gain, network->compute, network->transfer);
    mpq_add(basic.cost, network->compute, network->transfer);
    if (mpq_sgn(basic.gain) > 0) {
        set_balanced(&basic);
        set_sent(&basic, sum);
        set_received(&basic, sum);
        set_length(&basic);
        lay_all(&basic);
    } else {
        set_unbalanced(&basic);
    }
    end_transfers(masters);
    mpq_mul(masters->bound, basic.time, network->scale);
    mpq_clears(basic.time, basic.gain, basic.cost, sum, NULL);
}
