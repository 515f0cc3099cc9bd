/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every check of a simulation must be able to fail: a table, a path or a cost
 * is spoiled, and the checks that must notice it are named.
 */
#include "qemu/model/simulate.h"
#include "test/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define LOAD_UNITS 1000000u

/* A scatter that can be spoiled, and what came of it. */
struct scene {
    struct simulate_input input;
    struct model_plan model;
    struct simulate_outcome outcome;
};

#define BIT(check) (1u << (check))
#define ALL_CHECKS (BIT(SIMULATE_CHECKS) - 1)

/* Plans anew, after a change of load or costs. */
static void set_tables(struct unit *unit, struct scene *scene)
{
    struct simulate_input *input = &scene->input;
    struct planner_input planner = {.load_units = input->load_units,
                                    .compute_ps = input->compute_ps,
                                    .transfer_ps = input->transfer_ps,
                                    .phases_max = input->phases};
    struct model_input model = {.load_units = input->load_units,
                                .compute_ps = input->compute_ps,
                                .transfer_ps = input->transfer_ps,
                                .phases_max = input->phases};
    struct planner_plan plan;

    for (unsigned i = 0; i < input->phases; ++i) {
        planner.startup_ps[i] = input->startup_ps;
        model.startup_ps[i] = input->startup_ps;
    }
    CHECK_EQUAL(unit, planner_plan(&plan, &planner), ERR_OK);
    CHECK_EQUAL(unit, model_plan(&scene->model, &model), ERR_OK);
    CHECK_EQUAL(unit, plan.phases, input->phases);
    memcpy(input->tables.volume_units, plan.volume_units,
           sizeof plan.volume_units);
    memcpy(input->tables.share_units, plan.share_units,
           sizeof plan.share_units);
}

/* With the costs of the T3D, all phases, the tables that follow. */
static struct scene scene_of(struct unit *unit, uint16_t side)
{
    struct scene scene = {
        .input = {.size = {side, side},
                  .originator = {(uint16_t)(side / 2), (uint16_t)(side - 1)},
                  .load_units = LOAD_UNITS,
                  .startup_ps = 4850000,
                  .transfer_ps = 3300,
                  .compute_ps = 1000000}};

    scene.input.phases = (uint8_t)torus_phases(scene.input.size);
    simulate_set_paths(&scene.input);
    set_tables(unit, &scene);
    return scene;
}

/* The result of simulate_run(); without the nodes. */
static int run(struct scene *scene)
{
    struct torus_size size = scene->input.size;
    struct simulate_node *nodes = malloc(torus_nodes(size) * sizeof *nodes);
    int error;

    if (nodes == NULL) {
        abort();
    }
    error = simulate_run(&scene->outcome, nodes, &scene->input);
    free(nodes);
    return error;
}

/* Bits of the checks that the outcome fails. */
static unsigned judge(const struct scene *scene)
{
    bool passed[SIMULATE_CHECKS];
    unsigned bits = 0;

    simulate_check(passed, &scene->outcome, &scene->input, &scene->model);
    for (unsigned i = 0; i < SIMULATE_CHECKS; ++i) {
        bits |= passed[i] ? 0 : BIT(i);
    }
    return bits;
}

static unsigned failed(struct unit *unit, struct scene *scene)
{
    CHECK_EQUAL(unit, run(scene), ERR_OK);
    return judge(scene);
}

static void a_good_scatter_passes(struct unit *unit)
{
    static const uint16_t sides[] = {1, 5, 25, 125};

    for (unsigned i = 0; i < 4; ++i) {
        struct scene scene = scene_of(unit, sides[i]);

        CHECK_EQUAL(unit, failed(unit, &scene), 0);
        CHECK_EQUAL(unit, scene.outcome.conflicts, 0);
        CHECK_EQUAL(unit, scene.outcome.circuits_set_up,
                    sides[i] * sides[i] - 1);
        CHECK_EQUAL(unit, scene.outcome.circuits_ended,
                    sides[i] * sides[i] - 1);
    }
}

