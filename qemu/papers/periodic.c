/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/installments.h"
#include "qemu/papers/order.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

#define ROOT_BITS 100
#define PERIODS_MAX 1000000000

struct periodic {
    const struct papers_star *star;
    mpq_t full;     /* of the link, 1: all of it */
    mpq_t startups; /* of those who take part */
    mpq_t rate;     /* of the workers */
};

/* Adds a worker, who gets `units` for each unit of time: as many as it
   computes, or as many as the link still takes. */
static void add_worker(struct papers_plan *plan, struct periodic *periodic,
                       size_t worker)
{
    const struct papers_star *star = periodic->star;
    mpq_srcptr g = papers_star_at(star, worker, PAPERS_G);
    mpq_ptr units = papers_plan_add(plan, worker);
    mpq_t left;

    mpq_init(left);
    mpq_set_ui(left, 1, 1);
    mpq_sub(left, left, periodic->full);
    mpq_div(left, left, g);
    mpq_inv(units, papers_star_at(star, worker, PAPERS_W));
    if (mpq_cmp(units, left) > 0) {
        mpq_set(units, left);
    }
    mpq_add(periodic->rate, periodic->rate, units);
    mpq_mul(left, units, g);
    mpq_add(periodic->full, periodic->full, left);
    mpq_add(periodic->startups, periodic->startups,
            papers_star_at(star, worker, PAPERS_STARTUP));
    mpq_add(periodic->startups, periodic->startups,
            papers_star_at(star, worker, PAPERS_LATENCY));
    mpq_clear(left);
}

/* The root, downward to ROOT_BITS bits at least if it is no fraction. */
static void set_root(mpq_t root, const mpq_t value)
{
    mpz_ptr over = mpq_numref(root);
    mpz_ptr under = mpq_denref(root);

    mpq_set(root, value);
    if (!mpz_perfect_square_p(over) || !mpz_perfect_square_p(under)) {
        mpz_mul(over, over, under);
        mpz_mul_2exp(over, over, 2 * ROOT_BITS);
        mpz_mul_2exp(under, under, ROOT_BITS);
        mpz_sqrt(over, over);
    } else {
        mpz_sqrt(over, over);
        mpz_sqrt(under, under);
    }
    mpq_canonicalize(root);
}

/* Sets the period to the root of the time that the load takes at the rate
   alone, or to more where there would be too many, or too little time. */
static void set_period(struct papers_plan *plan,
                       const struct periodic *periodic)
{
    mpq_t least, other;

    mpq_inits(least, other, NULL);
    mpq_div(least, periodic->star->load, plan->rate_limit);
    set_root(plan->period, least);
    mpq_set_ui(other, PERIODS_MAX, 1);
    mpq_div(least, least, other);
    mpq_add(other, periodic->startups, periodic->startups);
    if (mpq_cmp(plan->period, least) < 0) {
        mpq_set(plan->period, least);
    }
    if (mpq_cmp(plan->period, other) < 0) {
        mpq_set(plan->period, other);
    }
    mpq_clears(least, other, NULL);
}

/* Sets the sends of a period to what is their part of the load, the master's
   units to the rest of it: (k - 1) n + k m units have room in k periods. */
static void cut_units(struct papers_plan *plan, const struct periodic *periodic,
                      mpq_srcptr workers_units, mpq_srcptr master_units)
{
    mpq_t room, periods;

    mpq_inits(room, periods, NULL);
    mpq_set_ui(periods, plan->rounds, 1);
    mpq_add(room, workers_units, master_units);
    mpq_mul(room, room, periods);
    mpq_sub(room, room, workers_units);
    mpq_div(room, periodic->star->load, room);
    for (size_t i = 0; i < plan->sends; ++i) {
        mpq_mul(plan->units[i], plan->units[i], room);
    }
    mpq_mul(plan->master_units, room, periods);
    mpq_mul(plan->master_units, plan->master_units, master_units);
    mpq_clears(room, periods, NULL);
}

/* Sets the number of periods, k = ceil((V + n) / (n + m)): n units a period of
   the workers, who have nothing to compute in the first one, m of the
   master. */
static void set_rounds(struct papers_plan *plan,
                       const struct periodic *periodic,
                       mpq_srcptr workers_units, mpq_srcptr master_units)
{
    mpq_t periods, all;

    mpq_inits(periods, all, NULL);
    mpq_add(periods, workers_units, periodic->star->load);
    mpq_add(all, workers_units, master_units);
    mpq_div(periods, periods, all);
    mpz_cdiv_q(mpq_numref(periods), mpq_numref(periods), mpq_denref(periods));
    mpz_set_ui(mpq_denref(periods), 1);
    plan->rounds = mpz_get_ui(mpq_numref(periods));
    mpq_mul(plan->makespan, plan->period, periods);
    mpq_clears(periods, all, NULL);
}

/* Sets period, periods and what everybody gets. A single period is the
   master's: no worker is sent to. */
static void set_periods(struct papers_plan *plan, struct periodic *periodic)
{
    mpq_t units, own;

    mpq_inits(units, own, NULL);
    set_period(plan, periodic);
    mpq_sub(units, plan->period, periodic->startups);
    for (size_t i = 0; i < plan->sends; ++i) {
        mpq_mul(plan->units[i], plan->units[i], units);
    }
    mpq_mul(units, units, periodic->rate);
    papers_star_master_rate(own, periodic->star);
    mpq_mul(own, own, plan->period);
    set_rounds(plan, periodic, units, own);
    cut_units(plan, periodic, units, own);
    while (plan->rounds == 1 && plan->sends > 0) {
        plan->sends -= 1;
        mpq_clear(plan->units[plan->sends]);
    }
    mpq_div(plan->rate, periodic->star->load, plan->makespan);
    mpq_clears(units, own, NULL);
}

void papers_periodic(struct papers_plan *plan, const struct papers_star *star)
{
    size_t workers = star->workers->count;
    size_t *order = memory_or_exit(malloc(workers * sizeof *order));
    struct periodic periodic = {.star = star};
    mpq_t one;

    mpq_inits(periodic.full, periodic.startups, periodic.rate, one, NULL);
    mpq_set_ui(one, 1, 1);
    papers_order_by_rule(order, star);
    papers_plan_init(plan, workers);
    for (size_t i = 0; i < workers && mpq_cmp(periodic.full, one) < 0; ++i) {
        add_worker(plan, &periodic, order[i]);
    }
    papers_star_master_rate(plan->rate_limit, star);
    mpq_add(plan->rate_limit, plan->rate_limit, periodic.rate);
    set_periods(plan, &periodic);
    mpq_clears(periodic.full, periodic.startups, periodic.rate, one, NULL);
    free(order);
}
