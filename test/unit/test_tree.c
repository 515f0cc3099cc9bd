/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/baselines.h"
#include "qemu/schedule/scatter.h"
#include "test/unit/unit.h"
#include "torus/pattern.h"

#define NODES_MAX 64u

typedef int grow(struct schedule_branch tree[], struct torus_size size,
                 struct torus_coord originator);

static grow *const growers[] = {schedule_scatter, schedule_binomial,
                                schedule_nearest, schedule_star};

#define GROWERS (sizeof growers / sizeof *growers)

/* Follows the paths from the root; every node must be met once. */
static void check_tree(struct unit *unit, const struct schedule_branch tree[],
                       struct torus_size size, uint32_t *links)
{
    bool met[NODES_MAX] = {false};

    met[torus_index(size, tree[0].at)] = true;
    for (uint32_t node = 0; node < tree[0].nodes; ++node) {
        for (uint32_t child = node + 1; child < schedule_tree_next(tree, node);
             child = schedule_tree_next(tree, child)) {
            struct torus_coord end =
                torus_path_end(size, tree[node].at, tree[child].path);
            uint32_t index = torus_index(size, tree[child].at);

            CHECK(unit, torus_path_valid(size, tree[child].path));
            CHECK_EQUAL(unit, torus_index(size, end), index);
            CHECK(unit, tree[child].phase > tree[node].phase);
            CHECK(unit, !met[index]);
            met[index] = true;
            *links += torus_path_hops(tree[child].path);
        }
    }
}

static void every_node_is_reached_once(struct unit *unit)
{
    struct schedule_branch tree[NODES_MAX];

    for (uint16_t height = 1; height <= 8; ++height) {
        for (uint16_t width = 1; width <= 8; ++width) {
            struct torus_size size = {width, height};
            struct torus_coord originator = {(uint16_t)(width / 2),
                                             (uint16_t)(height - 1)};
            uint32_t links[GROWERS] = {0};

            for (unsigned i = 0; i < GROWERS; ++i) {
                int phases = growers[i](tree, size, originator);

                CHECK(unit, phases >= 0);
                CHECK_EQUAL(unit, tree[0].nodes, width * height);
                check_tree(unit, tree, size, &links[i]);
            }
            /* Neighbours are one link apart, and nothing is shorter. */
            CHECK_EQUAL(unit, links[2], width * height - 1);
            CHECK(unit, links[0] >= links[2] && links[1] >= links[2]);
        }
    }
}

static void children_are_listed_by_rising_phase(struct unit *unit)
{
    /* 0 sends to 1 and 3 first, then to 2; 1 sends to 4. A ring of 5. */
    static const struct schedule_circuit circuits[] = {
        {0, 0, {0}},
        {0, 1, {TORUS_EAST, TORUS_STRAIGHT, 1, 0}},
        {0, 2, {TORUS_EAST, TORUS_STRAIGHT, 2, 0}},
        {0, 1, {TORUS_WEST, TORUS_STRAIGHT, 2, 0}},
        {1, 2, {TORUS_WEST, TORUS_STRAIGHT, 2, 0}},
    };
    static const uint16_t x[] = {3, 4, 2, 1, 0};
    static const uint16_t nodes[] = {5, 2, 1, 1, 1};
    static const uint16_t phases[] = {0, 1, 2, 1, 2};
    struct schedule_branch tree[5];

    CHECK_EQUAL(unit,
                schedule_tree_order(tree, (struct torus_size){5, 1},
                                    (struct torus_coord){3, 0}, circuits),
                2);
    for (uint32_t i = 0; i < 5; ++i) {
        CHECK_EQUAL(unit, tree[i].at.x, x[i]);
        CHECK_EQUAL(unit, tree[i].nodes, nodes[i]);
        CHECK_EQUAL(unit, tree[i].phase, phases[i]);
    }
    CHECK_EQUAL(unit, schedule_tree_next(tree, 0), 5);
    CHECK_EQUAL(unit, schedule_tree_next(tree, 1), 3);
    CHECK_EQUAL(unit, schedule_tree_next(tree, 3), 4);
}

static void sizes_without_a_tree(struct unit *unit)
{
    static const struct torus_size sizes[] = {
        {0, 1}, {1, 0}, {0, 0}, {126, 125}, {3125, 3125}};
    struct schedule_branch tree[1];

    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        for (unsigned j = 0; j < GROWERS; ++j) {
            CHECK_EQUAL(unit,
                        growers[j](tree, sizes[i], (struct torus_coord){0, 0}),
                        -1);
        }
    }
    CHECK_EQUAL(unit,
                schedule_scatter(tree, (struct torus_size){126, 1},
                                 (struct torus_coord){0, 0}),
                -1);
}

void test_tree(struct unit *unit)
{
    UNIT_RUN(unit, every_node_is_reached_once);
    UNIT_RUN(unit, children_are_listed_by_rising_phase);
    UNIT_RUN(unit, sizes_without_a_tree);
}
