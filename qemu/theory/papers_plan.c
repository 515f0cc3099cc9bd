/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/papers_plan.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

void papers_plan_init(struct papers_plan *plan, size_t sends_max)
{
    *plan = (struct papers_plan){.rounds = 1};
    plan->worker =
        memory_or_exit(malloc((sends_max + 1) * sizeof *plan->worker));
    plan->units = memory_or_exit(malloc((sends_max + 1) * sizeof *plan->units));
}

void papers_plan_free(struct papers_plan *plan)
{
    free(plan->units);
    free(plan->worker);
}

void papers_plan_add(struct papers_plan *plan, size_t worker, quad units)
{
    plan->worker[plan->sends] = worker;
    plan->units[plan->sends] = units;
    plan->sends += 1;
}

void papers_plan_finish(struct papers_plan *plan,
                        const struct papers_star *star, quad makespan)
{
    plan->makespan = makespan;
    plan->master_units = star->master_rate * makespan;
    plan->rate = star->load / makespan;
}
