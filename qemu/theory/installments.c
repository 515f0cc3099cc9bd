/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/installments.h"

#include "qemu/theory/affine.h"
#include "qemu/theory/order.h"
#include "qemu/base/memory.h"

#include <stdlib.h>

/*
 * The sends from the last one back. The unknown is a chunk: the last one, and
 * each earlier one that grows faster than the one before it; so no slope is
 * more than 1, and rounding does not grow with the rounds.
 */
struct sends {
    const struct theory_star *star;
    const size_t *order;
    size_t workers;
    size_t count;
    struct affine *chunk;  /* by the unknown before it; from 1 */
    struct affine *window; /* the chunks by the present unknown */
    struct affine left;    /* of T, when the next send back begins */
    struct affine units;   /* of all chunks so far */
};

static const quad *worker_of(const struct sends *sends, size_t n)
{
    return sends->star->workers
        ->numbers[sends->order[(n - 1) % sends->workers]];
}

/* G + g a of a send, for its chunk a by the unknown. */
static struct affine transfer_of(const struct sends *sends, size_t n)
{
    const quad *of = worker_of(sends, n);
    struct affine time = {.offset = of[THEORY_STARTUP]};

    affine_add(&time, sends->window[n], of[THEORY_G]);
    return time;
}

/* Expresses a line in `chunk`, the unknown from now on. */
static void express(struct affine *line, struct affine chunk)
{
    line->slope /= chunk.slope;
    line->offset -= line->slope * chunk.offset;
}

/* Sets the chunk of send n < count: it ends when the worker's next one has
   come, or at T. */
static void set_chunk(struct sends *sends, size_t n)
{
    const quad *of = worker_of(sends, n);
    size_t next = n + sends->workers;
    struct affine time = {.offset = -of[THEORY_LATENCY]};
    struct affine chunk = {0};

    if (next > sends->count) {
        affine_add(&time, sends->left, 1);
    } else {
        for (size_t m = n + 1; m <= next; ++m) {
            affine_add(&time, transfer_of(sends, m), 1);
        }
    }
    affine_add(&chunk, time, 1 / of[THEORY_W]);
    sends->chunk[n] = sends->window[n] = chunk;
    if (chunk.slope > 1) {
        for (size_t m = n; m <= sends->count && m <= next; ++m) {
            express(&sends->window[m], chunk);
        }
        express(&sends->left, chunk);
        express(&sends->units, chunk);
    }
}

static void set_chunks(struct sends *sends)
{
    const quad *last = worker_of(sends, sends->count);

    sends->chunk[sends->count] = sends->window[sends->count] =
        (struct affine){.slope = 1};
    sends->left = (struct affine){last[THEORY_W], last[THEORY_LATENCY]};
    for (size_t n = sends->count; n > 0; --n) {
        if (n < sends->count) {
            set_chunk(sends, n);
        }
        affine_add(&sends->units, sends->window[n], 1);
        affine_add(&sends->left, transfer_of(sends, n), 1);
    }
}

/* Adds all sends, for which the first unknown is `x`. Result: whether every
   chunk is more than nothing. */
static bool add_sends(struct theory_star_plan *plan, const struct sends *sends,
                      quad x)
{
    bool good = true;

    for (size_t n = 1; n <= sends->count; ++n) {
        struct affine chunk = sends->chunk[n];
        quad units = x;

        if (chunk.slope > 1) {
            x = affine_solve(chunk, x);
        } else {
            units = affine_at(chunk, x);
        }
        good &= units > 0;
        theory_star_plan_add(plan, sends->order[(n - 1) % sends->workers],
                             units);
    }
    return good;
}

bool theory_installments(struct theory_star_plan *plan,
                         const struct theory_star *star, unsigned rounds)
{
    size_t workers = star->workers->count;
    size_t *order = memory_or_exit(malloc(workers * sizeof *order));
    struct sends sends = {.star = star,
                          .order = order,
                          .workers = workers,
                          .count = workers * rounds};
    struct affine all;
    quad x;
    bool good;

    theory_order_by_rule(order, star);
    sends.chunk =
        memory_or_exit(malloc(2 * (sends.count + 1) * sizeof *sends.chunk));
    sends.window = sends.chunk + sends.count + 1;
    set_chunks(&sends);
    all = sends.units;
    affine_add(&all, sends.left, star->master_rate);
    x = affine_solve(all, star->load);
    theory_star_plan_init(plan, sends.count);
    plan->rounds = rounds;
    good = add_sends(plan, &sends, x);
    theory_star_plan_finish(plan, star, affine_at(sends.left, x));
    free(sends.chunk);
    free(order);
    return good;
}
