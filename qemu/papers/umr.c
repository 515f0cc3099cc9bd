/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/installments.h"
#include "qemu/papers/number.h"
#include "qemu/papers/order.h"

/* A number that depends on the first chunk: slope a_0 + offset. */
struct line {
    mpq_t slope, offset;
};

struct umr {
    const struct papers_star *star;
    mpq_srcptr g, w, startup, latency;
    mpq_t workers;  /* P */
    mpq_t ratio;    /* w / (P g), by which chunks grow */
    mpq_t extra;    /* (W - P G) / (P g), what is added */
    size_t waiting; /* n: workers whose last chunk ends at T after a wait,
                       and worker P */
    mpq_t growth;   /* s = sum of ((g + w) / w)^k, k = 0 .. n - 1 */
    mpq_t *chunk;   /* a_0 .. a_{M-1}; the last is a mean */
    mpq_t first;    /* G + g a_0 */
    mpq_t least;    /* z: what worker P gets in the last round */
    mpq_t makespan;
};

static void umr_init(struct umr *umr, const struct papers_star *star)
{
    *umr = (struct umr){.star = star,
                        .g = papers_star_at(star, 0, PAPERS_G),
                        .w = papers_star_at(star, 0, PAPERS_W),
                        .startup = papers_star_at(star, 0, PAPERS_STARTUP),
                        .latency = papers_star_at(star, 0, PAPERS_LATENCY)};
    mpq_inits(umr->workers, umr->ratio, umr->extra, umr->growth, umr->first,
              umr->least, umr->makespan, NULL);
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
    mpq_clears(umr->workers, umr->ratio, umr->extra, umr->growth, umr->first,
               umr->least, umr->makespan, NULL);
    papers_numbers_free(umr->chunk, PAPERS_ROUNDS_MAX);
}

static void line_init(struct line *line)
{
    mpq_inits(line->slope, line->offset, NULL);
}

static void line_clear(struct line *line)
{
    mpq_clears(line->slope, line->offset, NULL);
}

/* to += factor from */
static void line_add(struct line *to, mpq_srcptr factor,
                     const struct line *from)
{
    mpq_t product;

    mpq_init(product);
    mpq_mul(product, factor, from->slope);
    mpq_add(to->slope, to->slope, product);
    mpq_mul(product, factor, from->offset);
    mpq_add(to->offset, to->offset, product);
    mpq_clear(product);
}

/* Sets a_{M-1}, `last`, and the sum of all chunks before it. */
static void set_rounds(struct line *before, struct line *last,
                       const struct umr *umr, unsigned rounds)
{
    mpq_t one;

    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    mpq_set_ui(last->slope, 1, 1);
    mpq_set_ui(last->offset, 0, 1);
    for (unsigned j = 1; j < rounds; ++j) {
        line_add(before, one, last);
        mpq_mul(last->slope, last->slope, umr->ratio);
        mpq_mul(last->offset, last->offset, umr->ratio);
        mpq_add(last->offset, last->offset, umr->extra);
    }
    mpq_clear(one);
}

/* Sets value to over^n / under^n of (g + w) / w. */
static void set_power(mpq_t value, const struct umr *umr, size_t n)
{
    mpz_t over, under;

    mpz_inits(over, under, NULL);
    mpq_add(value, umr->g, umr->w);
    mpq_div(value, value, umr->w);
    mpz_pow_ui(over, mpq_numref(value), n);
    mpz_pow_ui(under, mpq_denref(value), n);
    papers_number_set(value, over, under);
    mpz_clears(over, under, NULL);
}

