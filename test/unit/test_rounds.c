/* SPDX-License-Identifier: Apache-2.0 */
/* Expected numbers: the equations of scatter/plan/rounds.h in exact fractions.
   At random, through ctypes: test/scatter/test_rounds.py. */
#include "scatter/plan/rounds.h"
#include "test/unit/unit.h"

#define US ((uint64_t)1000000)

static struct planner_input base_of(uint32_t load, uint64_t compute,
                                    uint64_t transfer, uint64_t startup,
                                    uint8_t phases)
{
    struct planner_input base = {.load_units = load,
                                 .compute_ps = compute,
                                 .transfer_ps = transfer,
                                 .phases_max = phases,
                                 .phases_want = phases,
                                 .phases_fixed = 1};

    for (unsigned i = 0; i < phases; ++i) {
        base.startup_ps[i] = startup;
    }
    return base;
}

/* The plan of the best number of rounds. Result: the error. */
static int plan_of(struct rounds_plan *plan, const struct rounds_input *input)
{
    uint64_t time_ps = UINT64_MAX;

    return rounds_plan(plan, &time_ps, input);
}

/* The best of 2 to 16 rounds; 0 if none is feasible. */
static unsigned best_of(struct unit *unit, const struct planner_input *base,
                        uint64_t *makespan_ps)
{
    struct rounds_input input = {
        .base = base, .rounds_min = 2, .rounds_max = ROUNDS_MAX};
    struct rounds_plan plan = {.rounds = 0};
    int error = plan_of(&plan, &input);

    CHECK(unit, error == ERR_OK || error == ERR_PHASES);
    *makespan_ps = plan.makespan_ps;
    return error == ERR_OK ? plan.rounds : 0;
}