/* The parent cannot split it: it keeps all, and its subtree gets nothing. */
static void a_volume_that_is_refused_is_noticed(struct unit *unit)
{
    for (unsigned layer = 1; layer <= 4; ++layer) {
        struct scene scene = scene_of(unit, 25);

        scene.input.tables.volume_units[layer] += 1000;
        CHECK_EQUAL(unit, failed(unit, &scene),
                    ALL_CHECKS &
                        ~(BIT(SIMULATE_TOTAL) | BIT(SIMULATE_DISJOINT)));
        CHECK(unit, scene.outcome.refused > 0);
    }
}

/* Its own share and one child's volume changed alike: nothing is refused. */
static void a_wrong_share_is_noticed(struct unit *unit)
{
    struct scene scene = scene_of(unit, 5);

    scene.input.tables.share_units[2] -= 40;
    scene.input.tables.volume_units[2] -= 40;
    scene.input.tables.share_units[1] += 160;
    scene.input.tables.share_units[0] += 160;
    CHECK_EQUAL(unit, failed(unit, &scene),
                BIT(SIMULATE_VOLUMES) | BIT(SIMULATE_SHARES) |
                    BIT(SIMULATE_MAKESPAN));
    CHECK_EQUAL(unit, scene.outcome.units_total, LOAD_UNITS);
}

/* Dimension order: two of the four knights would share links. */
static void paths_by_dimension_are_noticed(struct unit *unit)
{
    struct scene scene = scene_of(unit, 25);
    struct torus_path *knights = scene.input.path[0];

    knights[TORUS_NORTH] = (struct torus_path){TORUS_WEST, TORUS_RIGHT, 10, 5};
    knights[TORUS_SOUTH] = (struct torus_path){TORUS_EAST, TORUS_RIGHT, 10, 5};
    CHECK_EQUAL(unit, failed(unit, &scene),
                BIT(SIMULATE_DISJOINT) | BIT(SIMULATE_MAKESPAN));
    CHECK_EQUAL(unit, scene.outcome.overlaps, 2 * 5);
    CHECK_EQUAL(unit, scene.outcome.first_overlap.phase, 1);
    CHECK(unit, scene.outcome.conflicts > 0);
}

static void a_wrong_destination_is_noticed(struct unit *unit)
{
    struct scene scene = scene_of(unit, 25);
    unsigned want =
        BIT(SIMULATE_REACHED) | BIT(SIMULATE_LAYERS) | BIT(SIMULATE_TOTAL);

    scene.input.path[3][TORUS_EAST].hops = 2;
    CHECK_EQUAL(unit, failed(unit, &scene) & want, want);
    CHECK(unit, scene.outcome.reached_again > 0);
}

/* Two layers swapped: every node once, but not in its own phase. */
static void a_wrong_layer_is_noticed(struct unit *unit)
{
    struct scene scene = scene_of(unit, 25);
    struct torus_path knights[TORUS_PORTS];

    memcpy(knights, scene.input.path[0], sizeof knights);
    memcpy(scene.input.path[0], scene.input.path[2], sizeof knights);
    memcpy(scene.input.path[2], knights, sizeof knights);
    CHECK_EQUAL(unit, failed(unit, &scene) & BIT(SIMULATE_LAYERS),
                BIT(SIMULATE_LAYERS));
}

static void wrong_costs_are_noticed(struct unit *unit)
{
    struct scene slow = scene_of(unit, 25);
    struct scene fast = scene_of(unit, 25);

    slow.input.startup_ps += 1000000;
    CHECK_EQUAL(unit, failed(unit, &slow), BIT(SIMULATE_MAKESPAN));
    fast.input.compute_ps -= 1000;
    CHECK_EQUAL(unit, failed(unit, &fast), BIT(SIMULATE_MAKESPAN));
}

/* Each count of the outcome is looked at. */
static void wrong_counts_are_noticed(struct unit *unit)
{
    struct scene good = scene_of(unit, 5);
    struct scene bad;

    CHECK_EQUAL(unit, failed(unit, &good), 0);
    bad = good;
    bad.outcome.units_total -= 1;
    CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_TOTAL));
    bad = good;
    bad.outcome.reached -= 1;
    CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_REACHED));
    bad = good;
    bad.outcome.reached_again += 1;
    CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_REACHED));
    bad = good;
    bad.outcome.finished -= 1;
    CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_REACHED));
    bad = good;
    bad.outcome.refused += 1;
    CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_VOLUMES));
    bad = good;
    bad.outcome.misplaced += 1;
    CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_LAYERS));
    bad = good;
    bad.outcome.layer[2].nodes -= 1;
    CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_LAYERS));
    bad = good;
    bad.outcome.overlaps += 1;
    CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_DISJOINT));
}

