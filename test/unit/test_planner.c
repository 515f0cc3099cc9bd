/* SPDX-License-Identifier: Apache-2.0 */
/* Expected numbers: exact fractions, solved from the paper's equations. */
#include "scatter/plan/one_round.h"
#include "test/unit/unit.h"

/* All phases cost the same startup; the best N of at most `phases_max`. */
static struct planner_input input_of(uint32_t load, uint64_t compute,
                                     uint64_t transfer, uint64_t startup,
                                     uint8_t phases_max)
{
    struct planner_input input = {.load_units = load,
                                  .compute_ps = compute,
                                  .transfer_ps = transfer,
                                  .phases_max = phases_max};

    for (unsigned i = 0; i < PLANNER_PHASES_MAX; ++i) {
        input.startup_ps[i] = startup;
    }
    return input;
}

static int fixed(struct planner_plan *plan, struct planner_input input,
                 uint8_t phases)
{
    input.phases_want = phases;
    input.phases_fixed = 1;
    return planner_plan(plan, &input);
}

static void no_startup_two_phases(struct unit *unit)
{
    struct planner_input input = input_of(36000, 1000, 1000, 0, 2);
    struct planner_plan plan;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 2);
    CHECK_EQUAL(unit, plan.volume_units[0], 36000);
    CHECK_EQUAL(unit, plan.volume_units[1], 6000);
    CHECK_EQUAL(unit, plan.volume_units[2], 1000);
    CHECK_EQUAL(unit, plan.share_units[0], 8000);
    CHECK_EQUAL(unit, plan.share_units[1], 2000);
    CHECK_EQUAL(unit, plan.share_units[2], 1000);
    CHECK_EQUAL(unit, plan.makespan_ps, 8000000);
}

static void hundred_units_of_theory(struct unit *unit)
{
    struct planner_input input = input_of(100, 3000, 3000, 3000, 20);
    struct planner_plan plan;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 3);
    CHECK_EQUAL(unit, plan.phases_feasible, 3);
    CHECK_EQUAL(unit, fixed(&plan, input, 2), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 2);
    CHECK_EQUAL(unit, plan.phases_feasible, 3);
    CHECK_EQUAL(unit, plan.volume_units[1], 16);
    CHECK_EQUAL(unit, plan.volume_units[2], 2);
    CHECK_EQUAL(unit, plan.share_units[0], 23);
    CHECK_EQUAL(unit, plan.share_units[1], 6);
    CHECK_EQUAL(unit, plan.share_units[2], 2);
    CHECK_EQUAL(unit, plan.makespan_ps, 71000);
    CHECK_EQUAL(unit, fixed(&plan, input, 4), ERR_PHASES);
    CHECK_EQUAL(unit, plan.phases_feasible, 3);
}

static void thousand_units_of_theory(struct unit *unit)
{
    struct planner_input input =
        input_of(1000, 132651 * 10, 132651, 132651 * 20, 20);
    struct planner_plan plan;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 4);
    CHECK_EQUAL(unit, fixed(&plan, input, 3), ERR_OK);
    CHECK_EQUAL(unit, plan.volume_units[1], 195);
    CHECK_EQUAL(unit, plan.volume_units[2], 37);
    CHECK_EQUAL(unit, plan.volume_units[3], 7);
    CHECK_EQUAL(unit, plan.share_units[0], 37);
    CHECK_EQUAL(unit, plan.share_units[1], 15);
    CHECK_EQUAL(unit, plan.share_units[2], 9);
    CHECK_EQUAL(unit, plan.share_units[3], 7);
    CHECK(unit, plan.makespan_ps >= 49248400 - 1);
    CHECK(unit, plan.makespan_ps <= 49248400 + 1);
}

