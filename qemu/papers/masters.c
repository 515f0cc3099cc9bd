/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/masters.h"

#include "qemu/papers/basic_round.h"
#include "qemu/papers/masters_rounds.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

/* Of one worker, unscaled. */
struct stock {
    mpq_t first;    /* x' */
    mpq_t used;     /* w */
    mpq_t used_max; /* w' */
};

struct stocks {
    struct papers_masters *masters;
    const struct papers_network *network;
    mpq_t other; /* for computing */
};

/* Returns the value as a long double, which has 64 bits; a double has 53. */
static long double number(mpq_srcptr value)
{
    long double most = mpq_get_d(value);
    mpq_t rest;

    mpq_init(rest);
    mpq_set_d(rest, (double)most);
    mpq_sub(rest, value, rest);
    most += mpq_get_d(rest);
    mpq_clear(rest);
    return most;
}

/* Sets what a worker has computed more than received at `time`, when it has
   received so many units: (time - beta units) / gamma - units. */
static void set_used(mpq_t used, struct stocks *of, mpq_srcptr time,
                     mpq_srcptr units)
{
    mpq_mul(of->other, of->network->transfer, units);
    mpq_sub(of->other, time, of->other);
    mpq_div(of->other, of->other, of->network->compute);
    mpq_sub(used, of->other, units);
}

/* Sets the numbers of a worker. Its transfers come by rising start. */
static void set_stock(struct stock *stock, struct stocks *of, size_t worker)
{
    const struct papers_masters *masters = of->masters;
    mpq_t units;

    mpq_init(units);
    set_used(stock->used, of, masters->length, masters->received[worker]);
    mpq_set(stock->used_max, stock->used);
    for (size_t i = 0; i < masters->transfers; ++i) {
        const struct papers_transfer *transfer = &masters->transfer[i];

        if (transfer->to == worker) {
            set_used(stock->first, of, transfer->start, units);
            if (mpq_cmp(stock->first, stock->used_max) > 0) {
                mpq_set(stock->used_max, stock->first);
            }
            mpq_add(units, units, transfer->units);
        }
    }
    /* What is idle in T: x' = (T - beta q) / gamma - q, with all of T. */
    mpq_div(units, masters->bound, of->network->scale);
    set_used(stock->first, of, units, masters->received[worker]);
    mpq_clear(units);
}

/* Adds the limit of a worker, if it has one, and lowers the class. */
static void add_limit(struct stocks *of, const struct stock *stock)
{
    struct papers_masters *masters = of->masters;
    struct papers_limit *limit = &masters->limit[masters->limits];
    bool none = mpq_sgn(stock->first) == 0;

    if (mpq_sgn(stock->used_max) <= 0) {
        return;
    }
    if (none && mpq_sgn(stock->used) == 0) {
        masters->class = 1;
    } else if (masters->class == 3 &&
               (none || mpq_equal(stock->first, stock->used))) {
        masters->class = 2;
    }
    mpq_div(of->other, stock->first, stock->used_max);
    limit->a = number(of->other);
    mpq_div(of->other, stock->used, stock->used_max);
    limit->c = number(of->other);
    mpq_mul(of->other, stock->used_max, of->network->compute);
    mpq_mul(of->other, of->other, of->network->scale);
    mpq_inv(of->other, of->other);
    limit->b = number(of->other);
    masters->limits += 1;
}

/* Whether another limit is never above this one; of equals the first stays. */
static bool is_implied(const struct papers_masters *masters, size_t i)
{
    const struct papers_limit *of = &masters->limit[i];

    for (size_t j = 0; j < masters->limits; ++j) {
        const struct papers_limit *by = &masters->limit[j];
        bool equal = by->a == of->a && by->b == of->b && by->c == of->c;

        if (j != i && by->a <= of->a && by->b <= of->b && by->c >= of->c &&
            (!equal || j < i)) {
            return true;
        }
    }
    return false;
}

/* Leaves out the limits that others imply. */
static void thin_limits(struct papers_masters *masters)
{
    size_t kept = 0;
    struct papers_limit *limit =
        memory_or_exit(malloc((masters->limits + 1) * sizeof *masters->limit));

    for (size_t i = 0; i < masters->limits; ++i) {
        if (!is_implied(masters, i)) {
            limit[kept] = masters->limit[i];
            kept += 1;
        }
    }
    free(masters->limit);
    masters->limit = limit;
    masters->limits = kept;
}

/* Sets class and limits. */
static void set_limits(struct papers_masters *masters,
                       const struct papers_network *network)
{
    struct stocks of = {.masters = masters, .network = network};
    struct stock stock;

    mpq_inits(of.other, stock.first, stock.used, stock.used_max, NULL);
    masters->class = 3;
    masters->limit =
        memory_or_exit(malloc(masters->nodes * sizeof *masters->limit));
    for (size_t i = 0; i < masters->nodes; ++i) {
        if (mpq_sgn(masters->received[i]) > 0) {
            set_stock(&stock, &of, i);
            add_limit(&of, &stock);
        }
    }
    thin_limits(masters);
    mpq_clears(of.other, stock.first, stock.used, stock.used_max, NULL);
}

/* How much later than the bound nodes end that send nothing: gamma max x - T.
 */
static long double alone_over(const struct papers_masters *masters,
                              const struct papers_workers *workers,
                              const struct papers_network *network)
{
    mpq_t time;
    long double over;

    mpq_init(time);
    for (size_t i = 0; i < workers->count; ++i) {
        mpq_srcptr held = papers_workers_at(workers, i, 0);

        if (mpq_cmp(held, time) > 0) {
            mpq_set(time, held);
        }
    }
    mpq_mul(time, time, network->compute);
    mpq_mul(time, time, network->scale);
    mpq_sub(time, time, masters->bound);
    over = number(time);
    mpq_clear(time);
    return over;
}

/* Scales what of the basic round is unscaled. */
static void scale_round(struct papers_masters *masters, mpq_srcptr scale)
{
    mpq_mul(masters->length, masters->length, scale);
    for (size_t i = 0; i < masters->nodes; ++i) {
        mpq_mul(masters->sent[i], masters->sent[i], scale);
        mpq_mul(masters->received[i], masters->received[i], scale);
    }
    for (size_t i = 0; i < masters->transfers; ++i) {
        struct papers_transfer *transfer = &masters->transfer[i];

        mpq_mul(transfer->start, transfer->start, scale);
        mpq_mul(transfer->units, transfer->units, scale);
    }
}

bool papers_masters(struct papers_masters *masters,
                    const struct papers_workers *workers,
                    const struct papers_network *network)
{
    long double round_time;
    bool good = true;

    papers_basic_round(masters, workers, network);
    set_limits(masters, network);
    if (masters->transfers > 0) {
        round_time =
            number(network->startup) * (long double)masters->transfers_most;
        good = papers_masters_rounds(masters, round_time,
                                     alone_over(masters, workers, network));
        masters->excess = masters->over / number(masters->bound);
    }
    scale_round(masters, network->scale);
    return good;
}
