/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/one_round.h"
#include "scatter/plan/split.h"
#include "test/unit/unit.h"
#include "torus/pattern.h"

/* V = 100, transfer = startup = compute: floors of 71/3, 37/6, 31/12. */
static const uint32_t volume_100[] = {100, 16, 2};
static const uint32_t share_100[] = {23, 6, 2};

static void hundred_units_of_theory(struct unit *unit)
{
    struct split root;
    struct split middle;
    struct split leaf;

    CHECK_EQUAL(unit, split_volume(&root, volume_100, share_100, 2, 0, 100),
                ERR_OK);
    CHECK_EQUAL(unit, root.share_units, 23);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        CHECK_EQUAL(unit, split_child_units(&root, 1, port), 17);
        CHECK_EQUAL(unit, split_child_units(&root, 2, port), port == 0 ? 3 : 2);
    }
    CHECK_EQUAL(unit, split_volume(&middle, volume_100, share_100, 2, 1, 17),
                ERR_OK);
    CHECK_EQUAL(unit, middle.share_units, 6);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        CHECK_EQUAL(unit, split_child_units(&middle, 2, port),
                    port == 3 ? 2 : 3);
    }
    for (uint32_t units = 2; units <= 3; ++units) {
        CHECK_EQUAL(unit,
                    split_volume(&leaf, volume_100, share_100, 2, 2, units),
                    ERR_OK);
        CHECK_EQUAL(unit, leaf.share_units, units);
    }
}

/* Of the parts that `units` is cut into: sum, and floors or ceilings. */
static void check_cover(struct unit *unit, const struct split *split,
                        const struct planner_plan *plan, unsigned layer,
                        uint32_t units)
{
    uint64_t sum = split->share_units;

    CHECK(unit, split->share_units - plan->share_units[layer] <= 1);
    for (unsigned phase = layer + 1; phase <= plan->phases; ++phase) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            uint32_t part = split_child_units(split, phase, port);

            CHECK(unit, part - plan->volume_units[phase] <= 1);
            sum += part;
        }
    }
    CHECK_EQUAL(unit, sum, units);
}

/*
 * The whole tree by classes: the nodes of a layer receive floor v or
 * floor v + 1; `many` counts either. Adds up what everybody keeps.
 */
static void check_tree(struct unit *unit, uint32_t load, uint64_t compute,
                       uint64_t transfer, uint64_t startup, uint8_t phases)
{
    struct planner_input input = {.load_units = load,
                                  .compute_ps = compute,
                                  .transfer_ps = transfer,
                                  .phases_max = phases};
    struct planner_plan plan;
    uint64_t many[PLANNER_PHASES_MAX + 1][2] = {{1, 0}};
    uint64_t kept = 0;

    for (unsigned i = 0; i < phases; ++i) {
        input.startup_ps[i] = startup;
    }
    CHECK_EQUAL(unit, planner_plan(&plan, &input), ERR_OK);
    for (unsigned layer = 0; layer <= plan.phases; ++layer) {
        if (layer > 0 && layer <= 13) {
            CHECK_EQUAL(unit, many[layer][0] + many[layer][1],
                        torus_layer_nodes(layer));
        }
        for (unsigned more = 0; more < 2; ++more) {
            uint32_t units = plan.volume_units[layer] + more;
            struct split split;

            if (many[layer][more] == 0) {
                continue;
            }
            CHECK_EQUAL(unit,
                        split_volume(&split, plan.volume_units,
                                     plan.share_units, plan.phases, layer,
                                     units),
                        ERR_OK);
            check_cover(unit, &split, &plan, layer, units);
            kept += many[layer][more] * split.share_units;
            for (unsigned i = layer + 1; i <= plan.phases; ++i) {
                many[i][1] += many[layer][more] * split_extra(&split, i);
                many[i][0] +=
                    many[layer][more] * (TORUS_PORTS - split_extra(&split, i));
            }
        }
    }
    CHECK_EQUAL(unit, kept, load);
}

static void small_loads_are_covered_exactly(struct unit *unit)
{
    for (uint32_t load = 1; load <= 700; ++load) {
        for (uint8_t phases = 0; phases <= 6; ++phases) {
            check_tree(unit, load, 1000, 1000, 0, phases);
            check_tree(unit, load, 1000, 3, 0, phases);
            check_tree(unit, load, 1000, 777, 1234, phases);
        }
    }
}

static void large_loads_are_covered_exactly(struct unit *unit)
{
    uint32_t load = UINT32_MAX;

    for (unsigned i = 0; i < 300; ++i) {
        check_tree(unit, load, 1000, 7, 0, 10);
        check_tree(unit, load, 1000000, 3300, 4850000, 10);
        check_tree(unit, load, 3, 1000, 100, 6);
        load -= load / 20;
    }
}

static void more_or_less_than_a_node_gets_is_refused(struct unit *unit)
{
    struct split split;

    for (unsigned layer = 0; layer <= 2; ++layer) {
        uint32_t floors = share_100[layer];
        uint32_t parts = 1;

        for (unsigned i = layer + 1; i <= 2; ++i) {
            floors += TORUS_PORTS * volume_100[i];
            parts += TORUS_PORTS;
        }
        for (uint32_t units = 0; units <= 130; ++units) {
            int want =
                units >= floors && units <= floors + parts ? ERR_OK : ERR_PLAN;

            CHECK_EQUAL(
                unit,
                split_volume(&split, volume_100, share_100, 2, layer, units),
                want);
        }
        CHECK_EQUAL(
            unit,
            split_volume(&split, volume_100, share_100, 2, layer, UINT32_MAX),
            ERR_PLAN);
    }
}

static void no_phases_keep_everything(struct unit *unit)
{
    uint32_t all = UINT32_MAX;
    struct split split;

    CHECK_EQUAL(unit, split_volume(&split, &all, &all, 0, 0, all), ERR_OK);
    CHECK_EQUAL(unit, split.share_units, all);
}

void test_split(struct unit *unit)
{
    UNIT_RUN(unit, hundred_units_of_theory);
    UNIT_RUN(unit, small_loads_are_covered_exactly);
    UNIT_RUN(unit, large_loads_are_covered_exactly);
    UNIT_RUN(unit, more_or_less_than_a_node_gets_is_refused);
    UNIT_RUN(unit, no_phases_keep_everything);
}
