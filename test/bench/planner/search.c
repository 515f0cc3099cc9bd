/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/planner/search.h"

#include "scatter/plan/rounds.h"

#include <stdbool.h>

#define NS ((uint64_t)1000)
#define US (1000 * NS)
/* The board's software for a phase, a round, begin() and the originator; and
   what a round must gain. */
#define SOFTWARE 8 * US, 16 * US, 640 * US, 5 * US, 0
#define BOARD 7168 * NS, 19 * US, 2 * US, 4 * US, 10 * US

const struct search_set search_sets[] = {
    {"t3d", 1000000000, US, 3300, 4850 * NS, 0, 0, 0, 0, 0, 0, 0},
    /* Kernel spin 32 on a megabyte. */
    {"t3d-1M", 1000000, 1024 * NS, 3300, 11600 * NS, 40000, 26400, BOARD},
    {"lvds-1M", 1000000, 1024 * NS, 80000, 20 * US, 40000, 640000, BOARD},
    {"lvds-100k", 100000, 1024 * NS, 80000, 20 * US, 40000, 640000, BOARD},
    {"t3d-board", 1000000000, US, 3300, 4850 * NS, 40000, 3300, SOFTWARE},
    {"t3d-4G", 4000000000, 2 * US, 3300, 10, 40000, 3300, SOFTWARE},
    /* So little to transfer that all rounds of all phases are feasible. */
    {"spin", 4000000000, 1000 * US, 200, 10, 0, 0, 0, 0, 0, 0, 0},
    {"spin-board", 4000000000, 1000 * US, 200, 10, 7, 3, SOFTWARE},
    {"spin-late", 4000000000, 1000 * US, 200, 10, 7, 3, 8 * US, 900 * US,
     640 * US, 5 * US, 0},
    {"slow-start", 4000000000, 1000 * US, 200, 900 * US, 7000, 3000, 8 * US,
     16 * US, 640 * US, 5 * US, 0},
    {"uart", 4000000000, 256000, 1900000, 0, 1000, 1000, SOFTWARE},
    {"fig3", 4000000000, US, 2 * US, 0, 0, 0, 0, 0, 0, 0, 0},
    /* The costliest of 32,000 sets: random ones and changes of the worst. */
    {"costliest", UINT32_MAX, 1086318134, 1, 0, 1, 3, 2101911145, 1, 3043500301,
     0, 0},
    {"fast-units", 4000000000, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};
const unsigned search_set_count = sizeof search_sets / sizeof search_sets[0];

static struct planner_input input_of(const struct search_set *set,
                                     unsigned phases)
{
    struct planner_input input = {
        .load_units = set->load_units,
        .compute_ps = set->compute_ps,
        .transfer_ps = set->transfer_ps,
        .phases_max = (uint8_t)phases,
        .phases_want = (uint8_t)phases,
        .phases_fixed = 1,
    };

    for (unsigned i = 0; i < phases; ++i) {
        input.startup_ps[i] = set->startup_ps +
                              set->startup_step_ps * (phases - 1 - i) +
                              set->header_ps * phases;
    }
    return input;
}

static struct rounds_input rounds_of(const struct search_set *set,
                                     const struct planner_input *base)
{
    return (struct rounds_input){
        .base = base,
        .queue_ps = set->queue_ps,
        .between_rounds_ps = set->between_rounds_ps,
        .begin_ps = set->begin_ps,
        .round_overhead_ps = set->round_overhead_ps,
        .gain_ps = set->gain_ps,
        .rounds_min = 2,
        .rounds_max = ROUNDS_MAX,
    };
}

/* What an originator adds to the makespan in each round, with a unit. */
static uint64_t round_ps(const struct search_set *set)
{
    return set->round_overhead_ps + set->queue_ps + set->compute_ps;
}

/* One round, of as many phases as are feasible. */
static void one_round(struct search_result *best, struct rounds_plan *plan,
                      const struct search_set *set, unsigned phases_max)
{
    struct planner_input input = input_of(set, phases_max);
    struct planner_plan one;

    input.phases_fixed = 0;
    input.startup_ps[0] += set->begin_ps;
    if (planner_plan(&one, &input) == ERR_OK) {
        rounds_of_one(plan, &one, set->load_units);
        *best = (struct search_result){one.phases, 1,
                                       one.makespan_ps + round_ps(set)};
    }
}

/* Several rounds; false where fewer phases have nothing to gain. */
static bool several_rounds(struct search_result *best, struct rounds_plan *plan,
                           const struct search_set *set, unsigned phases)
{
    struct planner_input base = input_of(set, phases);
    struct rounds_input input = rounds_of(set, &base);
    uint64_t bound_ps = rounds_bound_ps(&base);

    if (bound_ps == UINT64_MAX) {
        return true;
    }
    if (bound_ps + 2 * round_ps(set) >= best->makespan_ps) {
        return false;
    }
    if (rounds_plan(plan, &best->makespan_ps, &input) == ERR_OK) {
        best->phases = phases;
        best->rounds = plan->rounds;
    }
    return true;
}

struct search_result search(const struct search_set *set, unsigned phases_max)
{
    static struct rounds_plan plan;
    struct search_result best = {0, 0, UINT64_MAX};

    one_round(&best, &plan, set, phases_max);
    for (unsigned phases = phases_max;
         phases > 0 && several_rounds(&best, &plan, set, phases); --phases) {
    }
    return best;
}
