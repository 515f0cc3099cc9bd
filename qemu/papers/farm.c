/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/farm.h"

#include "qemu/papers/number.h"
#include "qemu/support/memory.h"

#include <math.h>
#include <stdlib.h>

/* Times are whole numbers of a common part of all t. */
struct hand_out {
    struct papers_farm *farm;
    mpq_srcptr factor;
    uint64_t left;
    mpz_t part;     /* parts in a unit of time */
    mpz_t *time;    /* of each worker for a unit */
    mpz_t *free;    /* when each worker is done with what it has */
    bool *done;     /* who asks no more */
    mpq_t *fitness; /* F_i / k */
    mpz_t count, sum;
};

static mpz_t *integers_new(size_t count)
{
    mpz_t *integers = memory_or_exit(malloc(count * sizeof *integers));

    for (size_t i = 0; i < count; ++i) {
        mpz_init(integers[i]);
    }
    return integers;
}

static void integers_free(mpz_t *integers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        mpz_clear(integers[i]);
    }
    free(integers);
}

/* Sets the sum of 1/t. */
static void set_rate(mpq_t rate, const struct papers_workers *workers)
{
    mpq_t one;

    mpq_init(one);
    mpq_set_ui(rate, 0, 1);
    for (size_t i = 0; i < workers->count; ++i) {
        mpq_inv(one, papers_workers_at(workers, i, 0));
        mpq_add(rate, rate, one);
    }
    mpq_clear(one);
}

static void hand_out_init(struct hand_out *out,
                          const struct papers_workers *workers)
{
    size_t count = workers->count;
    mpq_t rate;

    mpz_inits(out->count, out->sum, NULL);
    mpz_init_set_ui(out->part, 1);
    out->time = integers_new(count);
    out->free = integers_new(count);
    out->done = memory_or_exit(calloc(count, sizeof *out->done));
    out->fitness = papers_numbers_new(count);
    mpq_init(rate);
    set_rate(rate, workers);
    mpq_set_ui(out->farm->bound, out->left, 1);
    mpq_div(out->farm->bound, out->farm->bound, rate);
    mpq_mul(rate, rate, out->factor);
    for (size_t i = 0; i < count; ++i) {
        mpq_srcptr time = papers_workers_at(workers, i, 0);

        mpz_lcm(out->part, out->part, mpq_denref(time));
        mpq_mul(out->fitness[i], time, rate);
        mpq_inv(out->fitness[i], out->fitness[i]);
    }
    for (size_t i = 0; i < count; ++i) {
        mpq_srcptr time = papers_workers_at(workers, i, 0);

        mpz_divexact(out->time[i], out->part, mpq_denref(time));
        mpz_mul(out->time[i], out->time[i], mpq_numref(time));
    }
    mpq_clear(rate);
}

static void hand_out_free(struct hand_out *out)
{
    size_t count = out->farm->workers;

    mpz_clears(out->part, out->count, out->sum, NULL);
    integers_free(out->time, count);
    integers_free(out->free, count);
    free(out->done);
    papers_numbers_free(out->fitness, count);
}

/* floor(units * F / k + 1/2), at most what is left. */
static uint64_t chunk_of(struct hand_out *out, size_t worker, uint64_t units)
{
    mpq_srcptr fitness = out->fitness[worker];

    mpz_mul_ui(out->count, mpq_numref(fitness), units);
    mpz_mul_2exp(out->count, out->count, 1);
    mpz_add(out->count, out->count, mpq_denref(fitness));
    mpz_mul_2exp(out->sum, mpq_denref(fitness), 1);
    mpz_fdiv_q(out->count, out->count, out->sum);
    return mpz_cmp_ui(out->count, out->left) > 0 ? out->left
                                                 : mpz_get_ui(out->count);
}

/* Adds the units that another worker would complete before `worker` completes
   its next one, at `end`; ties to the first. */
static void add_before(struct hand_out *out, size_t worker, size_t other,
                       const mpz_t end)
{
    mpz_sub(out->count, end, out->free[other]);
    if (other > worker) {
        mpz_sub_ui(out->count, out->count, 1);
    }
    if (mpz_sgn(out->count) > 0) {
        mpz_fdiv_q(out->count, out->count, out->time[other]);
        mpz_add(out->sum, out->sum, out->count);
    }
}

/* Whether a worker's next unit is among the first that could be completed of
   those that are left: whether all others complete fewer before. */
