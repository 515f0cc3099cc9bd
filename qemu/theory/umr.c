/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/affine.h"
#include "qemu/theory/installments.h"
#include "qemu/theory/order.h"

struct umr {
    const struct theory_star *star;
    quad g, w, startup, latency;
    quad workers; /* P */
    quad ratio;   /* w / (P g), by which chunks grow */
    quad extra;   /* (W - P G) / (P g), what is added */
    unsigned rounds;
    size_t waiting; /* n: workers whose last chunk ends at T after a wait,
                       and worker P */
    quad growth;    /* s = sum of ((g + w) / w)^k, k = 0 .. n - 1 */
    quad chunk[THEORY_ROUNDS_MAX]; /* a_0 .. a_{M-1}; the last is a mean */
    quad first;                    /* G + g a_0 */
    quad least;                    /* z: what worker P gets in the last round */
    quad makespan;
};

/* (((g + w) / w)^k - 1) / g */
static quad more_of(const struct umr *umr, size_t k)
{
    quad more = 0;

    while (k-- > 0) {
        more = more * (umr->g + umr->w) / umr->w + 1 / umr->w;
    }
    return more;
}

/* Sets the chunks by the unknown, which is the largest: the last, or the
   first. */
static void set_chunks(struct affine *chunk, const struct umr *umr)
{
    unsigned last = umr->rounds - 1;

    if (umr->ratio > 1) {
        chunk[last] = (struct affine){.slope = 1};
        for (unsigned j = last; j > 0; --j) {
            chunk[j - 1].slope = chunk[j].slope / umr->ratio;
            chunk[j - 1].offset = (chunk[j].offset - umr->extra) / umr->ratio;
        }
    } else {
        chunk[0] = (struct affine){.slope = 1};
        for (unsigned j = 0; j < last; ++j) {
            chunk[j + 1].slope = chunk[j].slope * umr->ratio;
            chunk[j + 1].offset = chunk[j].offset * umr->ratio + umr->extra;
        }
    }
}

/*
 * Sets z, what worker P gets in the last round. All end together, so a worker
 * P - k that does not wait gets z + k (G + g a_0) / w, as it began so much
 * earlier; a transfer to one that waits takes ((g + w) / w)^k times as long as
 * that to worker P. All of these chunks are P a_{M-1}:
 *
 *     (P - n + s) z = P a_{M-1} - (s - n) G/g
 *                     - (P (P - 1) - n (n - 1)) / 2 (G + g a_0) / w
 */
static struct affine least_of(struct umr *umr, struct affine last,
                              struct affine first)
{
    quad n = (quad)umr->waiting;
    quad pairs = (umr->workers * (umr->workers - 1) - n * (n - 1)) / 2;
    quad more_sum = 0; /* (s - n) / g */
    quad more = 0;
    struct affine least = {0};

    for (size_t k = 1; k < umr->waiting; ++k) {
        more = more * (umr->g + umr->w) / umr->w + 1 / umr->w;
        more_sum += more;
    }
    umr->growth = n + more_sum * umr->g;
    affine_add(&least, last, umr->workers);
    affine_add(&least, first, -pairs / umr->w);
    least.offset -= more_sum * umr->startup;
    least.slope /= umr->workers - n + umr->growth;
    least.offset /= umr->workers - n + umr->growth;
    return least;
}

/*
 * Sets the chunks, z and T for so many waiting workers. When worker P, which
 * never waits, is done, T = P (G + g a_0) + M W + w (a_0 + .. + a_{M-2} + z);
 * P (a_0 + .. + a_{M-1}) + m T is the load, m the master's rate.
 */
