/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/results.h"

#include "qemu/theory/simplex.h"
#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of the programmes' tables that a search from a pair computes. */
#define STEPS_MAX 2000000

struct problem {
    const struct theory_workers *workers;
    quad ratio;
    size_t count;
    struct theory_simplex simplex;
    size_t steps_max; /* of it */
    struct theory_collection trial;
};

static quad send_of(const struct problem *problem, size_t worker)
{
    return problem->workers->numbers[worker][THEORY_TRANSFER];
}

static quad compute_of(const struct problem *problem, size_t worker)
{
    return problem->workers->numbers[worker][THEORY_COMPUTE];
}

static void init(struct theory_collection *pair, size_t count)
{
    *pair = (struct theory_collection){0};
    pair->sent = memory_or_exit(calloc(count, sizeof *pair->sent));
    pair->collected = memory_or_exit(calloc(count, sizeof *pair->collected));
    pair->share = memory_or_exit(calloc(count, sizeof *pair->share));
    pair->idle = memory_or_exit(calloc(count, sizeof *pair->idle));
}

static void clear(struct theory_collection *pair)
{
    free(pair->sent);
    free(pair->collected);
    free(pair->share);
    free(pair->idle);
}

static void copy(struct theory_collection *to,
                 const struct theory_collection *from, size_t count)
{
    memcpy(to->sent, from->sent, count * sizeof *to->sent);
    memcpy(to->collected, from->collected, count * sizeof *to->collected);
    memcpy(to->share, from->share, count * sizeof *to->share);
    to->units = from->units;
    to->computing = from->computing;
}

/* ---- one pair ---- */

/* Sets the time of all before `worker` is done, all that is sent up to it and
   collected from it on, a column a worker. */
static void set_limit(struct problem *problem, size_t worker)
{
    quad *row = theory_simplex_row(&problem->simplex, worker);
    size_t place = 0;

    memset(row, 0, problem->count * sizeof *row);
    do {
        size_t other = problem->trial.sent[place];

        row[other] = send_of(problem, other);
    } while (problem->trial.sent[place++] != worker);
    row[worker] += compute_of(problem, worker);
    place = problem->count;
    do {
        size_t other = problem->trial.collected[--place];

        row[other] += send_of(problem, other) * problem->ratio;
    } while (problem->trial.collected[place] != worker);
    row[problem->count] = 1;
}

/* Solves the programme of the trial's orders: most units in a time of 1, and of
   these plans the least computing. No units: the steps are too few. */
static void solve(struct problem *problem)
{
    size_t count = problem->count;
    quad *link = theory_simplex_row(&problem->simplex, count);
    quad *units = theory_simplex_row(&problem->simplex, count + 1);
    quad *computing = theory_simplex_row(&problem->simplex, count + 2);

    for (size_t i = 0; i < count; ++i) {
        set_limit(problem, i);
        link[i] = send_of(problem, i) * (1 + problem->ratio);
        units[i] = -1;
        computing[i] = compute_of(problem, i);
    }
    link[count] = 1;
    units[count] = computing[count] = 0;
    problem->trial.units = 0;
    if (theory_simplex_solve(&problem->simplex, problem->steps_max)) {
        problem->trial.units = units[count];
        problem->trial.computing = -computing[count];
    }
}

/* Keeps the trial if it is better. Result: whether it is. */
static bool judge(struct theory_collection *best, struct problem *problem)
{
    int order;

    solve(problem);
    order = theory_number_compare(problem->trial.units, best->units);
    if (order == 0) {
        order =
            theory_number_compare(best->computing, problem->trial.computing);
    }
    if (order > 0) {
        theory_simplex_values(&problem->simplex, problem->trial.share);
        copy(best, &problem->trial, problem->count);
    }
    return order > 0;
}

/* ---- all pairs ---- */

static void first_order(size_t *order, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        order[i] = i;
    }
}

/* Writes an order turned round. */
static void turn(size_t *to, const size_t *order, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        to[i] = order[count - 1 - i];
    }
}

static void swap(size_t *one, size_t *other)
{
    size_t kept = *one;

    *one = *other;
    *other = kept;
}

/* The next order as words are sorted. Result: whether there is one. */
static bool next_order(size_t *order, size_t count)
{
    size_t rise = count - 1;
    size_t above = count - 1;

    while (rise > 0 && order[rise - 1] > order[rise]) {
        rise -= 1;
    }
    if (rise == 0) {
        return false;
    }
    while (order[above] < order[rise - 1]) {
        above -= 1;
    }
    swap(&order[above], &order[rise - 1]);
    for (size_t end = count - 1; rise < end; ++rise, --end) {
        swap(&order[rise], &order[end]);
    }
    return true;
}

enum pairs {
    ALL,
    SAME,   /* FIFO: orders of collecting as of sending */
    TURNED, /* LIFO */
};

static void try_pairs(struct theory_collection *best, struct problem *problem,
                      enum pairs pairs)
{
    size_t count = problem->count;
    struct theory_collection *trial = &problem->trial;

