/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/results.h"

#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* STEPS_MAX: most table entries that a search from one pair of orders may
   compute. SEARCH_MAX: most workers of a search; SEARCH_MAX^3 is below
   STEPS_MAX. */
#define STEPS_MAX 2000000
#define SEARCH_MAX 125

/* A linear programme in variables x >= 0, solved by the simplex method. It
   maximises objective[0] . x and, among all maxima, objective[1] . x. For each
   row of the table, row . x is at most the row's limit, which is 0 or more.
   Each variable has such a limit. The table's last column holds the limits. Two
   more rows hold the objectives' negated coefficients, in solved tables also
   their values. */
struct simplex {
    size_t variables;
    /* number of rows with limits; two rows of objectives follow */
    size_t limits;
    quad table[SEARCH_MAX + 3][SEARCH_MAX + 1];
    /* index of each row's variable; slack variables last */
    size_t row_of[SEARCH_MAX + 1];
    size_t column_of[SEARCH_MAX];
    size_t steps; /* number of table entries computed so far */
    size_t steps_max;
};

struct problem {
    const struct theory_workers *workers;
    quad ratio;
    size_t count;
    struct theory_collection trial;
    struct simplex simplex;
};

static quad send_of(const struct problem *problem, size_t worker)
{
    return problem->workers->numbers[worker][THEORY_TRANSFER];
}

static quad compute_of(const struct problem *problem, size_t worker)
{
    return problem->workers->numbers[worker][THEORY_COMPUTE];
}

/* ---- linear programmes ---- */

/* Returns the column of a variable whose growth improves the objective: the
   first one, or if `steepest` the one that improves it most for each unit.
   Returns `variables` if there is none. */
static size_t entering(const struct simplex *simplex, bool steepest)
{
    const quad *first = simplex->table[simplex->limits];
    const quad *second = simplex->table[simplex->limits + 1];
    size_t best = simplex->variables;

    for (size_t j = 0; j < simplex->variables; ++j) {
        bool improves = first[j] < 0 || (first[j] == 0 && second[j] < 0);

        if (improves &&
            (best == simplex->variables ||
             (steepest ? first[j] < first[best]
                       : simplex->column_of[j] < simplex->column_of[best]))) {
            best = j;
        }
    }
    return best;
}

/* Returns the row whose limit is reached first when the column's variable
   grows. Of equal rows, returns that of the first variable. */
static size_t leaving(const struct simplex *simplex, size_t column)
{
    size_t best = simplex->limits;
    quad least = 0;

    for (size_t i = 0; i < simplex->limits; ++i) {
        const quad *row = simplex->table[i];
        quad most = row[simplex->variables] / row[column];
        int order =
            best == simplex->limits ? -1 : theory_number_compare(most, least);

        if (row[column] > 0 &&
            (order < 0 ||
             (order == 0 && simplex->row_of[i] < simplex->row_of[best]))) {
            best = i;
            least = most;
        }
    }
    return best;
}

/* Swaps a row's variable with a column's variable. Values that rounding leaves
   near 0 become 0, since signs decide the next steps. */
static void pivot(struct simplex *simplex, size_t row, size_t column)
{
    quad *with = simplex->table[row];
    size_t variable = simplex->row_of[row];
    quad entry = with[column];

    with[column] = 1;
    for (size_t j = 0; j <= simplex->variables; ++j) {
        with[j] /= entry;
    }
    for (size_t i = 0; i < simplex->limits + 2; ++i) {
        quad *of = simplex->table[i];
        quad factor = of[column];

        if (i == row || factor == 0) {
            continue;
        }
        of[column] = 0;
        for (size_t j = 0; j <= simplex->variables; ++j) {
            of[j] = theory_number_minus(of[j], factor * with[j]);
        }
        simplex->steps += simplex->variables + 1;
    }
    simplex->row_of[row] = simplex->column_of[column];
    simplex->column_of[column] = variable;
}

/* Solves the linear programme; Bland's rule ensures that it ends. Returns
   false, without a solution, if `steps` exceeds `steps_max`. */