static void eleven_units_in_two_rounds(struct unit *unit)
{
    struct planner_input base = base_of(11, 1000, 1000, 0, 1);
    struct rounds_input input = {
        .base = &base, .rounds_min = 2, .rounds_max = 2};
    struct rounds_plan plan;

    CHECK_EQUAL(unit, plan_of(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.makespan_ps, 3000);
    CHECK_EQUAL(unit, plan.share_units[0][0], 3);
    CHECK_EQUAL(unit, plan.volume_units[0][1], 1);
    CHECK_EQUAL(unit, plan.volume_units[1][1], 1);
    CHECK_EQUAL(unit, plan.round_units[0], 7);
    CHECK_EQUAL(unit, plan.round_units[1], 4);
}

/* V = 1 of the theory, times 276: v = 41, 7 and then 6, 1. */
static void two_phases_in_two_rounds(struct unit *unit)
{
    struct planner_input base = base_of(276, 1000, 1000, 0, 2);
    struct rounds_input input = {
        .base = &base, .rounds_min = 2, .rounds_max = 2};
    struct rounds_plan plan;

    CHECK_EQUAL(unit, plan_of(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.makespan_ps, 56000);
    CHECK_EQUAL(unit, plan.volume_units[0][1], 41);
    CHECK_EQUAL(unit, plan.volume_units[0][2], 7);
    CHECK_EQUAL(unit, plan.share_units[0][1], 13);
    CHECK_EQUAL(unit, plan.volume_units[1][1], 6);
    CHECK_EQUAL(unit, plan.volume_units[1][2], 1);
    CHECK_EQUAL(unit, plan.share_units[1][1], 2);
    CHECK_EQUAL(unit, plan.round_units[0], 248);
    CHECK_EQUAL(unit, plan.round_units[1], 28);
}

/* Software: N = 1, R = 3, rho = 1, g = 6, q = 1, p = 2, b = 1, l = 3, so
   v_3 = x, v_2 = x + 5, v_1 = x + 9, a_0 = 4 x + 26, V = 16 x + 82. */
static void software_between_rounds(struct unit *unit)
{
    struct planner_input base = base_of(114, 1000, 1000, 6000, 1);
    struct rounds_input input = {.base = &base,
                                 .queue_ps = 1000,
                                 .between_rounds_ps = 2000,
                                 .begin_ps = 1000,
                                 .round_overhead_ps = 3000,
                                 .rounds_min = 3,
                                 .rounds_max = 3};
    struct rounds_plan plan;
    uint64_t time_ps = 34000 + 3 * 5000;

    CHECK_EQUAL(unit, plan_of(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.volume_units[2][1], 2);
    CHECK_EQUAL(unit, plan.volume_units[1][1], 7);
    CHECK_EQUAL(unit, plan.volume_units[0][1], 11);
    CHECK_EQUAL(unit, plan.share_units[0][0], 34);
    CHECK_EQUAL(unit, plan.makespan_ps, 34000);
    CHECK_EQUAL(unit, plan.round_units[0], 34 + 44);
    CHECK_EQUAL(unit, rounds_plan(&plan, &time_ps, &input), ERR_PHASES);
    time_ps += 1;
    CHECK_EQUAL(unit, rounds_plan(&plan, &time_ps, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.rounds, 3);
    CHECK_EQUAL(unit, time_ps, 34000 + 3 * 5000);
}

static void what_does_not_suit_several_rounds(struct unit *unit)
{
    struct planner_input base = base_of(100, 1000, 1000, 1000, 2);
    uint64_t makespan_ps;

    CHECK_EQUAL(unit, best_of(unit, &base, &makespan_ps), 0);
    base.phases_want = 0;
    CHECK_EQUAL(unit, best_of(unit, &base, &makespan_ps), 0);
    base = base_of(5, 1000, 0, 0, 2);
    CHECK_EQUAL(unit, best_of(unit, &base, &makespan_ps), 0);
}

/* begin() takes 5.3e6 units off the deepest volume, so 125 times as much off
   v_1: more than a quarter of the load. */
static void begin_takes_more_than_the_load(struct unit *unit)
{
    struct planner_input base = base_of(1000000000, US, 0, 0, 4);
    struct rounds_input input = {.base = &base,
                                 .queue_ps = 1000 * US,
                                 .begin_ps = 5300000 * US,
                                 .rounds_min = 2,
                                 .rounds_max = 2};
    struct rounds_plan plan;

    CHECK_EQUAL(unit, plan_of(&plan, &input), ERR_PHASES);
}

/* A Cray T3D, 10^6 units: R = 3 with 5 phases, 9.160875e-4 s. */
static void a_million_units_on_a_t3d(struct unit *unit)
{
    struct planner_input base = base_of(1000000, US, 3300, 4850000, 5);
    uint64_t makespan_ps = 0;

    CHECK_EQUAL(unit, best_of(unit, &base, &makespan_ps), 3);
    CHECK_EQUAL(unit, (makespan_ps + 5000) / 10000, 91609);
}

/* Rounding: every part of every round is the floor or one more. */
static void all_units_are_handed_out(struct unit *unit)
{
    for (uint32_t load = 1000; load < 1100; ++load) {
        struct planner_input base = base_of(load, 1000, 900, 500, 2);
        struct rounds_input input = {
            .base = &base, .rounds_min = 2, .rounds_max = 2};
        struct rounds_plan plan;
        uint32_t sent;

        CHECK_EQUAL(unit, plan_of(&plan, &input), ERR_OK);
        sent = plan.share_units[0][0];
        CHECK_EQUAL(unit, plan.round_units[0] + plan.round_units[1], load);
        for (unsigned r = 0; r < 2; ++r) {
            uint32_t floors =
                4 * (plan.volume_units[r][1] + plan.volume_units[r][2]);

            CHECK(unit, plan.round_units[r] - sent - floors <= 8);
            CHECK_EQUAL(unit, plan.volume_units[r][0], plan.round_units[r]);
            sent = 0;
        }
    }
}

static void one_round_in_this_form(struct unit *unit)
{
    struct planner_plan one = {.phases = 1,
                               .makespan_ps = 77,
                               .volume_units = {50, 9},
                               .share_units = {14, 9}};
    struct rounds_plan plan;

    rounds_of_one(&plan, &one, 50);
    CHECK_EQUAL(unit, plan.phases, 1);
    CHECK_EQUAL(unit, plan.rounds, 1);
    CHECK_EQUAL(unit, plan.makespan_ps, 77);
    CHECK_EQUAL(unit, plan.round_units[0], 50);
    CHECK_EQUAL(unit, plan.volume_units[0][1], 9);
    CHECK_EQUAL(unit, plan.share_units[0][0], 14);
}

void test_rounds(struct unit *unit)
{
    UNIT_RUN(unit, eleven_units_in_two_rounds);
    UNIT_RUN(unit, two_phases_in_two_rounds);
    UNIT_RUN(unit, software_between_rounds);
    UNIT_RUN(unit, what_does_not_suit_several_rounds);
    UNIT_RUN(unit, begin_takes_more_than_the_load);
    UNIT_RUN(unit, a_million_units_on_a_t3d);
    UNIT_RUN(unit, all_units_are_handed_out);
    UNIT_RUN(unit, one_round_in_this_form);
}