static void cray_t3d_of_theory(struct unit *unit)
{
    static const uint32_t volumes[] = {1000000, 199867, 39946, 7982, 1594, 317};
    static const uint32_t shares[] = {1166, 501, 364, 333, 323, 317};
    struct planner_input input = input_of(1000000, 1000000, 3300, 4850000, 20);
    struct planner_plan plan;

    CHECK_EQUAL(unit, fixed(&plan, input, 5), ERR_OK);
    for (unsigned i = 0; i < 6; ++i) {
        CHECK_EQUAL(unit, plan.volume_units[i], volumes[i]);
        CHECK_EQUAL(unit, plan.share_units[i], shares[i]);
    }
    CHECK_EQUAL(unit, plan.makespan_ps, 1166023004);
}

static void tie_takes_the_larger_number_of_phases(struct unit *unit)
{
    struct planner_input input = input_of(42, 7, 7, 42, 20);
    struct planner_plan plan;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 2);
    CHECK_EQUAL(unit, plan.volume_units[1], 6);
    CHECK_EQUAL(unit, plan.volume_units[2], 0);
    CHECK_EQUAL(unit, plan.share_units[0], 18);
    CHECK_EQUAL(unit, plan.share_units[1], 6);
    CHECK_EQUAL(unit, plan.share_units[2], 0);
    CHECK_EQUAL(unit, plan.makespan_ps, 18 * 7);
    CHECK_EQUAL(unit, fixed(&plan, input, 1), ERR_OK);
    CHECK_EQUAL(unit, plan.makespan_ps, 18 * 7);
}

static void one_unit_below_the_tie_is_infeasible(struct unit *unit)
{
    struct planner_input input = input_of(41, 7, 7, 42, 20);
    struct planner_plan plan;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 1);
    CHECK_EQUAL(unit, fixed(&plan, input, 2), ERR_PHASES);
    CHECK_EQUAL(unit, plan.phases_feasible, 1);
}

/* The limit of N phases, g (q^N - 1) / (q - 1), g = 6, q = 6, exactly. */
static void every_limit_is_feasible_and_one_less_is_not(struct unit *unit)
{
    uint32_t limit = 6;

    for (uint8_t phases = 1; phases <= 11; ++phases) {
        struct planner_input at = input_of(limit, 1000, 1000, 6000, 20);
        struct planner_input below = input_of(limit - 1, 1000, 1000, 6000, 20);
        struct planner_plan plan;

        CHECK_EQUAL(unit, planner_plan(&plan, &at), ERR_OK);
        CHECK_EQUAL(unit, plan.phases, phases);
        CHECK_EQUAL(unit, plan.volume_units[phases], 0);
        CHECK_EQUAL(unit, planner_plan(&plan, &below), ERR_OK);
        CHECK_EQUAL(unit, plan.phases, phases - 1);
        limit = 6 * limit + 6;
    }
}

/* Exact integers at every layer though 1 / (5 + rho) is none. */
static void exact_volumes_do_not_fall_below_themselves(struct unit *unit)
{
    static const uint32_t transfers[] = {0, 1, 2, 3, 5, 7};

    for (unsigned t = 0; t < sizeof transfers / sizeof transfers[0]; ++t) {
        uint32_t load = 1;
        uint32_t volume;
        uint8_t phases = 0;
        struct planner_input input;
        struct planner_plan plan;

        for (; load <= UINT32_MAX / (5 + transfers[t]); ++phases) {
            load *= 5 + transfers[t];
        }
        input = input_of(load, 1, transfers[t], 0, phases);
        CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
        CHECK_EQUAL(unit, plan.phases, phases);
        volume = 1;
        for (unsigned layer = phases + 1u; layer-- > 0;) {
            CHECK_EQUAL(unit, plan.volume_units[layer], volume);
            volume *= 5 + transfers[t];
        }
    }
}

/* a_1 is an integer though v_1 and v_2 are none and round down. */
static void exact_shares_do_not_fall_below_themselves(struct unit *unit)
{
    static const struct {
        uint32_t load, compute, transfer, first, second, share;
    } cases[] = {
        {3781963854u, 1000, 995000, 2000, 852, 3766836},
        {2993213852u, 1000, 995000, 0, 852, 2981241},
        {3855798923u, 7, 105, 1, 3, 154231957},
        {4218819097u, 21, 20895, 37, 29784201, 4207617},
        {2392110899u, 13, 195, 7, 4, 95684436},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct planner_input input =
            input_of(cases[i].load, cases[i].compute, cases[i].transfer, 0, 2);
        struct planner_plan plan;

        input.startup_ps[0] = cases[i].first;
        input.startup_ps[1] = cases[i].second;
        CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
        CHECK_EQUAL(unit, plan.phases, 2);
        CHECK_EQUAL(unit, plan.share_units[1], cases[i].share);
    }
}

