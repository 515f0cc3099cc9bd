/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/results.h"

#include "qemu/papers/simplex.h"

#include <stdlib.h>
#include <string.h>

#define MAX PAPERS_RESULTS_MAX

struct problem {
    size_t count;
    mpz_t unit; /* of time: all times below are whole numbers of 1/unit */
    mpz_t send[MAX], compute[MAX], collect[MAX]; /* a unit of the load */
    struct papers_simplex simplex;
    size_t sent[MAX], collected[MAX];
};

/* The best pair of orders so far, and its programme's values in a time of 1. */
struct best {
    bool any;
    size_t sent[MAX], collected[MAX];
    mpq_t units, computing; /* the latter negated */
};

/* Sets `whole` to value * factor * unit. */
static void set_whole(mpz_t whole, mpq_srcptr value, mpq_srcptr factor,
                      const mpz_t unit)
{
    mpq_t product;

    mpq_init(product);
    mpq_mul(product, value, factor);
    mpz_divexact(whole, unit, mpq_denref(product));
    mpz_mul(whole, whole, mpq_numref(product));
    mpq_clear(product);
}

static void problem_init(struct problem *problem,
                         const struct papers_workers *workers, mpq_srcptr ratio)
{
    mpq_t one;

    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    problem->count = workers->count;
    mpz_init_set_ui(problem->unit, 1);
    for (size_t i = 0; i < workers->count; ++i) {
        for (unsigned j = PAPERS_TRANSFER; j <= PAPERS_COMPUTE; ++j) {
            mpz_lcm(problem->unit, problem->unit,
                    mpq_denref(papers_workers_at(workers, i, j)));
        }
    }
    mpz_mul(problem->unit, problem->unit, mpq_denref(ratio));
    for (size_t i = 0; i < workers->count; ++i) {
        mpq_srcptr transfer = papers_workers_at(workers, i, PAPERS_TRANSFER);
        mpq_srcptr compute = papers_workers_at(workers, i, PAPERS_COMPUTE);

        mpz_inits(problem->send[i], problem->compute[i], problem->collect[i],
                  NULL);
        set_whole(problem->send[i], transfer, one, problem->unit);
        set_whole(problem->compute[i], compute, one, problem->unit);
        set_whole(problem->collect[i], transfer, ratio, problem->unit);
    }
    papers_simplex_init(&problem->simplex, (unsigned)workers->count,
                        (unsigned)workers->count + 1);
    mpq_clear(one);
}

static void problem_free(struct problem *problem)
{
    papers_simplex_free(&problem->simplex);
    for (size_t i = 0; i < problem->count; ++i) {
        mpz_clears(problem->send[i], problem->compute[i], problem->collect[i],
                   NULL);
    }
    mpz_clear(problem->unit);
}

/* Sets the time of all before `worker` is done, all that is sent up to it and
   collected from it on, a column a worker. */
static void set_limit(struct problem *problem, size_t worker)
{
    mpz_t *row = problem->simplex.table[worker];
    size_t place = 0;

    for (size_t i = 0; i <= problem->count; ++i) {
        mpz_set_ui(row[i], 0);
    }
    do {
        size_t other = problem->sent[place];

        mpz_set(row[other], problem->send[other]);
    } while (problem->sent[place++] != worker);
    mpz_add(row[worker], row[worker], problem->compute[worker]);
    place = problem->count;
    do {
        size_t other = problem->collected[--place];

        mpz_add(row[other], row[other], problem->collect[other]);
    } while (problem->collected[place] != worker);
    mpz_set(row[problem->count], problem->unit);
}

/* Solves the programme of the problem's orders: most units in a time of 1. */
static void solve(struct problem *problem)
{
    size_t count = problem->count;
    mpz_t *rows[3] = {problem->simplex.table[count],
                      problem->simplex.table[count + 1],
                      problem->simplex.table[count + 2]};

    papers_simplex_begin(&problem->simplex);
    for (size_t i = 0; i < count; ++i) {
        set_limit(problem, i);
        mpz_add(rows[0][i], problem->send[i], problem->collect[i]);
        mpz_set_si(rows[1][i], -1);
        mpz_set(rows[2][i], problem->compute[i]);
    }
    mpz_set(rows[0][count], problem->unit);
    mpz_set_ui(rows[1][count], 0);
    mpz_set_ui(rows[2][count], 0);
    papers_simplex_solve(&problem->simplex);
}

/* A value of the last column over the scale, not reduced: over / scale against
   a number. */
static int compare(const struct problem *problem, unsigned row, mpq_srcptr with)
{
    mpz_srcptr over = problem->simplex.table[row][problem->count];
    int order;
    mpz_t one, other;

    mpz_inits(one, other, NULL);
    mpz_mul(one, over, mpq_denref(with));
    mpz_mul(other, mpq_numref(with), problem->simplex.scale);
    order = mpz_cmp(one, other);
    mpz_clears(one, other, NULL);
    return order;
}

static void set_value(mpq_t value, const struct problem *problem, mpz_srcptr of)
{
    mpz_set(mpq_numref(value), of);
    mpz_set(mpq_denref(value), problem->simplex.scale);
    mpq_canonicalize(value);
}