    first_order(trial->sent, count);
    do {
        if (pairs == ALL) {
            first_order(trial->collected, count);
        } else if (pairs == SAME) {
            memcpy(trial->collected, trial->sent, count * sizeof *trial->sent);
        } else {
            turn(trial->collected, trial->sent, count);
        }
        do {
            (void)judge(best, problem);
        } while (pairs == ALL && next_order(trial->collected, count));
    } while (next_order(trial->sent, count));
}

/* ---- LIFO and FIFO of more workers ---- */

/* Sorts the order of sending by rising C, then by rising E, then as in the
   file. */
static void sort(struct theory_collection *pair, const struct problem *problem)
{
    for (size_t i = 0; i < problem->count; ++i) {
        size_t place = i;

        for (; place > 0; --place) {
            size_t other = pair->sent[place - 1];
            int order = theory_number_compare(send_of(problem, other),
                                              send_of(problem, i));

            if (order < 0 || (order == 0 && compute_of(problem, other) <=
                                                compute_of(problem, i))) {
                break;
            }
            pair->sent[place] = other;
        }
        pair->sent[place] = i;
    }
}

static void add_share(struct theory_collection *pair,
                      const struct problem *problem, size_t worker, quad share)
{
    pair->share[worker] = share;
    pair->units += share;
    pair->computing += share * compute_of(problem, worker);
}

/* Nobody idles: a_i (g_i + E_i) is what was left for the worker, g = (1 +
   ratio) C, and what it computes is left for the next. */
static void set_lifo(struct theory_collection *pair,
                     const struct problem *problem)
{
    quad left = 1;

    sort(pair, problem);
    turn(pair->collected, pair->sent, problem->count);
    for (size_t i = 0; i < problem->count; ++i) {
        size_t worker = pair->sent[i];
        quad compute = compute_of(problem, worker);
        quad share =
            left / ((1 + problem->ratio) * send_of(problem, worker) + compute);

        add_share(pair, problem, worker, share);
        left = share * compute;
    }
}

/* FIFO, the first of whose workers take part. */
struct fifo {
    const struct problem *problem;
    const size_t *sent;
    quad there, back; /* transfers of a unit are that many times C */
    size_t takers;
    quad first, last; /* shares of the first and of the last one */
    quad units;
};

/* What a worker gets for each unit of its predecessor if neither idles. */
static quad step_of(const struct fifo *fifo, size_t i)
{
    const struct problem *problem = fifo->problem;
    size_t from = fifo->sent[i - 1];
    size_t to = fifo->sent[i];

    return (compute_of(problem, from) + fifo->back * send_of(problem, from)) /
           (compute_of(problem, to) + fifo->there * send_of(problem, to));
}

/*
 * Finds how many are best. With shares u_i for a first one of 1 nobody idles;
 * it gets 1 / (there C + E + back sum of C u). If the link is too short for
 * that, it is full: the first one does not wait, and the last one gets what the
 * link still takes.
 */
static void choose_takers(struct fifo *fifo)
{
    const struct problem *problem = fifo->problem;
    quad first = compute_of(problem, fifo->sent[0]) +
                 fifo->there * send_of(problem, fifo->sent[0]);
    quad room = 1 / (fifo->there + fifo->back); /* sum of C a of a full link */
    quad link = 0;                              /* sum of C u */
    quad units = 0;                             /* sum of u */
    quad u = 1;
    bool full = false;

    for (size_t i = 0; i < problem->count && !full; ++i) {
        quad send = send_of(problem, fifo->sent[i]);
        quad got, last;

        u *= i == 0 ? 1 : step_of(fifo, i);
        got = 1 / (first + fifo->back * (link + send * u));
        last = got * u;
        full = got * (link + send * u) > room;
        if (full) {
            got = (1 - fifo->back * room) / first;
            last = (room - got * link) / send;
        }
        if (got * units + last > fifo->units) {
            fifo->units = got * units + last;
            fifo->takers = i + 1;
            fifo->first = i == 0 ? last : got;
            fifo->last = last;
        }
        link += send * u;
        units += u;
    }
}

/* With a ratio of more than 1 collecting is the dearer way: this is the
   schedule of the inverse ratio backward in time. */
static void set_fifo(struct theory_collection *pair,
                     const struct problem *problem)
{
    size_t count = problem->count;
    struct fifo fifo = {.problem = problem,
                        .sent = pair->collected,
                        .there = quad_max(1, problem->ratio),
                        .back = -quad_max(-1, -problem->ratio)};
    quad share;

    sort(pair, problem);
    memcpy(pair->collected, pair->sent, count * sizeof *pair->sent);
    choose_takers(&fifo);
    share = fifo.first;
    for (size_t i = 0; i < fifo.takers; ++i) {
        if (i > 0) {
            share *= step_of(&fifo, i);
        }
        add_share(pair, problem, fifo.sent[i],
                  i + 1 == fifo.takers ? fifo.last : share);
    }
    if (problem->ratio > 1) {
        turn(pair->sent, fifo.sent, count);
        memcpy(pair->collected, pair->sent, count * sizeof *pair->sent);
    }
}