static void one_unit_of_load(struct unit *unit)
{
    struct planner_input input = input_of(1, 9000, 9000, 0, 2);
    struct planner_plan plan;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 2);
    CHECK_EQUAL(unit, plan.volume_units[0], 1);
    CHECK_EQUAL(unit, plan.volume_units[1], 0);
    CHECK_EQUAL(unit, plan.share_units[0], 0);
    CHECK_EQUAL(unit, plan.makespan_ps, 2000);
    input = input_of(1, 9000, 9000, 9001, 2);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 0);
    CHECK_EQUAL(unit, plan.share_units[0], 1);
    CHECK_EQUAL(unit, plan.makespan_ps, 9000);
    /* A startup as long as the whole load: N = 1 with nothing to send. */
    input = input_of(1, 9000, 9000, 9000, 2);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 1);
    CHECK_EQUAL(unit, plan.share_units[0], 1);
}

static void largest_load(struct unit *unit)
{
    struct planner_input input = input_of(UINT32_MAX, 1, 0, 0, 1);
    struct planner_plan plan;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.volume_units[0], UINT32_MAX);
    CHECK_EQUAL(unit, plan.volume_units[1], UINT32_MAX / 5);
    CHECK_EQUAL(unit, plan.share_units[0], UINT32_MAX / 5);
    CHECK_EQUAL(unit, plan.makespan_ps, UINT32_MAX / 5);
    /* V * compute at 2^63: no communication, all of it on one node. */
    input = input_of(UINT32_MAX, (uint64_t)1 << 31, 0, 0, 0);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 0);
    CHECK_EQUAL(unit, plan.makespan_ps, (uint64_t)UINT32_MAX << 31);
    input.compute_ps += 1;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
}

static void empty_load_is_refused(struct unit *unit)
{
    struct planner_input input = input_of(0, 1000, 1000, 0, 2);
    struct planner_plan plan;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_EMPTY);
}

static void numbers_out_of_range_are_refused(struct unit *unit)
{
    struct planner_input input;
    struct planner_plan plan;

    input = input_of(100, 0, 1000, 0, 2);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
    input = input_of(100, PLANNER_TIME_MAX_PS + 1, 1000, 0, 2);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
    input = input_of(100, 1000, PLANNER_TIME_MAX_PS + 1, 0, 2);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
    input = input_of(100, 1000, 1000, 0, PLANNER_PHASES_MAX + 1);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
    input = input_of(100, 1000, 1000, 0, 2);
    input.startup_ps[1] = PLANNER_STARTUP_MAX_PS + 1;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
    /* Startups of phases that the torus does not have do not matter. */
    input.phases_max = 1;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
}

/* Also of phases behind one that is not feasible. */
static void numbers_of_every_phase_have_ranges(struct unit *unit)
{
    for (unsigned phase = 0; phase < 3; ++phase) {
        struct planner_input input = input_of(10, 1, 1, 1000, 3);
        struct planner_plan plan;

        CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
        CHECK_EQUAL(unit, plan.phases_feasible, 0);
        input.startup_ps[phase] = PLANNER_STARTUP_MAX_PS + 1;
        CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
        input.startup_ps[phase] = PLANNER_STARTUP_MAX_PS;
        CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
        input.stages[phase] = PLANNER_STAGES_MAX + 1;
        CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
    }
}

