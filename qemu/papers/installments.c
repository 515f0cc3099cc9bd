/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/installments.h"

#include "qemu/papers/number.h"
#include "qemu/papers/order.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

/* The times e_n of all sends and, at 0, T: each slope x + offset, where x is
   the last one. */
struct ends {
    const struct papers_star *star;
    const size_t *order;
    size_t workers;
    size_t sends;
    mpq_t *slope;
    mpq_t *offset;
    mpq_t step; /* for computing */
};

/* e_{n-1} = e_n + g/w (e_n - e_{n+P}) for the slopes; the offsets have also
   G - g/w W, `extra`. */
static void set_earlier(struct ends *ends, mpq_t *e, size_t n, mpq_srcptr ratio,
                        mpq_srcptr extra)
{
    mpq_set(ends->step, e[n]);
    if (n + ends->workers <= ends->sends) {
        mpq_sub(ends->step, e[n], e[n + ends->workers]);
    }
    mpq_mul(ends->step, ends->step, ratio);
    mpq_add(ends->step, ends->step, e[n]);
    mpq_add(e[n - 1], ends->step, extra);
}

/* Computes all slopes and offsets, from the last send back. */
static void compute_ends(struct ends *ends)
{
    mpq_t ratio, extra, none;

    mpq_inits(ratio, extra, none, NULL);
    mpq_set_ui(ends->slope[ends->sends], 1, 1);
    for (size_t n = ends->sends; n > 0; --n) {
        size_t worker = ends->order[(n - 1) % ends->workers];

        mpq_div(ratio, papers_star_at(ends->star, worker, PAPERS_G),
                papers_star_at(ends->star, worker, PAPERS_W));
        mpq_mul(extra, ratio,
                papers_star_at(ends->star, worker, PAPERS_LATENCY));
        mpq_sub(extra, papers_star_at(ends->star, worker, PAPERS_STARTUP),
                extra);
        set_earlier(ends, ends->slope, n, ratio, none);
        set_earlier(ends, ends->offset, n, ratio, extra);
    }
    mpq_clears(ratio, extra, none, NULL);
}

/* Sets x such that all chunks and the master's units are the load: nobody rests
   after its first chunk, so a worker gets (e - M W) / w, e that of its first
   one. */
static void compute_last(mpq_t last, struct ends *ends)
{
    mpq_t slope, offset, count;

    mpq_inits(slope, offset, count, NULL);
    mpq_set_ui(count, ends->sends / ends->workers, 1);
    papers_star_master_rate(ends->step, ends->star);
    mpq_mul(slope, ends->slope[0], ends->step);
    mpq_mul(offset, ends->offset[0], ends->step);
    for (size_t n = 1; n <= ends->workers; ++n) {
        size_t worker = ends->order[n - 1];
        mpq_srcptr w = papers_star_at(ends->star, worker, PAPERS_W);

        mpq_div(ends->step, ends->slope[n], w);
        mpq_add(slope, slope, ends->step);
        mpq_mul(ends->step, count,
                papers_star_at(ends->star, worker, PAPERS_LATENCY));
        mpq_sub(ends->step, ends->offset[n], ends->step);
        mpq_div(ends->step, ends->step, w);
        mpq_add(offset, offset, ends->step);
    }
    mpq_sub(last, ends->star->load, offset);
    mpq_div(last, last, slope);
    mpq_clears(slope, offset, count, NULL);
}

/* Replaces the offsets by the e_n for this x. */
static void insert_last(struct ends *ends, mpq_srcptr last)
{
    for (size_t n = 0; n <= ends->sends; ++n) {
        mpq_mul(ends->step, ends->slope[n], last);
        mpq_add(ends->offset[n], ends->offset[n], ends->step);
    }
}

/* Adds a send. Result: whether its chunk is more than nothing. */
static bool add_send(struct papers_plan *plan, struct ends *ends, size_t n)
{
    size_t worker = ends->order[(n - 1) % ends->workers];
    mpq_ptr units = papers_plan_add(plan, worker);

    mpq_sub(units, ends->offset[n],
            papers_star_at(ends->star, worker, PAPERS_LATENCY));
    if (n + ends->workers <= ends->sends) {
        mpq_sub(units, units, ends->offset[n + ends->workers]);
    }
    mpq_div(units, units, papers_star_at(ends->star, worker, PAPERS_W));
    return mpq_sgn(units) > 0;
}

/* Result: as papers_installments(). */
static bool make_plan(struct papers_plan *plan, struct ends *ends)
{
    bool good = true;
    mpq_t last;

    mpq_init(last);
    compute_ends(ends);
    compute_last(last, ends);
    insert_last(ends, last);
    for (size_t n = 1; n <= ends->sends; ++n) {
        good &= add_send(plan, ends, n);
    }
    mpq_set(plan->makespan, ends->offset[0]);
    mpq_clear(last);
    return good;
}

bool papers_installments(struct papers_plan *plan,
                         const struct papers_star *star, unsigned rounds)
{
    size_t workers = star->workers->count;
    size_t *order = memory_or_exit(malloc(workers * sizeof *order));
    struct ends ends = {.star = star,
                        .order = order,
                        .workers = workers,
                        .sends = workers * rounds};
    bool good;

    papers_order_by_rule(order, star);
    ends.slope = papers_numbers_new(ends.sends + 1);
    ends.offset = papers_numbers_new(ends.sends + 1);
    mpq_init(ends.step);
    papers_plan_init(plan, ends.sends);
    plan->rounds = rounds;
    good = make_plan(plan, &ends);
    if (good) {
        papers_plan_finish(plan, star);
    }
    papers_numbers_free(ends.slope, ends.sends + 1);
    papers_numbers_free(ends.offset, ends.sends + 1);
    mpq_clear(ends.step);
    free(order);
    return good;
}
