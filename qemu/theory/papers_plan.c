/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/papers_plan.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

void theory_star_plan_init(struct theory_star_plan *plan, size_t sends_max)
{
    *plan = (struct theory_star_plan){.rounds = 1};
    plan->worker =
        memory_or_exit(malloc((sends_max + 1) * sizeof *plan->worker));
    plan->units = memory_or_exit(malloc((sends_max + 1) * sizeof *plan->units));
}

void theory_star_plan_free(struct theory_star_plan *plan)
{
    free(plan->units);
    free(plan->worker);
}

void theory_star_plan_add(struct theory_star_plan *plan, size_t worker,
                          quad units)
{
    plan->worker[plan->sends] = worker;
    plan->units[plan->sends] = units;
    plan->sends += 1;
}

void theory_star_plan_finish(struct theory_star_plan *plan,
                             const struct theory_star *star, quad makespan)
{
    plan->makespan = makespan;
    plan->master_units = star->master_rate * makespan;
    plan->rate = star->load / makespan;
}
