/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many instructions a plan takes on the board, ours and its twins. Run
 * under -icount shift=5, where an instruction takes 32 ns of the clock. The
 * frame around it is that of the unit tests on the target (test/target), which
 * calls unit_all(): here that is the table, one line for each measurement:
 *
 *   variant, parameters, phases asked for, phases planned, instructions
 */
#include "hal/clock.h"
#include "test/bench/count.h"
#include "test/bench/planner/twins.h"

#define RUNS 50u /* the clock ticks every 1.25 instructions */

typedef int plan_function(struct planner_plan *plan,
                          const struct planner_input *input);

/* Volatile, so that a call remains a call. */
struct variant {
    const char *name;
    plan_function *volatile plan;
};

struct parameters {
    const char *name;
    uint32_t load_units;
    uint64_t compute_ps, transfer_ps, startup_ps;
    uint32_t startup_step_ps; /* each phase's less than the one before */
    uint16_t hops;            /* stages of the last phase; 0: circuits */
    uint16_t results_numerator, results_denominator;
};

static int plan_nothing(struct planner_plan *plan,
                        const struct planner_input *input)
{
    (void)plan;
    (void)input;
    return 0;
}

static const struct variant variants[] = {
    {"nothing", plan_nothing},
    {"planner", planner_plan},
    {"double", twin_double},
    {"double-products", twin_double_products},
};

/* The paper's figures first: 1 us, 3.3 ns, 4.85 us (Cray T3D). */
static const struct parameters sets[] = {
    {"t3d", 1000000000, 1000000, 3300, 4850000, 0, 0, 0, 0},
    {"t3d-1M", 1000000, 1000000, 3300, 4850000, 0, 0, 0, 0},
    {"small-startup", 1000000000, 1000000, 3300, 10, 0, 0, 0, 0},
    {"fig3", 1000000000, 1000000, 2000000, 0, 0, 0, 0, 0},
    {"fig4", 1000000000, 1000000, 1, 0, 0, 0, 0, 0},
    {"hop-delays", 1000000000, 1000000, 3300, 300, 13, 0, 0, 0},
    {"lvds", 1000000000, 1000000, 80000, 40, 1, 0, 0, 0},
    {"uart", 1000000000, 256000, 1900000, 0, 0, 0, 0, 0},
    {"slow-units", 8000000, 1000000000000, 3300, 0, 0, 0, 0, 0},
    {"fast-units", UINT32_MAX, 1, 1, 0, 0, 0, 0, 0},
    {"results", 1000000000, 1000000, 3300, 10, 0, 0, 1, 2},
    {"stages", 1000000000, 1000000, 3300, 10, 0, 5, 0, 0},
    {"worst", UINT32_MAX, 2147000000, 1000000000000, 0, 0, 90, 999, 1000},
};

static struct planner_input input_of(const struct parameters *set,
                                     unsigned phases)
{
    struct planner_input input = {
        .load_units = set->load_units,
        .compute_ps = set->compute_ps,
        .transfer_ps = set->transfer_ps,
        .results_numerator = set->results_numerator,
        .results_denominator = set->results_denominator,
        .phases_max = (uint8_t)phases,
    };

    for (unsigned i = 0; i < phases; ++i) {
        input.startup_ps[i] =
            set->startup_ps + set->startup_step_ps * (phases - 1 - i);
        input.stages[i] = (uint16_t)(set->hops * (phases - i));
    }
    return input;
}

static uint32_t instructions(const struct variant *variant,
                             struct planner_plan *plan,
                             const struct planner_input *input)
{
    struct clock clock = {0};
    uint64_t took_ps;

    clock_start(&clock, 0);
    for (unsigned run = 0; run < RUNS; ++run) {
        variant->plan(plan, input);
    }
    took_ps = clock_stop(&clock);
    return (uint32_t)(took_ps / RUNS / PS_PER_INSTRUCTION);
}

static void measure(unit_put *put, void *context, const struct variant *variant,
                    const struct parameters *set, unsigned phases)
{
    struct planner_input input = input_of(set, phases);
    struct planner_plan plan = {0};
    uint32_t count = instructions(variant, &plan, &input);

    put(context, variant->name);
    put(context, " ");
    put_line(put, context, set->name,
             (const uint32_t[]){phases, plan.phases, count}, 3);
}

int unit_all(unit_put *put, void *context)
{
    static const uint8_t phases[] = {2, 4, 10, 20};

    for (unsigned v = 0; v < sizeof variants / sizeof variants[0]; ++v) {
        for (unsigned s = 0; s < sizeof sets / sizeof sets[0]; ++s) {
            for (unsigned n = 0; n < sizeof phases; ++n) {
                measure(put, context, &variants[v], &sets[s], phases[n]);
            }
        }
    }
    return 0;
}