/* Keeps the solution if it is better. */
static void judge(struct best *best, const struct problem *problem)
{
    unsigned row = (unsigned)problem->count + 1;
    int order = best->any ? compare(problem, row, best->units) : 1;

    if (order == 0) {
        order = compare(problem, row + 1, best->computing);
    }
    if (order > 0) {
        best->any = true;
        memcpy(best->sent, problem->sent, sizeof best->sent);
        memcpy(best->collected, problem->collected, sizeof best->collected);
        set_value(best->units, problem,
                  problem->simplex.table[row][problem->count]);
        set_value(best->computing, problem,
                  problem->simplex.table[row + 1][problem->count]);
    }
}

static void first_order(size_t *order, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        order[i] = i;
    }
}

static void reverse(size_t *order, size_t first, size_t end)
{
    while (first + 1 < end) {
        size_t other = order[first];

        end -= 1;
        order[first] = order[end];
        order[end] = other;
        first += 1;
    }
}

/* The next order as words are sorted. Result: whether there is one. */
static bool next_order(size_t *order, size_t count)
{
    size_t rise = count - 1;
    size_t above = count - 1;
    size_t other;

    while (rise > 0 && order[rise - 1] > order[rise]) {
        rise -= 1;
    }
    if (rise == 0) {
        return false;
    }
    while (order[above] < order[rise - 1]) {
        above -= 1;
    }
    other = order[above];
    order[above] = order[rise - 1];
    order[rise - 1] = other;
    reverse(order, rise, count);
    return true;
}

/* Tries all pairs, or those whose order of collecting is the order of sending,
   perhaps turned round. */
enum pairs {
    ALL,
    SAME,
    TURNED
};

static void try_pairs(struct best *best, struct problem *problem,
                      enum pairs pairs)
{
    size_t count = problem->count;

    best->any = false;
    first_order(problem->sent, count);
    do {
        if (pairs == ALL) {
            first_order(problem->collected, count);
        } else {
            memcpy(problem->collected, problem->sent,
                   sizeof problem->collected);
        }
        if (pairs == TURNED) {
            reverse(problem->collected, 0, count);
        }
        do {
            solve(problem);
            judge(best, problem);
        } while (pairs == ALL && next_order(problem->collected, count));
    } while (next_order(problem->sent, count));
}

/* Sets who waits how long: the slack of the worker's limit. */
static void set_idle(mpq_t idle, const struct problem *problem, size_t worker,
                     mpq_srcptr makespan)
{
    mpz_srcptr slack = papers_simplex_value(
        &problem->simplex, (unsigned)(problem->count + worker));
    mpq_t unit;

    if (slack != NULL) {
        mpq_init(unit);
        mpq_set_z(unit, problem->unit);
        set_value(idle, problem, slack);
        mpq_mul(idle, idle, makespan);
        mpq_div(idle, idle, unit);
        mpq_clear(unit);
    }
}

static void collection_init(struct papers_collection *to)
{
    to->takers = 0;
    mpq_init(to->makespan);
    for (size_t i = 0; i < MAX; ++i) {
        mpq_inits(to->share[i], to->idle[i], NULL);
    }
}

static void collection_free(struct papers_collection *of)
{
    mpq_clear(of->makespan);
    for (size_t i = 0; i < MAX; ++i) {
        mpq_clears(of->share[i], of->idle[i], NULL);
    }
}

/* Writes who gets something, in an order. Result: their number. */
static size_t write_order(size_t *to, const struct papers_collection *of,
                          const size_t *order, size_t count)
{
    size_t takers = 0;

    for (size_t i = 0; i < count; ++i) {
        if (mpq_sgn(of->share[order[i]]) > 0) {
            to[takers] = order[i];
            takers += 1;
        }
    }
    return takers;
}

/* Solves for the best pair again, and scales it to the load. */
static void write_best(struct papers_collection *to, struct problem *problem,
                       const struct best *best, mpq_srcptr load)
{
    size_t count = problem->count;

    memcpy(problem->sent, best->sent, sizeof best->sent);
    memcpy(problem->collected, best->collected, sizeof best->collected);
    solve(problem);
    collection_init(to);
    mpq_div(to->makespan, load, best->units);
    for (size_t i = 0; i < count; ++i) {
        mpz_srcptr share = papers_simplex_value(&problem->simplex, (unsigned)i);

        if (share != NULL && mpz_sgn(share) > 0) {
            set_value(to->share[i], problem, share);
            mpq_mul(to->share[i], to->share[i], to->makespan);
            set_idle(to->idle[i], problem, i, to->makespan);
        }
    }
    to->takers = write_order(to->sent, to, best->sent, count);
    (void)write_order(to->collected, to, best->collected, count);
}

void papers_results(struct papers_results *results,
                    const struct papers_workers *workers, mpq_srcptr load,
                    mpq_srcptr ratio)
{
    struct papers_collection *const to[] = {&results->optimal, &results->fifo,
                                            &results->lifo};
    struct problem problem;
    struct best best;

    problem_init(&problem, workers, ratio);
    mpq_inits(best.units, best.computing, NULL);
    for (enum pairs pairs = ALL; pairs <= TURNED; ++pairs) {
        try_pairs(&best, &problem, pairs);
        write_best(to[pairs], &problem, &best, load);
    }
    mpq_clears(best.units, best.computing, NULL);
    problem_free(&problem);
}

void papers_results_free(struct papers_results *results)
{
    collection_free(&results->optimal);
    collection_free(&results->fifo);
    collection_free(&results->lifo);
}
