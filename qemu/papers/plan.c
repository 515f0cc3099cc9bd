/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/plan.h"

#include "qemu/papers/number.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

void papers_plan_init(struct papers_plan *plan, size_t sends_max)
{
    *plan = (struct papers_plan){.rounds = 1};
    plan->worker =
        memory_or_exit(malloc((sends_max + 1) * sizeof *plan->worker));
    plan->units = memory_or_exit(malloc((sends_max + 1) * sizeof *plan->units));
    mpq_inits(plan->makespan, plan->rate, plan->master_units, plan->period,
              plan->rate_limit, NULL);
}

void papers_plan_free(struct papers_plan *plan)
{
    papers_numbers_free(plan->units, plan->sends);
    free(plan->worker);
    mpq_clears(plan->makespan, plan->rate, plan->master_units, plan->period,
               plan->rate_limit, NULL);
}

mpq_ptr papers_plan_add(struct papers_plan *plan, size_t worker)
{
    size_t send = plan->sends;

    plan->worker[send] = worker;
    mpq_init(plan->units[send]);
    plan->sends += 1;
    return plan->units[send];
}

void papers_plan_finish(struct papers_plan *plan,
                        const struct papers_star *star)
{
    mpq_t rate;

    mpq_init(rate);
    papers_star_master_rate(rate, star);
    mpq_mul(plan->master_units, rate, plan->makespan);
    mpq_div(plan->rate, star->load, plan->makespan);
    mpq_clear(rate);
}

mpq_srcptr papers_star_at(const struct papers_star *star, size_t worker,
                          enum papers_star_column column)
{
    return papers_workers_at(star->workers, worker, (unsigned)column);
}

void papers_star_master_rate(mpq_t rate, const struct papers_star *star)
{
    if (mpq_sgn(star->master) == 0) {
        mpq_set_ui(rate, 0, 1);
    } else {
        mpq_inv(rate, star->master);
    }
}