static bool simplex_solve(struct simplex *simplex)
{
    for (size_t i = 0; i < simplex->limits; ++i) {
        simplex->row_of[i] = simplex->variables + i;
    }
    for (size_t j = 0; j < simplex->variables; ++j) {
        simplex->column_of[j] = j;
    }
    for (size_t i = 0; simplex->steps <= simplex->steps_max; ++i) {
        size_t column = entering(simplex, i < 4 * simplex->variables);
        size_t row;

        if (column == simplex->variables) {
            return true;
        }
        row = leaving(simplex, column);
        if (row == simplex->limits) {
            break; /* rounding: no row limits this variable */
        }
        pivot(simplex, row, column);
    }
    return false;
}

static void simplex_values(const struct simplex *simplex, quad *values)
{
    memset(values, 0, simplex->variables * sizeof *values);
    for (size_t i = 0; i < simplex->limits; ++i) {
        if (simplex->row_of[i] < simplex->variables) {
            values[simplex->row_of[i]] = simplex->table[i][simplex->variables];
        }
    }
}

/* ---- one pair ---- */

/* Sets a worker's row of the linear programme: the time of all sends up to its
   own, its computing, and all collections from its own on. */
static void set_limit(struct problem *problem, size_t worker)
{
    quad *row = problem->simplex.table[worker];
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

/* Solves the linear programme for the trial's orders of sending and collecting:
   the most units in a time of 1, then the least computing. The trial has no
   units if STEPS_MAX steps are too few. */
static void solve(struct problem *problem)
{
    size_t count = problem->count;
    quad *link = problem->simplex.table[count];
    quad *units = problem->simplex.table[count + 1];
    quad *computing = problem->simplex.table[count + 2];

    for (size_t i = 0; i < count; ++i) {
        set_limit(problem, i);
        link[i] = send_of(problem, i) * (1 + problem->ratio);
        units[i] = -1;
        computing[i] = compute_of(problem, i);
    }
    link[count] = 1;
    units[count] = computing[count] = 0;
    problem->trial.units = 0;
    if (simplex_solve(&problem->simplex)) {
        problem->trial.units = units[count];
        problem->trial.computing = -computing[count];
    }
}

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
        simplex_values(&problem->simplex, problem->trial.share);
        *best = problem->trial;
    }
    return order > 0;
}

/* ---- all pairs ---- */

static void turn(size_t *to, const size_t *order, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        to[i] = order[count - 1 - i];
    }
}

enum pairs {
    ALL,
    SAME,   /* FIFO: results are collected in the order of sending */
    TURNED, /* LIFO: results are collected in the reverse order */
};

static void try_pairs(struct theory_collection *best, struct problem *problem,
                      enum pairs pairs)
{
    size_t count = problem->count;
    struct theory_collection *trial = &problem->trial;

    theory_order_first(trial->sent, count);
    do {
        if (pairs == ALL) {
            theory_order_first(trial->collected, count);
        } else if (pairs == SAME) {
            memcpy(trial->collected, trial->sent, count * sizeof *trial->sent);
        } else {
            turn(trial->collected, trial->sent, count);
        }
        do {
            (void)judge(best, problem);
        } while (pairs == ALL &&
                 theory_order_next(trial->collected, count) < count);
    } while (theory_order_next(trial->sent, count) < count);
}

/* ---- LIFO and FIFO of more workers ---- */

/* Sorts workers into the order of sending: by rising transfer time of a unit,
   then by rising compute time, then as in the file. */
static void sort(struct theory_collection *pair, const struct problem *problem)
{
    struct theory_key keys[THEORY_WORKERS_MAX];

    for (size_t i = 0; i < problem->count; ++i) {
        keys[i] =
            (struct theory_key){send_of(problem, i), compute_of(problem, i), i};
    }
    theory_keys_sort(keys, problem->count);
    for (size_t i = 0; i < problem->count; ++i) {
        pair->sent[i] = keys[i].worker;
    }
}

static void add_share(struct theory_collection *pair,
                      const struct problem *problem, size_t worker, quad share)
{
    pair->share[worker] = share;
    pair->units += share;
    pair->computing += share * compute_of(problem, worker);
}

/* Sets the plan in which the worker served last returns its results first, and
   no worker idles. A worker's sending, computing and collecting fill the time
   left; its computing time is the time left for the next worker. */
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

/* A plan in which workers return results in the order of sending (FIFO). Only
   the first `takers` of the order get units. */
struct fifo {
    const struct problem *problem;
    const size_t *sent;
    /* transfer time of a unit there and back, as multiples of
       THEORY_TRANSFER */
    quad there, back;
    size_t takers;
    quad first, last; /* shares of the first and the last worker */
    quad units;
};

