/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/installments.h"
#include "qemu/theory/order.h"
#include "qemu/base/memory.h"

#include <math.h>
#include <stdlib.h>

#define PERIODS_MAX 1000000000

struct periodic {
    const struct theory_star *star;
    quad link;     /* part of the link that is free */
    quad startups; /* of those who take part */
    quad rate;     /* of the workers */
};

/* Adds a worker, who gets `units` for each unit of time: as many as it
   computes, or as many as the link still takes. */
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

/* The root by Newton: each step doubles the 53 bits of a double. */
static quad root_of(quad value)
{
    quad root = (quad)sqrt((double)value);

    for (unsigned i = 0; i < 3; ++i) {
        root = (root + value / root) / 2;
    }
    return root;
}

/* The length of a period: the square root of the load's time at the limit rate,
   by the paper. It is longer if there were more than PERIODS_MAX periods, or if
   startups would fill half of one. */
static quad period_of(const struct theory_star_plan *plan,
                      const struct periodic *periodic)
{
    quad time = periodic->star->load / plan->rate_limit;

    return quad_max(quad_max(root_of(time), time / PERIODS_MAX),
                    2 * periodic->startups);
}

/*
 * Sets period, periods and what everybody gets. k = ceil((V + n) / (n + m))
 * periods, n units a period of the workers, who have nothing to compute in the
 * first one, m of the master; they have room for (k - 1) n + k m units, of
 * which the load is a part. A single period is the master's: no worker is sent
 * to.
 */
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

void theory_periodic(struct theory_star_plan *plan,
                     const struct theory_star *star)
{
    size_t workers = star->workers->count;
    size_t *order = memory_or_exit(malloc(workers * sizeof *order));
    struct periodic periodic = {.star = star, .link = 1};

    theory_order_by_rule(order, star);
    theory_star_plan_init(plan, workers);
    for (size_t i = 0; i < workers && periodic.link > 0; ++i) {
        add_worker(plan, &periodic, order[i]);
    }
    plan->rate_limit = star->master_rate + periodic.rate;
    set_periods(plan, &periodic);
    free(order);
}