static void solve(struct umr *umr, size_t waiting)
{
    struct affine chunk[THEORY_ROUNDS_MAX] = {0};
    unsigned last = umr->rounds - 1;
    struct affine first = {.offset = umr->startup};
    struct affine end = {.offset = umr->latency * (quad)umr->rounds};
    struct affine all = {0};
    struct affine least;
    quad x;

    umr->waiting = waiting;
    set_chunks(chunk, umr);
    affine_add(&first, chunk[0], umr->g);
    least = least_of(umr, chunk[last], first);
    for (unsigned j = 0; j < last; ++j) {
        affine_add(&end, chunk[j], umr->w);
        affine_add(&all, chunk[j], umr->workers);
    }
    affine_add(&end, first, umr->workers);
    affine_add(&end, least, umr->w);
    affine_add(&all, chunk[last], umr->workers);
    affine_add(&all, end, umr->star->master_rate);
    x = affine_solve(all, umr->star->load);
    for (unsigned j = 0; j < umr->rounds; ++j) {
        umr->chunk[j] = affine_at(chunk[j], x);
    }
    umr->first = affine_at(first, x);
    umr->least = affine_at(least, x);
    umr->makespan = affine_at(end, x);
}

/* Whether worker P - n waits, too: between the ends of its last transfer and
   that of worker P s (G + g z) pass, and it is free n (G + g a_0) earlier than
   worker P. */
static bool another_waits(const struct umr *umr)
{
    quad passed = umr->growth * (umr->startup + umr->g * umr->least);

    return theory_number_compare((quad)umr->waiting * umr->first, passed) > 0;
}

/* Computes all chunks and T. s/n grows with n, so the workers who wait are the
   last ones, and each n below the right one shows another. Result: whether
   these chunks are a schedule: all more than nothing. */
static bool try_rounds(struct umr *umr, unsigned rounds)
{
    size_t low = 1;
    size_t high = umr->star->workers->count;
    bool good;

    umr->rounds = rounds;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        solve(umr, middle);
        if (another_waits(umr)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    solve(umr, low);
    good = umr->least > 0;
    for (unsigned j = 0; j < rounds; ++j) {
        good &= umr->chunk[j] > 0;
    }
    return good;
}

/* What worker P - k gets in the last round. */
static quad last_of(const struct umr *umr, size_t k)
{
    return k < umr->waiting
               ? umr->least +
                     (umr->startup + umr->g * umr->least) * more_of(umr, k)
               : umr->least + (quad)k * umr->first / umr->w;
}

static void make_plan(struct theory_star_plan *plan, const struct umr *umr)
{
    size_t workers = umr->star->workers->count;

    theory_star_plan_init(plan, workers * umr->rounds);
    plan->rounds = umr->rounds;
    for (unsigned j = 0; j + 1 < umr->rounds; ++j) {
        for (size_t i = 0; i < workers; ++i) {
            theory_star_plan_add(plan, i, umr->chunk[j]);
        }
    }
    for (size_t i = 0; i < workers; ++i) {
        theory_star_plan_add(plan, i, last_of(umr, workers - 1 - i));
    }
    theory_star_plan_finish(plan, umr->star, umr->makespan);
    plan->searched = true; /* equal workers have no order */
}

void theory_umr(struct theory_star_plan *plan, const struct theory_star *star)
{
    const quad *worker = star->workers->numbers[0];
    struct umr umr = {.star = star,
                      .g = worker[THEORY_G],
                      .w = worker[THEORY_W],
                      .startup = worker[THEORY_STARTUP],
                      .latency = worker[THEORY_LATENCY],
                      .workers = (quad)star->workers->count};
    unsigned best = 1;
    quad makespan;

    umr.ratio = umr.w / (umr.workers * umr.g);
    umr.extra = theory_number_minus(umr.latency, umr.workers * umr.startup) /
                (umr.workers * umr.g);
    theory_order_best(plan, star);
    makespan = plan->makespan;
    for (unsigned rounds = 2; rounds <= THEORY_ROUNDS_MAX; ++rounds) {
        if (try_rounds(&umr, rounds) &&
            theory_number_compare(umr.makespan, makespan) < 0) {
            makespan = umr.makespan;
            best = rounds;
        }
    }
    if (best > 1 && try_rounds(&umr, best)) {
        theory_star_plan_free(plan);
        make_plan(plan, &umr);
    }
}