static void ends_of_the_ranges_are_accepted(struct unit *unit)
{
    struct planner_input input =
        input_of(1u << 23, PLANNER_TIME_MAX_PS, PLANNER_TIME_MAX_PS,
                 PLANNER_STARTUP_MAX_PS, PLANNER_PHASES_MAX);
    struct planner_plan plan;

    /* v_1 = (2^23 - 2^10) / 6 and so on: g = 1024, q = 6. */
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.volume_units[1], 1397930);
    CHECK_EQUAL(unit, plan.phases, 5);
    input = input_of(1, 1, PLANNER_TIME_MAX_PS, PLANNER_STARTUP_MAX_PS, 20);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 0);
    CHECK_EQUAL(unit, plan.makespan_ps, 1);
    input = input_of(UINT32_MAX, 1, PLANNER_TIME_MAX_PS, 0, 20);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 20);
    CHECK_EQUAL(unit, plan.volume_units[1], 0);
}

/* Each phase with its own startup: v = 1000, 180, 28, 4; q = 5. */
static void startups_differ_by_phase(struct unit *unit)
{
    struct planner_input input = input_of(1000, 10, 0, 0, 4);
    struct planner_plan plan;

    input.startup_ps[0] = 1000;
    input.startup_ps[1] = 400;
    input.startup_ps[2] = 80;
    input.startup_ps[3] = 41;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 3);
    CHECK_EQUAL(unit, plan.volume_units[1], 180);
    CHECK_EQUAL(unit, plan.volume_units[2], 28);
    CHECK_EQUAL(unit, plan.volume_units[3], 4);
    CHECK_EQUAL(unit, plan.share_units[0], 152);
    CHECK_EQUAL(unit, plan.share_units[1], 52);
    CHECK_EQUAL(unit, plan.share_units[2], 12);
    CHECK_EQUAL(unit, plan.share_units[3], 4);
    CHECK_EQUAL(unit, plan.makespan_ps, 1520);
}

/* Theory 1.6: s = 3, 1; a = 529/12, 113/24, 89/48; v_1 = 97/8. */
static void nodes_store_and_forward(struct unit *unit)
{
    struct planner_input input = input_of(100, 12, 12, 36, 2);
    struct planner_plan plan;

    input.startup_ps[1] = 12;
    input.stages[0] = 3;
    input.stages[1] = 1;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 2);
    CHECK_EQUAL(unit, plan.volume_units[1], 12);
    CHECK_EQUAL(unit, plan.volume_units[2], 1);
    CHECK_EQUAL(unit, plan.share_units[0], 44);
    CHECK_EQUAL(unit, plan.share_units[1], 4);
    CHECK_EQUAL(unit, plan.share_units[2], 1);
    CHECK_EQUAL(unit, plan.makespan_ps, 529);
}

/* Theory 1.6: half as much comes back; v = 100, 196/13, 340/169. */
static void results_come_back(struct unit *unit)
{
    struct planner_input input = input_of(100, 169, 169, 2 * 169, 2);
    struct planner_plan plan;

    input.results_numerator = 1;
    input.results_denominator = 2;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 2);
    CHECK_EQUAL(unit, plan.volume_units[1], 15);
    CHECK_EQUAL(unit, plan.volume_units[2], 2);
    CHECK_EQUAL(unit, plan.share_units[0], 31);
    CHECK_EQUAL(unit, plan.share_units[1], 7);
    CHECK_EQUAL(unit, plan.share_units[2], 2);
    CHECK_EQUAL(unit, plan.makespan_ps, 5348);
    /* No results, whatever P: rho = 1 and g = 2, v_1 = 98/6. */
    input.results_denominator = 0;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.volume_units[1], 16);
    /* P = 0: results without units. */
    input.results_numerator = 0;
    input.results_denominator = 1;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.volume_units[1], 16);
}