/* Has n workers wait: s = (((g + w) / w)^n - 1) w / g. */
static void set_waiting(struct umr *umr, size_t n)
{
    mpq_t one;

    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    umr->waiting = n;
    set_power(umr->growth, umr, n);
    mpq_sub(umr->growth, umr->growth, one);
    mpq_mul(umr->growth, umr->growth, umr->w);
    mpq_div(umr->growth, umr->growth, umr->g);
    mpq_clear(one);
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
static void set_least(struct line *least, const struct umr *umr,
                      const struct line *last, const struct line *first)
{
    unsigned long p = umr->star->workers->count;
    unsigned long n = umr->waiting;
    mpq_t factor, other;

    mpq_inits(factor, other, NULL);
    line_add(least, umr->workers, last);
    mpq_set_ui(factor, (p * (p - 1) - n * (n - 1)) / 2, 1);
    mpq_div(factor, factor, umr->w);
    mpq_neg(factor, factor);
    line_add(least, factor, first);
    mpq_set_ui(other, n, 1);
    mpq_sub(factor, umr->growth, other);
    mpq_mul(other, factor, umr->startup);
    mpq_div(other, other, umr->g);
    mpq_sub(least->offset, least->offset, other);
    mpq_add(factor, factor, umr->workers);
    mpq_div(least->slope, least->slope, factor);
    mpq_div(least->offset, least->offset, factor);
    mpq_clears(factor, other, NULL);
}

/* Sets T = P (G + g a_0) + M W + w (a_0 + .. + a_{M-2} + z), when worker P,
   which never waits, is done. */
static void set_end(struct line *end, const struct umr *umr, unsigned rounds,
                    const struct line *before, const struct line *least,
                    const struct line *first)
{
    mpq_t latencies;

    mpq_init(latencies);
    line_add(end, umr->workers, first);
    line_add(end, umr->w, before);
    line_add(end, umr->w, least);
    mpq_set_ui(latencies, rounds, 1);
    mpq_mul(latencies, latencies, umr->latency);
    mpq_add(end->offset, end->offset, latencies);
    mpq_clear(latencies);
}

/* value = slope a_0 + offset */
static void line_at(mpq_t value, const struct line *line, mpq_srcptr a)
{
    mpq_mul(value, line->slope, a);
    mpq_add(value, value, line->offset);
}

/* Sets a_0, z and T for so many waiting workers: P (a_0 + .. + a_{M-1}) + m T
   is the load, m the master's rate. */
static void solve(struct umr *umr, unsigned rounds, size_t waiting)
{
    struct line before, last, first, least, end, all;
    struct line *const lines[] = {&before, &last, &first, &least, &end, &all};
    mpq_t master;

    mpq_init(master);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; ++i) {
        line_init(lines[i]);
    }
    set_waiting(umr, waiting);
    set_rounds(&before, &last, umr, rounds);
    mpq_set(first.slope, umr->g);
    mpq_set(first.offset, umr->startup);
    set_least(&least, umr, &last, &first);
    set_end(&end, umr, rounds, &before, &least, &first);
    papers_star_master_rate(master, umr->star);
    line_add(&all, umr->workers, &before);
    line_add(&all, umr->workers, &last);
    line_add(&all, master, &end);
    mpq_sub(umr->chunk[0], umr->star->load, all.offset);
    mpq_div(umr->chunk[0], umr->chunk[0], all.slope);
    line_at(umr->first, &first, umr->chunk[0]);
    line_at(umr->least, &least, umr->chunk[0]);
    line_at(umr->makespan, &end, umr->chunk[0]);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; ++i) {
        line_clear(lines[i]);
    }
    mpq_clear(master);
}

/* Whether worker P - n waits, too: between the ends of its last transfer and
   that of worker P s (G + g z) pass, and it is free n (G + g a_0) earlier than
   worker P. */
static bool another_waits(const struct umr *umr)
{
    mpq_t passed, earlier;
    bool waits;

    mpq_inits(passed, earlier, NULL);
    mpq_mul(passed, umr->g, umr->least);
    mpq_add(passed, passed, umr->startup);
    mpq_mul(passed, passed, umr->growth);
    mpq_set_ui(earlier, umr->waiting, 1);
    mpq_mul(earlier, earlier, umr->first);
    waits = mpq_cmp(earlier, passed) > 0;
    mpq_clears(passed, earlier, NULL);
    return waits;
}

/* Solves for the number of workers that do wait. s/n grows with n, so those who
   wait are the last ones, and each n below the right one shows another. */
static void solve_waiting(struct umr *umr, unsigned rounds)
{
    size_t low = 1;
    size_t high = umr->star->workers->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        solve(umr, rounds, middle);
        if (another_waits(umr)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    solve(umr, rounds, low);
}

/* Computes all chunks and T. Result: whether these chunks are a schedule: all
   more than nothing. */
static bool try_rounds(struct umr *umr, unsigned rounds)
{
    bool good;

    solve_waiting(umr, rounds);
    good = mpq_sgn(umr->chunk[0]) > 0 && mpq_sgn(umr->least) > 0;
    for (unsigned j = 1; good && j < rounds; ++j) {
        mpq_mul(umr->chunk[j], umr->chunk[j - 1], umr->ratio);
        mpq_add(umr->chunk[j], umr->chunk[j], umr->extra);
        good = mpq_sgn(umr->chunk[j]) > 0;
    }
    return good;
}

/* Sets what worker P - k gets in the last round. */
static void set_last(mpq_t units, const struct umr *umr, size_t k)
{
    mpq_t sum;

    mpq_init(sum);
    if (k < umr->waiting) {
        set_power(units, umr, k);
        mpq_mul(sum, umr->g, umr->least);
        mpq_add(sum, sum, umr->startup);
        mpq_mul(sum, sum, units);
        mpq_sub(sum, sum, umr->startup);
        mpq_div(units, sum, umr->g);
    } else {
        mpq_set_ui(sum, k, 1);
        mpq_mul(sum, sum, umr->first);
        mpq_div(sum, sum, umr->w);
        mpq_add(units, sum, umr->least);
    }
    mpq_clear(sum);
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
        set_last(papers_plan_add(plan, i), umr, workers - 1 - i);
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