/* ---- search ---- */

/* Moves a worker to another place of an order. */
static void move(size_t *order, size_t from, size_t to)
{
    size_t worker = order[from];

    for (; from < to; ++from) {
        order[from] = order[from + 1];
    }
    for (; from > to; --from) {
        order[from] = order[from - 1];
    }
    order[to] = worker;
}

/* Tries a worker at all places of an order. Result: whether one is better,
   where it stays. */
static bool move_one(struct theory_collection *best, struct problem *problem,
                     size_t *order, size_t worker)
{
    bool better = false;
    size_t place = 0;

    while (order[place] != worker) {
        place += 1;
    }
    for (size_t to = 0; to < problem->count; ++to) {
        if (to == place || problem->simplex.steps >= problem->steps_max) {
            continue;
        }
        move(order, place, to);
        if (judge(best, problem)) {
            better = true;
            place = to;
        } else {
            move(order, to, place);
        }
    }
    return better;
}

/* Searches from a pair on. */
static void search(struct theory_collection *best, struct problem *problem,
                   const struct theory_collection *from)
{
    struct theory_collection here;
    bool better = true;

    init(&here, problem->count);
    problem->simplex.steps = 0;
    copy(&problem->trial, from, problem->count);
    (void)judge(&here, problem);
    while (better) {
        better = false;
        for (size_t i = 0; i < problem->count; ++i) {
            better |= move_one(&here, problem, problem->trial.sent, i);
            better |= move_one(&here, problem, problem->trial.collected, i);
        }
    }
    if (theory_number_compare(here.units, best->units) > 0) {
        copy(best, &here, problem->count);
    }
    clear(&here);
}

/* ---- results ---- */

/* Leaves those in an order who get something. Result: their number. */
static size_t thin(size_t *order, const struct theory_collection *of,
                   size_t count)
{
    size_t takers = 0;

    for (size_t i = 0; i < count; ++i) {
        if (of->share[order[i]] > 0) {
            order[takers] = order[i];
            takers += 1;
        }
    }
    return takers;
}

/* Scales a pair to the load, and sets who waits how long. */
static void finish(struct theory_collection *of, const struct problem *problem,
                   quad load)
{
    quad clock = 0;

    of->makespan = load / of->units;
    of->takers = thin(of->sent, of, problem->count);
    (void)thin(of->collected, of, problem->count);
    for (size_t i = 0; i < of->takers; ++i) {
        size_t worker = of->sent[i];

        of->share[worker] *= of->makespan;
        clock += send_of(problem, worker) * of->share[worker];
        of->idle[worker] =
            clock + compute_of(problem, worker) * of->share[worker];
    }
    clock = of->makespan - clock * problem->ratio;
    for (size_t i = 0; i < of->takers; ++i) {
        size_t worker = of->collected[i];

        of->idle[worker] =
            quad_max(0, theory_number_minus(clock, of->idle[worker]));
        clock += problem->ratio * send_of(problem, worker) * of->share[worker];
    }
}

/* Sets all three, in a time of 1. */
static void set_all(struct theory_results *results, struct problem *problem)
{
    size_t count = problem->count;

    if (results->exact) {
        try_pairs(&results->lifo, problem, TURNED);
        try_pairs(&results->fifo, problem, SAME);
        try_pairs(&results->optimal, problem, ALL);
        return;
    }
    set_lifo(&results->lifo, problem);
    set_fifo(&results->fifo, problem);
    copy(&results->optimal,
         theory_number_compare(results->lifo.units, results->fifo.units) > 0
             ? &results->lifo
             : &results->fifo,
         count);
    if (count * count * count < STEPS_MAX) {
        search(&results->optimal, problem, &results->fifo);
        search(&results->optimal, problem, &results->lifo);
    }
}

void theory_results(struct theory_results *results,
                    const struct theory_workers *workers, quad load, quad ratio)
{
    struct theory_collection *const all[] = {&results->lifo, &results->fifo,
                                             &results->optimal};
    size_t count = workers->count;
    struct problem problem = {
        .workers = workers, .ratio = ratio, .count = count};

    results->exact = count <= THEORY_PAIRS_MAX;
    problem.steps_max = results->exact ? SIZE_MAX : STEPS_MAX;
    init(&problem.trial, count);
    theory_simplex_init(&problem.simplex, count, count + 1);
    for (unsigned i = 0; i < 3; ++i) {
        init(all[i], count);
    }
    set_all(results, &problem);
    for (unsigned i = 0; i < 3; ++i) {
        finish(all[i], &problem, load);
    }
    theory_simplex_free(&problem.simplex);
    clear(&problem.trial);
}

void theory_results_free(struct theory_results *results)
{
    clear(&results->optimal);
    clear(&results->fifo);
    clear(&results->lifo);
}
