/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/installments.h"
#include "qemu/papers/number.h"
#include "qemu/papers/order.h"

struct umr {
    const struct papers_star *star;
    mpq_srcptr g, w, startup, latency;
    mpq_t workers; /* P */
    mpq_t ratio;   /* w / (P g), by which chunks grow */
    mpq_t extra;   /* (W - P G) / (P g), what is added */
    mpq_t *chunk;  /* a_0 .. a_{M-1}; the last is a mean */
    mpq_t first;   /* G + g a_0 */
    mpq_t makespan;
};

static void umr_init(struct umr *umr, const struct papers_star *star)
{
    *umr = (struct umr){.star = star,
                        .g = papers_star_at(star, 0, PAPERS_G),
                        .w = papers_star_at(star, 0, PAPERS_W),
                        .startup = papers_star_at(star, 0, PAPERS_STARTUP),
                        .latency = papers_star_at(star, 0, PAPERS_LATENCY)};
    mpq_inits(umr->workers, umr->ratio, umr->extra, umr->first, umr->makespan,
              NULL);
    mpq_set_ui(umr->workers, star->workers->count, 1);
    mpq_mul(umr->first, umr->workers, umr->g);
    mpq_div(umr->ratio, umr->w, umr->first);
    mpq_mul(umr->extra, umr->workers, umr->startup);
    mpq_sub(umr->extra, umr->latency, umr->extra);
    mpq_div(umr->extra, umr->extra, umr->first);
    umr->chunk = papers_numbers_new(PAPERS_ROUNDS_MAX);
}

static void umr_free(struct umr *umr)
{
    mpq_clears(umr->workers, umr->ratio, umr->extra, umr->first, umr->makespan,
               NULL);
    papers_numbers_free(umr->chunk, PAPERS_ROUNDS_MAX);
}

/* All rounds together give a worker grown a_0 + added in the mean. */
static void sum_rounds(mpq_t grown, mpq_t added, const struct umr *umr,
                       unsigned rounds)
{
    mpq_t factor, offset;

    mpq_inits(factor, offset, NULL);
    mpq_set_ui(grown, 0, 1);
    mpq_set_ui(added, 0, 1);
    mpq_set_ui(factor, 1, 1);
    for (unsigned j = 0; j < rounds; ++j) {
        mpq_add(grown, grown, factor);
        mpq_add(added, added, offset);
        mpq_mul(factor, factor, umr->ratio);
        mpq_mul(offset, offset, umr->ratio);
        mpq_add(offset, offset, umr->extra);
    }
    mpq_clears(factor, offset, NULL);
}

/*
 * Sets a_0 and T. The workers' load is U = P (grown a_0 + added), and U + m T
 * the whole load V, m the master's rate: with h = (P + 1)/2,
 *
 *     T = (grown a_0 + added) w + M W + h G + h g a_0
 */
static void solve(struct umr *umr, unsigned rounds)
{
    mpq_t grown, added, slope, offset, master;

    mpq_inits(grown, added, slope, offset, master, NULL);
    sum_rounds(grown, added, umr, rounds);
    /* T = slope a_0 + offset */
    mpq_set_ui(offset, umr->star->workers->count + 1, 2);
    mpq_canonicalize(offset);
    mpq_mul(slope, offset, umr->g);
    mpq_mul(offset, offset, umr->startup);
    mpq_mul(master, grown, umr->w);
    mpq_add(slope, slope, master);
    mpq_mul(master, added, umr->w);
    mpq_add(offset, offset, master);
    mpq_set_ui(master, rounds, 1);
    mpq_mul(master, master, umr->latency);
    mpq_add(offset, offset, master);
    /* a_0 = (V - P added - m offset) / (P grown + m slope) */
    papers_star_master_rate(master, umr->star);
    mpq_mul(grown, grown, umr->workers);
    mpq_mul(added, added, umr->workers);
    mpq_mul(umr->makespan, master, slope);
    mpq_add(grown, grown, umr->makespan);
    mpq_mul(umr->makespan, master, offset);
    mpq_add(added, added, umr->makespan);
    mpq_sub(umr->chunk[0], umr->star->load, added);
    mpq_div(umr->chunk[0], umr->chunk[0], grown);
    mpq_mul(umr->makespan, slope, umr->chunk[0]);
    mpq_add(umr->makespan, umr->makespan, offset);
    mpq_clears(grown, added, slope, offset, master, NULL);
}

