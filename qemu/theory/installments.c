/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/star.h"

#include <math.h>

#define PERIODS_MAX 1000000000

/* ---- lines in x ---- */

struct affine {
    quad slope, offset;
};

static void affine_add(struct affine *sum, struct affine of, quad factor)
{
    sum->slope += factor * of.slope;
    sum->offset += factor * of.offset;
}

static quad affine_at(struct affine of, quad x)
{
    return theory_number_minus(of.slope * x, -of.offset);
}

static quad affine_solve(struct affine of, quad value)
{
    return theory_number_minus(value, of.offset) / of.slope;
}

/* ---- a given number of chunks for each worker ---- */

/* The sends of a plan, computed from the last one back. Each chunk is a
   straight line in one unknown x, a number of units. At first x is the last
   chunk, later the largest chunk so far: a chunk that would grow faster than x
   becomes the new x. So no slope exceeds 1, and rounding errors do not grow
   from round to round. */
struct sends {
    const struct theory_star *star;
    size_t order[THEORY_WORKERS_MAX];
    size_t workers;
    size_t count;
    /* time from the begin of the last computed send to the makespan */
    struct affine left;
    struct affine units; /* sum of all computed chunks */
    /* chunk[n]: units of send n, counted from 1, as a line in the unknown x
       that was current before send n. window[n]: these units as a line in the x
       that is current now. */
    struct affine chunk[THEORY_SENDS_MAX + 1];
    struct affine window[THEORY_SENDS_MAX + 1];
};

static const quad *worker_of(const struct sends *sends, size_t n)
{
    return sends->star->workers
        ->numbers[sends->order[(n - 1) % sends->workers]];
}

static struct affine transfer_of(const struct sends *sends, size_t n)
{
    const quad *of = worker_of(sends, n);
    struct affine time = {.offset = of[THEORY_STARTUP]};

    affine_add(&time, sends->window[n], of[THEORY_G]);
    return time;
}

/* Rewrites a line in the unknown x as a line in `chunk`, the new unknown. */
static void express(struct affine *line, struct affine chunk)
{
    line->slope /= chunk.slope;
    line->offset -= line->slope * chunk.offset;
}

/* Sets the chunk of send n, for every n but the last. The worker computes this
   chunk until its next one has come, or until the makespan. */
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

/* Adds all sends to the plan. `x` is the value of the unknown that is current
   at send 1. Returns whether every chunk is more than 0. */
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

bool theory_star_installments(struct theory_star_plan *plan,
                              const struct theory_star *star, unsigned rounds)
{
    size_t workers = star->workers->count;
    struct sends sends = {
        .star = star, .workers = workers, .count = workers * rounds};
    struct affine all;
    quad x;
    bool good;

    theory_star_sort(sends.order, star, 0);
    set_chunks(&sends);
    all = sends.units;
    affine_add(&all, sends.left, star->master_rate);
    x = affine_solve(all, star->load);
    theory_star_plan_init(plan, sends.count);
    plan->rounds = rounds;
    good = add_sends(plan, &sends, x);
    theory_star_plan_finish(plan, star, affine_at(sends.left, x));
    return good;
}

/* ---- uniform rounds ---- */

/* A plan of uniform multi-round chunks for P equal workers (theory_star_umr()),
   with the symbols of Beaumont et al.: a send of a units takes G + g a, and to
   compute them takes W + w a. A worker waits if it has computed all it has
   before its last chunk comes; those that wait are the last ones to be
   served. */
struct umr {
    const struct theory_star *star;
    quad g;       /* transfer time of a unit */
    quad w;       /* compute time of a unit */
    quad startup; /* G: time that a send takes besides */
    quad latency; /* W: time that computing a chunk takes besides */
    quad workers; /* P: number of workers */
    /* w / (P g): a chunk times `ratio`, plus `extra`, is the next round's */
    quad ratio;
    quad extra; /* (W - P G) / (P g) */
    unsigned rounds;
    /* n: number of workers that wait; worker P, served last, counts as one */
    size_t waiting;
    quad growth; /* s: the sum of ((g + w) / w)^k over k = 0 .. n - 1 */
    /* a_j: chunk of round j; in the last round the mean */
    quad chunk[THEORY_INSTALLMENTS_MAX];
    quad first; /* G + g a_0: a send of round 0, with its startup */
    quad least; /* z: units of worker P in the last round */
    quad makespan;
};

/* Returns the next member of the series ((1 + g/w)^k - 1) / g; `more` is the
   member for k. g is a unit's transfer time, w its compute time. */
static quad next_more(const struct umr *umr, quad more)
{
    return more * (umr->g + umr->w) / umr->w + 1 / umr->w;
}

/* Sets each round's chunk as a straight line in the largest chunk: the first or
   the last one. */
static void set_uniform(struct affine *chunk, const struct umr *umr)
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
 * Sets z, the units that worker P (served last) gets in the last round, as a
 * line. The symbols are those of struct umr. Worker P - k began to compute
 * k (G + g a_0) earlier than worker P, and both end together. If it does not
 * wait, it so gets z + k (G + g a_0) / w units. If it waits, its last transfer
 * takes ((g + w) / w)^k times as long as that to worker P. All last chunks
 * together are P a_{M-1} units, with M rounds:
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
        more = next_more(umr, more);
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
 * Sets all chunks and the makespan T if n = `waiting` workers wait. With the
 * symbols of struct umr, M rounds, and m units that the master computes per
 * time unit, they follow from
 *
 *     T    = P (G + g a_0) + M W + w (a_0 + .. + a_{M-2} + z)
 *     load = P (a_0 + .. + a_{M-1}) + m T
 */
