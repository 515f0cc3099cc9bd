/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/one_round.h"

#include "qemu/papers/number.h"
#include "qemu/support/memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * A worker with s left takes (taken s - late) / scale units and leaves
 * (kept s - delay) / scale: whole numbers, so that fractions of a thousand
 * workers can be computed without ever being reduced.
 */
struct step {
    mpz_t taken, late, kept, delay, scale;
};

struct round {
    const struct papers_star *star;
    const size_t *order;
    size_t count;
    struct step *step; /* by place in the order, as the next */
    bool *in;          /* takes part */
    mpz_t over, under; /* the makespan, not reduced */
};

/* The numerator of `value` over `scale`, a multiple of its denominator. */
static void set_over(mpz_t numerator, const mpq_t value, const mpz_t scale)
{
    mpz_divexact(numerator, scale, mpq_denref(value));
    mpz_mul(numerator, numerator, mpq_numref(value));
}

/* Sets a step from its four numbers, in the order of the struct. */
static void set_step(struct step *step, mpq_t value[4])
{
    mpz_set_ui(step->scale, 1);
    for (unsigned i = 0; i < 4; ++i) {
        mpz_lcm(step->scale, step->scale, mpq_denref(value[i]));
    }
    set_over(step->taken, value[0], step->scale);
    set_over(step->late, value[1], step->scale);
    set_over(step->kept, value[2], step->scale);
    set_over(step->delay, value[3], step->scale);
}

/* taken 1/(g+w), late (G+W)/(g+w), kept w/(g+w), delay (w G - g W)/(g+w) */
static void make_step(struct step *step, const struct papers_star *star,
                      size_t worker)
{
    mpq_srcptr g = papers_star_at(star, worker, PAPERS_G);
    mpq_srcptr w = papers_star_at(star, worker, PAPERS_W);
    mpq_srcptr startup = papers_star_at(star, worker, PAPERS_STARTUP);
    mpq_srcptr latency = papers_star_at(star, worker, PAPERS_LATENCY);
    mpq_t value[4];
    mpq_t other;

    mpz_inits(step->taken, step->late, step->kept, step->delay, step->scale,
              NULL);
    mpq_inits(value[0], value[1], value[2], value[3], other, NULL);
    mpq_add(value[0], g, w);
    mpq_inv(value[0], value[0]);
    mpq_add(value[1], startup, latency);
    mpq_mul(value[1], value[1], value[0]);
    mpq_mul(value[2], w, value[0]);
    mpq_mul(value[3], w, startup);
    mpq_mul(other, g, latency);
    mpq_sub(value[3], value[3], other);
    mpq_mul(value[3], value[3], value[0]);
    set_step(step, value);
    mpq_clears(value[0], value[1], value[2], value[3], other, NULL);
}

static void round_init(struct round *round, const struct papers_star *star,
                       const size_t *order, size_t count)
{
    *round = (struct round){.star = star, .order = order, .count = count};
    round->step = memory_or_exit(malloc((count + 1) * sizeof *round->step));
    round->in = memory_or_exit(malloc((count + 1) * sizeof *round->in));
    for (size_t i = 0; i < count; ++i) {
        make_step(&round->step[i], star, order[i]);
        round->in[i] = true;
    }
    mpz_inits(round->over, round->under, NULL);
}

static void round_free(struct round *round)
{
    for (size_t i = 0; i < round->count; ++i) {
        struct step *step = &round->step[i];

        mpz_clears(step->taken, step->late, step->kept, step->delay,
                   step->scale, NULL);
    }
    free(round->step);
    free(round->in);
    mpz_clears(round->over, round->under, NULL);
}

/* Sets the makespan from what all workers take together with s left:
   (slope s - offset) / scale. */
static void set_makespan(struct round *round, const mpz_t slope,
                         const mpz_t offset, const mpz_t scale)
{
    mpq_srcptr load = round->star->load;
    mpq_t master;

    mpq_init(master);
    papers_star_master_rate(master, round->star);
    mpz_mul(round->over, scale, mpq_numref(load));
    mpz_addmul(round->over, offset, mpq_denref(load));
    mpz_mul(round->over, round->over, mpq_denref(master));
    mpz_mul(round->under, slope, mpq_denref(master));
    mpz_addmul(round->under, scale, mpq_numref(master));
    mpz_mul(round->under, round->under, mpq_denref(load));
    mpq_clear(master);
}

/* Computes the makespan with those who are in: all finish together, some
   perhaps with less than nothing. From the last to the first, the load of one
   and all after it is (slope s - offset) / scale. */