/* Sets what a worker, from 1, gets in the last round:
   a_{M-1} + ((P + 1)/2 - i) (G + g a_0) / w. */
static void set_last(mpq_t units, const struct umr *umr, unsigned rounds,
                     size_t worker)
{
    mpq_t place;

    mpq_init(place);
    mpq_set_ui(units, umr->star->workers->count + 1, 2);
    mpq_canonicalize(units);
    mpq_set_ui(place, worker, 1);
    mpq_sub(units, units, place);
    mpq_mul(units, units, umr->first);
    mpq_div(units, units, umr->w);
    mpq_add(units, units, umr->chunk[rounds - 1]);
    mpq_clear(place);
}

/* Whether the last round comes in time for every worker i < P:
   (G + g a_0) (1 + g i / (2 w)) <= G + g a_{M-1}. It is so for all if it is so
   for worker P - 1. */
static bool last_in_time(const struct umr *umr, unsigned rounds)
{
    size_t workers = umr->star->workers->count;
    bool good;
    mpq_t needed, mean;

    mpq_inits(needed, mean, NULL);
    mpq_set_ui(needed, workers - 1, 2);
    mpq_canonicalize(needed);
    mpq_mul(needed, needed, umr->g);
    mpq_div(needed, needed, umr->w);
    mpq_set_ui(mean, 1, 1);
    mpq_add(needed, needed, mean);
    mpq_mul(needed, needed, umr->first);
    mpq_mul(mean, umr->g, umr->chunk[rounds - 1]);
    mpq_add(mean, mean, umr->startup);
    good = workers == 1 || mpq_cmp(needed, mean) <= 0;
    mpq_clears(needed, mean, NULL);
    return good;
}

/* Computes all chunks and T. Result: whether these chunks are a schedule: all
   more than nothing, and none too late for anybody. */
static bool try_rounds(struct umr *umr, unsigned rounds)
{
    bool good;
    mpq_t least;

    solve(umr, rounds);
    good = mpq_sgn(umr->chunk[0]) > 0;
    mpq_mul(umr->first, umr->g, umr->chunk[0]);
    mpq_add(umr->first, umr->first, umr->startup);
    for (unsigned j = 1; good && j < rounds; ++j) {
        mpq_mul(umr->chunk[j], umr->chunk[j - 1], umr->ratio);
        mpq_add(umr->chunk[j], umr->chunk[j], umr->extra);
        /* All but worker P wait for a chunk that is smaller than the first. */
        good = mpq_sgn(umr->chunk[j]) > 0 &&
               (umr->star->workers->count == 1 ||
                mpq_cmp(umr->chunk[j], umr->chunk[0]) >= 0);
    }
    if (good) {
        mpq_init(least);
        set_last(least, umr, rounds, umr->star->workers->count);
        good = mpq_sgn(least) > 0 && last_in_time(umr, rounds);
        mpq_clear(least);
    }
    return good;
}

static void make_plan(struct papers_plan *plan, struct umr *umr,
                      unsigned rounds)
{
    size_t workers = umr->star->workers->count;

    papers_plan_init(plan, workers * rounds);
    plan->rounds = rounds;
    mpq_set(plan->makespan, umr->makespan);
    for (unsigned j = 0; j + 1 < rounds; ++j) {
        for (size_t i = 0; i < workers; ++i) {
            mpq_set(papers_plan_add(plan, i), umr->chunk[j]);
        }
    }
    for (size_t i = 0; i < workers; ++i) {
        set_last(papers_plan_add(plan, i), umr, rounds, i + 1);
    }
    papers_plan_finish(plan, umr->star);
    plan->searched = true; /* equal workers have no order */
}

void papers_umr(struct papers_plan *plan, const struct papers_star *star)
{
    struct umr umr;
    unsigned best = 1;
    mpq_t makespan;

    umr_init(&umr, star);
    papers_order_best(plan, star);
    mpq_init(makespan);
    mpq_set(makespan, plan->makespan);
    for (unsigned rounds = 2; rounds <= PAPERS_ROUNDS_MAX; ++rounds) {
        if (try_rounds(&umr, rounds) && mpq_cmp(umr.makespan, makespan) < 0) {
            mpq_set(makespan, umr.makespan);
            best = rounds;
        }
    }
    if (best > 1 && try_rounds(&umr, best)) {
        papers_plan_free(plan);
        make_plan(plan, &umr, best);
    }
    mpq_clear(makespan);
    umr_free(&umr);
}