static bool is_early(struct hand_out *out, size_t worker)
{
    bool early = true;
    mpz_t end;

    mpz_init(end);
    mpz_add(end, out->free[worker], out->time[worker]);
    mpz_set_ui(out->sum, 0);
    for (size_t other = 0; early && other < out->farm->workers; ++other) {
        if (other != worker && !out->done[other]) {
            add_before(out, worker, other, end);
            early = mpz_cmp_ui(out->sum, out->left) < 0;
        }
    }
    mpz_clear(end);
    return early;
}

/* Gives a worker so many units. Result: whether there is room to note it. */
static bool give(struct hand_out *out, size_t worker, uint64_t units)
{
    struct papers_farm *farm = out->farm;

    if (farm->chunks == PAPERS_CHUNKS_MAX) {
        return false;
    }
    farm->worker[farm->chunks] = worker;
    farm->units[farm->chunks] = units;
    farm->chunks += 1;
    out->left -= units;
    mpz_addmul_ui(out->free[worker], out->time[worker], units);
    return true;
}

/* The first of those who have done what they had; `workers`: nobody asks. */
static size_t next_worker(const struct hand_out *out)
{
    size_t first = out->farm->workers;

    for (size_t i = 0; i < out->farm->workers; ++i) {
        if (!out->done[i] && (first == out->farm->workers ||
                              mpz_cmp(out->free[i], out->free[first]) < 0)) {
            first = i;
        }
    }
    return first;
}

/* A worker asks; `units` is the S of its chunk. */
static bool serve(struct hand_out *out, size_t worker, uint64_t units)
{
    uint64_t chunk = chunk_of(out, worker, units);

    if (chunk == 0 && out->left > 0 && is_early(out, worker)) {
        chunk = 1;
    }
    if (chunk == 0) {
        out->done[worker] = true;
        return true;
    }
    return give(out, worker, chunk);
}

static void set_ends(struct hand_out *out)
{
    struct papers_farm *farm = out->farm;

    for (size_t i = 0; i < farm->workers; ++i) {
        mpz_set(mpq_numref(farm->ends[i]), out->free[i]);
        mpz_set(mpq_denref(farm->ends[i]), out->part);
        mpq_canonicalize(farm->ends[i]);
        if (mpq_cmp(farm->ends[i], farm->makespan) > 0) {
            mpq_set(farm->makespan, farm->ends[i]);
        }
    }
}

bool papers_farm(struct papers_farm *farm, const struct papers_workers *workers,
                 uint64_t load, mpq_srcptr factor)
{
    struct hand_out out = {.farm = farm, .factor = factor, .left = load};
    bool good = true;

    *farm = (struct papers_farm){.workers = workers->count};
    farm->worker =
        memory_or_exit(malloc(PAPERS_CHUNKS_MAX * sizeof *farm->worker));
    farm->units =
        memory_or_exit(malloc(PAPERS_CHUNKS_MAX * sizeof *farm->units));
    farm->ends = papers_numbers_new(workers->count);
    mpq_inits(farm->makespan, farm->bound, NULL);
    hand_out_init(&out, workers);
    for (size_t i = 0; i < farm->workers; ++i) {
        good = good && serve(&out, i, load);
    }
    while (good && out.left > 0) {
        size_t worker = next_worker(&out);

        good = serve(&out, worker, out.left);
    }
    set_ends(&out);
    hand_out_free(&out);
    return good;
}

void papers_farm_free(struct papers_farm *farm)
{
    free(farm->worker);
    free(farm->units);
    papers_numbers_free(farm->ends, farm->workers);
    mpq_clears(farm->makespan, farm->bound, NULL);
}

void papers_farm_factor(mpq_t factor, const struct papers_workers *workers,
                        uint64_t load)
{
    double count = (double)workers->count;
    double mean = 0;
    double squares = 0;
    double k;

    for (size_t i = 0; i < workers->count; ++i) {
        mean += mpq_get_d(papers_workers_at(workers, i, 0)) / count;
    }
    for (size_t i = 0; i < workers->count; ++i) {
        double off = mpq_get_d(papers_workers_at(workers, i, 0)) - mean;

        squares += off * off / count;
    }
    k = pow(log((double)load), sqrt(squares) / mean);
    mpq_set_d(factor, k > 1 ? k : 1);
}