static void solve(struct round *round)
{
    mpz_t slope, offset, scale;

    mpz_inits(slope, offset, scale, NULL);
    mpz_set_ui(scale, 1);
    for (size_t i = round->count; i-- > 0;) {
        const struct step *step = &round->step[i];

        if (round->in[i]) {
            mpz_mul(offset, offset, step->scale);
            mpz_addmul(offset, slope, step->delay);
            mpz_addmul(offset, scale, step->late);
            mpz_mul(slope, slope, step->kept);
            mpz_addmul(slope, scale, step->taken);
            mpz_mul(scale, scale, step->scale);
        }
    }
    set_makespan(round, slope, offset, scale);
    mpz_clears(slope, offset, scale, NULL);
}

/* What a worker takes with `over` / `under` left, times `under` and its scale.
 */
static void take(mpz_t units, const struct step *step, const mpz_t over,
                 const mpz_t under)
{
    mpz_mul(units, over, step->taken);
    mpz_submul(units, under, step->late);
}

static void leave(mpz_t over, mpz_t under, const struct step *step)
{
    mpz_mul(over, over, step->kept);
    mpz_submul(over, under, step->delay);
    mpz_mul(under, under, step->scale);
}

/* Takes out who gets nothing or less. Result: whether there is such a one. The
   chunks' sum is more than nothing, so somebody stays. */
static bool drop(struct round *round)
{
    bool any = false;
    mpz_t over, under, units;

    mpz_inits(over, under, units, NULL);
    mpz_set(over, round->over);
    mpz_set(under, round->under);
    for (size_t i = 0; i < round->count; ++i) {
        if (round->in[i]) {
            take(units, &round->step[i], over, under);
            leave(over, under, &round->step[i]);
            round->in[i] = mpz_sgn(units) > 0;
            any |= !round->in[i];
        }
    }
    mpz_clears(over, under, units, NULL);
    return any;
}

/* Takes in whoever gets something within the makespan, one after the other.
   Result: whether these are others than before. */
static bool refill(struct round *round)
{
    bool any = false;
    mpz_t over, under, units;

    mpz_inits(over, under, units, NULL);
    mpz_set(over, round->over);
    mpz_set(under, round->under);
    for (size_t i = 0; i < round->count; ++i) {
        bool was = round->in[i];

        take(units, &round->step[i], over, under);
        round->in[i] = mpz_sgn(units) > 0;
        if (round->in[i]) {
            leave(over, under, &round->step[i]);
        }
        any |= round->in[i] != was;
    }
    mpz_clears(over, under, units, NULL);
    return any;
}

/* Solves until everybody who is in gets something. */
static void settle(struct round *round)
{
    do {
        solve(round);
    } while (drop(round));
}

/* Looks for a shorter makespan with others, as long as there is one. */
static void improve(struct round *round)
{
    bool *before = memory_or_exit(malloc((round->count + 1) * sizeof *before));
    bool shorter = true;
    mpz_t over, under, left, right;

    mpz_inits(over, under, left, right, NULL);
    while (shorter) {
        memcpy(before, round->in, round->count * sizeof *before);
        mpz_set(over, round->over);
        mpz_set(under, round->under);
        if (!refill(round)) {
            break;
        }
        settle(round);
        mpz_mul(left, round->over, under);
        mpz_mul(right, over, round->under);
        shorter = mpz_cmp(left, right) < 0;
        if (!shorter) {
            memcpy(round->in, before, round->count * sizeof *before);
            mpz_set(round->over, over);
            mpz_set(round->under, under);
        }
    }
    mpz_clears(over, under, left, right, NULL);
    free(before);
}

/* Adds the sends of those who are in. */
static void add_sends(struct papers_plan *plan, const struct round *round)
{
    mpz_t over, under, units;

    mpz_inits(over, under, units, NULL);
    mpz_set(over, round->over);
    mpz_set(under, round->under);
    for (size_t i = 0; i < round->count; ++i) {
        if (round->in[i]) {
            take(units, &round->step[i], over, under);
            leave(over, under, &round->step[i]);
            papers_number_set(papers_plan_add(plan, round->order[i]), units,
                              under);
        }
    }
    mpz_clears(over, under, units, NULL);
}

void papers_one_round(struct papers_plan *plan, const struct papers_star *star,
                      const size_t *order, size_t count)
{
    struct round round;

    round_init(&round, star, order, count);
    settle(&round);
    improve(&round);
    papers_plan_init(plan, count);
    mpz_set(mpq_numref(plan->makespan), round.over);
    mpz_set(mpq_denref(plan->makespan), round.under);
    mpq_canonicalize(plan->makespan);
    add_sends(plan, &round);
    papers_plan_finish(plan, star);
    round_free(&round);
}
