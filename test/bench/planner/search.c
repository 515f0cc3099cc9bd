/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/planner/search.h"

#include "scatter/plan/rounds.h"

#define NS ((uint64_t)1000)
#define US (1000 * NS)
/* The board's software for a phase, a round, begin() and the originator. */
#define SOFTWARE 8 * US, 16 * US, 640 * US, 5 * US

const struct search_set search_sets[] = {
    {"t3d", 1000000000, US, 3300, 4850 * NS, 0, 0, 0, 0, 0, 0},
    {"t3d-board", 1000000000, US, 3300, 4850 * NS, 40000, 3300, SOFTWARE},
    {"t3d-4G", 4000000000, 2 * US, 3300, 10, 40000, 3300, SOFTWARE},
    /* So little to transfer that all rounds of all phases are feasible. */
    {"spin", 4000000000, 1000 * US, 200, 10, 0, 0, 0, 0, 0, 0},
    {"spin-board", 4000000000, 1000 * US, 200, 10, 7, 3, SOFTWARE},
    {"spin-late", 4000000000, 1000 * US, 200, 10, 7, 3, 8 * US, 900 * US,
     640 * US, 5 * US},
    {"slow-start", 4000000000, 1000 * US, 200, 900 * US, 7000, 3000, 8 * US,
     16 * US, 640 * US, 5 * US},
    {"uart", 4000000000, 256000, 1900000, 0, 1000, 1000, SOFTWARE},
    {"fig3", 4000000000, US, 2 * US, 0, 0, 0, 0, 0, 0, 0},
    /* The costliest of 32,000 sets: random ones and changes of the worst. */
    {"costliest", UINT32_MAX, 1086318134, 1, 0, 1, 3, 2101911145, 1, 3043500301,
     0},
    {"fast-units", 4000000000, 1, 0, 0, 0, 0, 0, 0, 0, 0},
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

static void prefer(struct search_result *best, unsigned phases, unsigned rounds,
                   uint64_t makespan_ps)
{
    if (best->rounds == 0 || makespan_ps < best->makespan_ps) {
        *best = (struct search_result){phases, rounds, makespan_ps};
    }
}

static void several_rounds(struct search_result *best,
                           const struct search_set *set,
                           const struct planner_input *base)
{
    struct rounds_input input = {
        .base = base,
        .phase_queue_ps = set->phase_queue_ps,
        .between_rounds_ps = set->between_rounds_ps,
        .begin_ps = set->begin_ps,
        .round_overhead_ps = set->round_overhead_ps,
        .rounds_min = 2,
        .rounds_max = ROUNDS_MAX,
    };
    unsigned rounds;
    uint64_t makespan_ps;

    if (rounds_best(&rounds, &makespan_ps, &input) == ERR_OK) {
        prefer(best, base->phases_want, rounds, makespan_ps);
    }
}

static void one_round(struct search_result *best, const struct search_set *set,
                      const struct planner_input *base)
{
    struct planner_input input = *base;
    struct planner_plan plan;

    input.startup_ps[0] += set->begin_ps;
    if (planner_plan(&plan, &input) == ERR_OK) {
        prefer(best, base->phases_want, 1,
               plan.makespan_ps + set->round_overhead_ps +
                   base->phases_want * set->phase_queue_ps);
    }
}

struct search_result search(const struct search_set *set, unsigned phases_only)
{
    struct search_result best = {0, 0, 0};

    for (unsigned phases = ROUNDS_PHASES_MAX + 1; phases-- > 0;) {
        struct planner_input base = input_of(set, phases);

        if (phases_only == 0) {
            one_round(&best, set, &base);
        }
        if (phases > 0 && (phases_only == 0 || phases == phases_only)) {
            several_rounds(&best, set, &base);
        }
    }
    return best;
}