static void solve(struct umr *umr, size_t waiting)
{
    struct affine chunk[THEORY_INSTALLMENTS_MAX] = {0};
    unsigned last = umr->rounds - 1;
    struct affine first = {.offset = umr->startup};
    struct affine end = {.offset = umr->latency * (quad)umr->rounds};
    struct affine all = {0};
    struct affine least;
    quad x;

    umr->waiting = waiting;
    set_uniform(chunk, umr);
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

/* Returns whether one more worker waits than the n = umr->waiting that are
   assumed to. In symbols of struct umr, this worker's last transfer ends
   s (G + g z) before that to worker P, and it has computed its other chunks
   n (G + g a_0) before worker P. */
static bool another_waits(const struct umr *umr)
{
    quad passed = umr->growth * (umr->startup + umr->g * umr->least);

    return theory_number_compare((quad)umr->waiting * umr->first, passed) > 0;
}

/* Computes all chunks and the makespan. If a worker waits before its last chunk
   comes, so do all workers served after it; bisection finds their number.
   Returns whether all chunks are more than 0. */
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

/* Returns the units that worker P - k gets in the last round; worker P is
   served last. */
static quad last_of(const struct umr *umr, size_t k)
{
    quad more = 0;

    if (k >= umr->waiting) {
        return umr->least + (quad)k * umr->first / umr->w;
    }
    while (k-- > 0) {
        more = next_more(umr, more);
    }
    return umr->least + (umr->startup + umr->g * umr->least) * more;
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
    plan->searched = true; /* all orders of equal workers are equal */
}

void theory_star_umr(struct theory_star_plan *plan,
                     const struct theory_star *star)
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
    theory_star_one_round(plan, star);
    makespan = plan->makespan;
    for (unsigned rounds = 2; rounds <= THEORY_INSTALLMENTS_MAX; ++rounds) {
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

/* ---- equal periods ---- */

struct periodic {
    const struct theory_star *star;
    quad link;     /* fraction of the master's link that is free */
    quad startups; /* sum of the chosen workers' startups */
    quad rate;     /* units per time unit that the chosen workers compute */
};

/* Adds a worker to the period. Per time unit it gets the units that it can
   compute, or those that the master's link can still carry. */
static void add_worker(struct theory_star_plan *plan, struct periodic *periodic,
                       size_t worker)
{
    const quad *of = periodic->star->workers->numbers[worker];
    quad room = periodic->link / of[THEORY_G];
    quad units = 1 / of[THEORY_W];

    if (units > room) {
        units = room;
    }
    theory_star_plan_add(plan, worker, units);
    periodic->rate += units;
    periodic->link = theory_number_minus(periodic->link, units * of[THEORY_G]);
    periodic->startups += of[THEORY_STARTUP] + of[THEORY_LATENCY];
}

/* Returns the square root. A step of Newton's method doubles its correct
   bits. */
static quad root_of(quad value)
{
    quad root = (quad)sqrt((double)value);

    for (unsigned i = 0; i < 3; ++i) {
        root = (root + value / root) / 2;
    }
    return root;
}

/* Returns the length of a period: the square root of the load's time without
   startups, as Beaumont et al. propose (section 4.3). It is longer if there
   would be more than PERIODS_MAX periods, or if startups filled half of
   each. */
static quad period_of(const struct theory_star_plan *plan,
                      const struct periodic *periodic)
{
    quad time = periodic->star->load / plan->rate_limit;

    return quad_max(quad_max(root_of(time), time / PERIODS_MAX),
                    2 * periodic->startups);
}

/* Sets the period's length, the number of periods and everyone's units. In a
   period, workers compute n units and the master m. In the first period workers
   only receive. So k periods can hold (k - 1) n + k m units; the least k that
   holds the load is taken. In a single period the master computes all. */
static void set_periods(struct theory_star_plan *plan,
                        const struct periodic *periodic)
{
    quad load = periodic->star->load;
    quad period = period_of(plan, periodic);
    quad each = period - periodic->startups;
    quad units = each * periodic->rate;
    quad own = period * periodic->star->master_rate;
    quad periods = (load + units) / (units + own);
    quad part;

    plan->rounds = 1 + (unsigned long)(periods * (1 - (quad)THEORY_NEAR));
    periods = (quad)plan->rounds;
    part = load / ((periods - 1) * units + periods * own);
    for (size_t i = 0; i < plan->sends; ++i) {
        plan->units[i] *= each * part;
    }
    if (plan->rounds == 1) {
        plan->sends = 0;
    }
    theory_star_plan_finish(plan, periodic->star, period * periods);
    plan->master_units = part * periods * own;
    plan->period = period;
}

void theory_star_periodic(struct theory_star_plan *plan,
                          const struct theory_star *star)
{
    size_t workers = star->workers->count;
    size_t order[THEORY_WORKERS_MAX];
    struct periodic periodic = {.star = star, .link = 1};

    theory_star_sort(order, star, 0);
    theory_star_plan_init(plan, workers);
    for (size_t i = 0; i < workers && periodic.link > 0; ++i) {
        add_worker(plan, &periodic, order[i]);
    }
    plan->rate_limit = star->master_rate + periodic.rate;
    set_periods(plan, &periodic);
}