/* Returns how many units worker `i` of the order gets for each unit of the
   worker before it, if neither idles. */
static quad step_of(const struct fifo *fifo, size_t i)
{
    const struct problem *problem = fifo->problem;
    size_t from = fifo->sent[i - 1];
    size_t to = fifo->sent[i];

    return (compute_of(problem, from) + fifo->back * send_of(problem, from)) /
           (compute_of(problem, to) + fifo->there * send_of(problem, to));
}

/* Finds the number of workers with which the FIFO plan is best. C and E are a
   unit's transfer and compute time (results.h); data take `there` C, results
   `back` C. If nobody idles, worker i gets u_i times as many units as the
   first, and the first gets 1 / (there C_1 + E_1 + back sum of C u). If the
   link cannot carry that, it is full: the first worker does not wait, and the
   last one gets what the link can still carry. */
static void choose_takers(struct fifo *fifo)
{
    const struct problem *problem = fifo->problem;
    quad first = compute_of(problem, fifo->sent[0]) +
                 fifo->there * send_of(problem, fifo->sent[0]);
    /* most C times units that the link can carry */
    quad room = 1 / (fifo->there + fifo->back);
    quad link = 0;  /* sum of C u over the workers so far */
    quad units = 0; /* sum of u over the workers so far */
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

/* Sets the FIFO plan. If a unit gives more than one unit of results, collecting
   is the longer transfer. The plan is then that of the inverse ratio, run
   backward in time. */
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

/* Tries a worker at all places of an order, and leaves it at the best place.
   Returns whether that improved the plan. */
static bool move_one(struct theory_collection *best, struct problem *problem,
                     size_t *order, size_t worker)
{
    bool better = false;
    size_t place = 0;

    while (order[place] != worker) {
        place += 1;
    }
    for (size_t to = 0; to < problem->count; ++to) {
        if (to == place ||
            problem->simplex.steps >= problem->simplex.steps_max) {
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

/* Moves single workers in the orders of sending and of collecting, as long as
   the plan improves. */
static void search(struct theory_collection *best, struct problem *problem,
                   const struct theory_collection *from)
{
    struct theory_collection here = {0};
    bool better = true;

    problem->simplex.steps = 0;
    problem->trial = *from;
    (void)judge(&here, problem);
    while (better) {
        better = false;
        for (size_t i = 0; i < problem->count; ++i) {
            better |= move_one(&here, problem, problem->trial.sent, i);
            better |= move_one(&here, problem, problem->trial.collected, i);
        }
    }
    if (theory_number_compare(here.units, best->units) > 0) {
        *best = here;
    }
}

/* ---- results ---- */

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

/* Scales a plan from a time of 1 to the load, and sets how long each worker
   waits. */
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

static void set_all(struct theory_results *results, struct problem *problem)
{
    if (results->exact) {
        try_pairs(&results->lifo, problem, TURNED);
        try_pairs(&results->fifo, problem, SAME);
        try_pairs(&results->optimal, problem, ALL);
        return;
    }
    set_lifo(&results->lifo, problem);
    set_fifo(&results->fifo, problem);
    results->optimal =
        theory_number_compare(results->lifo.units, results->fifo.units) > 0
            ? results->lifo
            : results->fifo;
    if (problem->count <= SEARCH_MAX) {
        search(&results->optimal, problem, &results->fifo);
        search(&results->optimal, problem, &results->lifo);
    }
}

struct theory_results *theory_results(const struct theory_workers *workers,
                                      quad load, quad ratio)
{
    struct theory_results *results = memory_or_exit(calloc(1, sizeof *results));
    size_t count = workers->count;
    struct problem *problem = memory_or_exit(calloc(1, sizeof *problem));

    results->exact = count <= THEORY_PAIRS_MAX;
    problem->workers = workers;
    problem->ratio = ratio;
    problem->count = problem->simplex.variables = count;
    problem->simplex.limits = count + 1;
    problem->simplex.steps_max = results->exact ? SIZE_MAX : STEPS_MAX;
    set_all(results, problem);
    finish(&results->lifo, problem, load);
    finish(&results->fifo, problem, load);
    finish(&results->optimal, problem, load);
    free(problem);
    return results;
}