/* A unit below the floor, and two above it, on every layer that receives. */
static void wrong_ranges_are_noticed(struct unit *unit)
{
    struct scene good = scene_of(unit, 25);

    CHECK_EQUAL(unit, failed(unit, &good), 0);
    for (unsigned i = 1; i <= good.input.phases; ++i) {
        struct scene bad = good;

        bad.outcome.layer[i].volume_units.least =
            good.model.volume_floor[i] - 1;
        CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_VOLUMES));
        bad = good;
        bad.outcome.layer[i].share_units.least = good.model.share_floor[i] - 1;
        CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_SHARES));
        bad = good;
        bad.outcome.layer[i].volume_units.most = good.model.volume_floor[i] + 2;
        CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_VOLUMES));
        bad = good;
        bad.outcome.layer[i].share_units.most = good.model.share_floor[i] + 2;
        CHECK_EQUAL(unit, judge(&bad), BIT(SIMULATE_SHARES));
    }
}

/* The model's makespan, the bound, and one picosecond of rounding. */
static void a_wrong_makespan_is_noticed(struct unit *unit)
{
    struct scene scene = scene_of(unit, 5);
    uint64_t model_ps = scene.model.makespan_ps;
    uint64_t bound_ps = 2 * 3300 + 1000000;
    uint64_t slack_ps = 1 + bound_ps / (1 << 18);

    CHECK_EQUAL(unit, failed(unit, &scene), 0);
    CHECK_EQUAL(unit, simulate_bound_ps(&scene.input), bound_ps);
    scene.outcome.finish_ps.most = model_ps - slack_ps;
    CHECK_EQUAL(unit, judge(&scene), 0);
    scene.outcome.finish_ps.most -= 1;
    CHECK_EQUAL(unit, judge(&scene), BIT(SIMULATE_MAKESPAN));
    scene.outcome.finish_ps.most = model_ps + bound_ps + slack_ps;
    CHECK_EQUAL(unit, judge(&scene), 0);
    scene.outcome.finish_ps.most += 1;
    CHECK_EQUAL(unit, judge(&scene), BIT(SIMULATE_MAKESPAN));
}

static void times_beyond_the_range_are_refused(struct unit *unit)
{
    struct scene scene = scene_of(unit, 5);

    scene.input.startup_ps = (uint64_t)1 << 63;
    CHECK_EQUAL(unit, run(&scene), ERR_RANGE);
    scene = scene_of(unit, 5);
    scene.input.transfer_ps = (uint64_t)1 << 60;
    CHECK_EQUAL(unit, run(&scene), ERR_RANGE);
    scene = scene_of(unit, 5);
    scene.input.compute_ps = UINT64_MAX;
    CHECK_EQUAL(unit, run(&scene), ERR_RANGE);
    scene.input.compute_ps =
        ((uint64_t)1 << 63) / scene.input.tables.share_units[0];
    CHECK_EQUAL(unit, run(&scene), ERR_OK);
    scene.input.compute_ps += 1;
    CHECK_EQUAL(unit, run(&scene), ERR_RANGE);
}

static void all(struct unit *unit)
{
    UNIT_RUN(unit, a_good_scatter_passes);
    UNIT_RUN(unit, a_volume_that_is_refused_is_noticed);
    UNIT_RUN(unit, a_wrong_share_is_noticed);
    UNIT_RUN(unit, paths_by_dimension_are_noticed);
    UNIT_RUN(unit, a_wrong_destination_is_noticed);
    UNIT_RUN(unit, a_wrong_layer_is_noticed);
    UNIT_RUN(unit, wrong_costs_are_noticed);
    UNIT_RUN(unit, wrong_counts_are_noticed);
    UNIT_RUN(unit, wrong_ranges_are_noticed);
    UNIT_RUN(unit, a_wrong_makespan_is_noticed);
    UNIT_RUN(unit, times_beyond_the_range_are_refused);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