static void stages_and_results_have_ranges(struct unit *unit)
{
    struct planner_input input =
        input_of(1u << 23, PLANNER_TIME_MAX_PS, PLANNER_TIME_MAX_PS, 0, 20);
    struct planner_plan plan;

    for (unsigned i = 0; i < PLANNER_PHASES_MAX; ++i) {
        input.stages[i] = PLANNER_STAGES_MAX;
    }
    input.results_numerator = PLANNER_RESULTS_MAX;
    input.results_denominator = 1;
    /* q = 5 + 2048 * 1001. */
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 20);
    CHECK_EQUAL(unit, plan.volume_units[1], 4);
    CHECK_EQUAL(unit, plan.share_units[0], (1u << 23) - 17);
    input.results_numerator = PLANNER_RESULTS_MAX + 1;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
    input.results_numerator = 1;
    input.results_denominator = PLANNER_RESULTS_MAX + 1;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
    input.results_denominator = PLANNER_RESULTS_MAX;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    input.stages[19] += 1;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_RANGE);
    input.phases_max = 19;
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
}

/* v_2 = 0 though neither v_1 nor g is an integer: V = 44, c = 3, g = 22/3. */
static void tie_between_units_counts_as_feasible(struct unit *unit)
{
    struct planner_input input = input_of(44, 3, 0, 22, 20);
    struct planner_plan plan;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 2);
    CHECK_EQUAL(unit, plan.volume_units[1], 7);
    CHECK_EQUAL(unit, plan.share_units[1], 7);
    CHECK_EQUAL(unit, plan.makespan_ps, 44);
    input = input_of(44, 3000000, 0, 22000001, 20);
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, 1);
}

static void more_phases_than_the_torus_has_are_refused(struct unit *unit)
{
    struct planner_input input = input_of(1000000, 1000, 10, 0, 4);
    struct planner_plan plan;

    CHECK_EQUAL(unit, fixed(&plan, input, 5), ERR_PHASES);
    CHECK_EQUAL(unit, plan.phases_feasible, 4);
    CHECK_EQUAL(unit, fixed(&plan, input, 255), ERR_PHASES);
    CHECK_EQUAL(unit, fixed(&plan, input, 4), ERR_OK);
    CHECK_EQUAL(unit, fixed(&plan, input, 0), ERR_OK);
    CHECK_EQUAL(unit, plan.share_units[0], 1000000);
}

static void fewer_phases_never_finish_earlier(struct unit *unit)
{
    struct planner_input input = input_of(1000000, 1000, 10, 5000, 20);
    struct planner_plan plan;
    uint64_t before = UINT64_MAX;

    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    for (uint8_t n = 0; n <= plan.phases_feasible; ++n) {
        CHECK_EQUAL(unit, fixed(&plan, input, n), ERR_OK);
        CHECK(unit, plan.makespan_ps <= before);
        before = plan.makespan_ps;
    }
}

void test_planner(struct unit *unit)
{
    UNIT_RUN(unit, no_startup_two_phases);
    UNIT_RUN(unit, hundred_units_of_theory);
    UNIT_RUN(unit, thousand_units_of_theory);
    UNIT_RUN(unit, cray_t3d_of_theory);
    UNIT_RUN(unit, tie_takes_the_larger_number_of_phases);
    UNIT_RUN(unit, one_unit_below_the_tie_is_infeasible);
    UNIT_RUN(unit, every_limit_is_feasible_and_one_less_is_not);
    UNIT_RUN(unit, exact_volumes_do_not_fall_below_themselves);
    UNIT_RUN(unit, exact_shares_do_not_fall_below_themselves);
    UNIT_RUN(unit, one_unit_of_load);
    UNIT_RUN(unit, largest_load);
    UNIT_RUN(unit, empty_load_is_refused);
    UNIT_RUN(unit, numbers_out_of_range_are_refused);
    UNIT_RUN(unit, numbers_of_every_phase_have_ranges);
    UNIT_RUN(unit, ends_of_the_ranges_are_accepted);
    UNIT_RUN(unit, startups_differ_by_phase);
    UNIT_RUN(unit, nodes_store_and_forward);
    UNIT_RUN(unit, results_come_back);
    UNIT_RUN(unit, stages_and_results_have_ranges);
    UNIT_RUN(unit, tie_between_units_counts_as_feasible);
    UNIT_RUN(unit, more_phases_than_the_torus_has_are_refused);
    UNIT_RUN(unit, fewer_phases_never_finish_earlier);
}
