/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/tree_plan.h"
#include "test/unit/unit.h"

#include <string.h>

#define NODES_MAX 40u
#define BYTES_MAX (NODES_MAX * TREE_BRANCH_BYTES)

static const struct torus_size size = {9, 7};

static uint32_t next(uint32_t *chance)
{
    *chance = *chance * 1664525u + 1013904223u;
    return *chance >> 8;
}

static void store_branch(uint8_t *branch, uint32_t nodes, unsigned phase,
                         unsigned port)
{
    memset(branch, 0, TREE_BRANCH_BYTES);
    bytes_store_u16(branch + 8, (uint16_t)nodes);
    branch[10] = (uint8_t)port;
    branch[11] = (uint8_t)phase;
    bytes_store_u16(branch + 12, phase > 0 ? 1 : 0);
}

/* A root and `count` leaves, four of each phase. */
static void make_star(uint8_t tree[], uint32_t count)
{
    store_branch(tree, count + 1, 0, 0);
    for (uint32_t i = 0; i < count; ++i) {
        store_branch(tree + TREE_BRANCH_BYTES * (i + 1), 1, 1 + i / 4, i % 4);
    }
}

/* Every node sends to the next. */
static void make_chain(uint8_t tree[], uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; ++i) {
        store_branch(tree + TREE_BRANCH_BYTES * i, nodes - i, i, i % 4);
    }
}

/* The scatter of 5x5: four of phase 1 that send to four of phase 2 each. */
static void make_scatter(uint8_t tree[])
{
    uint8_t *at = tree;

    store_branch(at, 25, 0, 0);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        at += TREE_BRANCH_BYTES;
        store_branch(at, 5, 1, port);
        for (unsigned below = 0; below < TORUS_PORTS; ++below) {
            at += TREE_BRANCH_BYTES;
            store_branch(at, 1, 2, below);
        }
    }
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        at += TREE_BRANCH_BYTES;
        store_branch(at, 1, 2, port);
    }
}

static int plan(uint8_t tree[], const struct tree_input *input,
                uint64_t *makespan_ps, unsigned *phases)
{
    static uint64_t work[168 + NODES_MAX * 7];

    return tree_plan(tree, input, work, makespan_ps, phases);
}

/* Every subtree's range is cut into its own share and its children's. */
static void check_ranges(struct unit *unit, const uint8_t *tree,
                         uint32_t load_units)
{
    const uint8_t *end = tree_next(tree);

    CHECK_EQUAL(unit, tree_first_unit(tree), 0);
    CHECK_EQUAL(unit, tree_units(tree), load_units);
    for (const uint8_t *at = tree; at < end; at += TREE_BRANCH_BYTES) {
        const uint8_t *child = at + TREE_BRANCH_BYTES;
        uint32_t position = tree_first_unit(at);

        if (child < tree_next(at)) {
            CHECK(unit, tree_first_unit(child) >= position);
            position = tree_first_unit(child);
        } else {
            position += tree_units(at);
        }
        for (; child < tree_next(at); child = tree_next(child)) {
            CHECK_EQUAL(unit, tree_first_unit(child), position);
            position += tree_units(child);
        }
        CHECK_EQUAL(unit, position, tree_first_unit(at) + tree_units(at));
    }
}

/* V = 100, all 1, by hand: a = 71/3, 37/6, 31/12; v = 33/2, 31/12. */
static void scatter_of_25_nodes(struct unit *unit)
{
    struct tree_input input = {.load_units = 100,
                               .compute_ps = 12000,
                               .transfer_ps = 12000,
                               .circuit_ps.startup = 12000,
                               .ports = TORUS_PORTS};
    uint8_t tree[BYTES_MAX];
    uint64_t makespan_ps = 0;
    unsigned phases = 0;

    make_scatter(tree);
    CHECK(unit, tree_valid(tree, 25 * TREE_BRANCH_BYTES, size));
    CHECK_EQUAL(unit, plan(tree, &input, &makespan_ps, &phases), ERR_OK);
    CHECK(unit, makespan_ps + 2 >= 284000 && makespan_ps <= 284000);
    CHECK_EQUAL(unit, phases, 2);
    CHECK_EQUAL(unit, tree_nodes(tree), 25);
    check_ranges(unit, tree, 100);
    /* The first child's range begins at 71/3, the second's 33/2 later. */
    CHECK_EQUAL(unit, tree_first_unit(tree + 16), 23);
    CHECK_EQUAL(unit, tree_first_unit(tree + 6 * 16), 40);
    /* Its own share ends at 71/3 + 37/6 = 179/6. */
    CHECK_EQUAL(unit, tree_first_unit(tree + 2 * 16), 29);
}

/* One port: 1649/31; two: 41; by hand. */
static void star_of_fewer_ports(struct unit *unit)
{
    static const struct {
        uint8_t ports;
        uint64_t makespan_ps;
    } cases[] = {{1, 1649000}, {2, 41 * 31000}, {4, 34 * 31000}};
    uint8_t tree[BYTES_MAX];

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct tree_input input = {.load_units = 100,
                                   .compute_ps = 31000,
                                   .transfer_ps = 31000,
                                   .circuit_ps.startup = 31000,
                                   .ports = cases[i].ports};
        uint64_t makespan_ps = 0;
        unsigned phases = 0;

        make_star(tree, 4);
        CHECK_EQUAL(unit, plan(tree, &input, &makespan_ps, &phases), ERR_OK);
        CHECK(unit, makespan_ps + 2 >= cases[i].makespan_ps);
        CHECK(unit, makespan_ps <= cases[i].makespan_ps);
        check_ranges(unit, tree, 100);
    }
}

/* V = 41 is too little for a startup more: the second phase goes. */
static void phases_that_are_too_many_are_cut(struct unit *unit)
{
    static const struct {
        uint32_t load_units;
        unsigned phases;
        uint32_t nodes;
    } cases[] = {{43, 2, 25}, {41, 1, 5}, {7, 1, 5}, {5, 0, 1}, {1, 0, 1}};
    uint8_t tree[BYTES_MAX];

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct tree_input input = {.load_units = cases[i].load_units,
                                   .compute_ps = 1000,
                                   .transfer_ps = 1000,
                                   .circuit_ps.startup = 6000,
                                   .ports = TORUS_PORTS};
        uint64_t makespan_ps = 0;
        unsigned phases = 9;

        make_scatter(tree);
        CHECK_EQUAL(unit, plan(tree, &input, &makespan_ps, &phases), ERR_OK);
        CHECK_EQUAL(unit, phases, cases[i].phases);
        CHECK_EQUAL(unit, tree_nodes(tree), cases[i].nodes);
        CHECK(unit,
              tree_valid(tree, TREE_BRANCH_BYTES * tree_nodes(tree), size));
        check_ranges(unit, tree, cases[i].load_units);
    }
}

static void equal_shares(struct unit *unit)
{
    static const uint32_t loads[] = {1, 24, 25, 26, 999, UINT32_MAX};
    uint8_t tree[BYTES_MAX];

    for (unsigned i = 0; i < sizeof loads / sizeof *loads; ++i) {
        struct tree_input input = {.load_units = loads[i],
                                   .compute_ps = 1000,
                                   .transfer_ps = 1000,
                                   .circuit_ps.startup = 1000000,
                                   .ports = TORUS_PORTS,
                                   .equal = true};
        uint64_t makespan_ps = 0;
        unsigned phases = 0;

        make_scatter(tree);
        CHECK_EQUAL(unit, plan(tree, &input, &makespan_ps, &phases), ERR_OK);
        CHECK_EQUAL(unit, phases, 2);
        CHECK_EQUAL(unit, tree_nodes(tree), 25);
        check_ranges(unit, tree, loads[i]);
        for (unsigned leaf = 2; leaf < 6; ++leaf) {
            uint32_t units = tree_units(tree + TREE_BRANCH_BYTES * leaf);

            CHECK(unit, units == loads[i] / 25 || units == loads[i] / 25 + 1);
        }
    }
}

/* Twice as slow, half as much; without any communication exactly. */
static void slow_nodes_get_less(struct unit *unit)
{
    struct tree_input input = {
        .load_units = 15000, .compute_ps = 1000, .ports = 1};
    uint8_t tree[BYTES_MAX];
    uint64_t makespan_ps = 0;
    unsigned phases = 0;

    make_star(tree, 3);
    for (uint32_t i = 0; i < 4; ++i) {
        bytes_store_u32(tree + TREE_BRANCH_BYTES * i + 4, i);
    }
    CHECK_EQUAL(unit, plan(tree, &input, &makespan_ps, &phases), ERR_OK);
    check_ranges(unit, tree, 15000);
    for (uint32_t i = 1; i < 4; ++i) {
        uint32_t units = tree_units(tree + TREE_BRANCH_BYTES * i);

        CHECK(unit, units + 1 >= 8000u >> i && units <= (8000u >> i) + 1);
    }
    CHECK(unit, makespan_ps + 2 >= 8000000 && makespan_ps <= 8000000);
}

static void chains_of_any_length(struct unit *unit)
{
    uint8_t tree[BYTES_MAX];

    for (uint32_t nodes = 1; nodes <= NODES_MAX; ++nodes) {
        struct tree_input input = {.load_units = UINT32_MAX,
                                   .compute_ps = 1 << 20,
                                   .transfer_ps = 1 << 4,
                                   .circuit_ps.startup = 1 << 10,
                                   .ports = 2,
                                   .store_and_forward = true};
        uint64_t makespan_ps = 0;
        unsigned phases = 0;

        make_chain(tree, nodes);
        CHECK(unit, tree_valid(tree, TREE_BRANCH_BYTES * nodes, size));
        CHECK_EQUAL(unit, plan(tree, &input, &makespan_ps, &phases), ERR_OK);
        CHECK_EQUAL(unit, phases, nodes - 1);
        check_ranges(unit, tree, UINT32_MAX);
        /* No faster than all at once, as exact as tree_plan.h says. */
        CHECK(unit, makespan_ps + ((uint64_t)1 << (52 - 23)) >=
                        ((uint64_t)UINT32_MAX << 20) / nodes);
    }
}

/* What tree_valid() promises, the other way round: from a node to its
   parent, which is the last before it that reaches so far. */
static bool promised(const uint8_t *tree, uint32_t nodes)
{
    unsigned last_phase[NODES_MAX] = {0};

    if (tree_nodes(tree) != nodes || tree_phase(tree) != 0) {
        return false;
    }
    for (uint32_t i = 1; i < nodes; ++i) {
        const uint8_t *branch = tree + TREE_BRANCH_BYTES * i;
        uint32_t parent = i - 1;

        while (parent > 0 &&
               parent + tree_nodes(tree + TREE_BRANCH_BYTES * parent) <= i) {
            parent -= 1;
        }
        if (tree_nodes(branch) == 0 ||
            i + tree_nodes(branch) >
                parent + tree_nodes(tree + TREE_BRANCH_BYTES * parent) ||
            tree_phase(branch) <=
                tree_phase(tree + TREE_BRANCH_BYTES * parent) ||
            tree_phase(branch) < last_phase[parent] ||
            tree_phase(branch) > TREE_PHASES_MAX ||
            !torus_path_valid(size, tree_path(branch))) {
            return false;
        }
        last_phase[parent] = tree_phase(branch);
    }
    return true;
}

/* Plans what was damaged and still is a tree; its ranges must hold. */
static void plan_damaged(struct unit *unit, uint8_t tree[])
{
    struct tree_input input = {.load_units = 10007,
                               .compute_ps = 1000,
                               .transfer_ps = 300,
                               .circuit_ps.startup = 20000,
                               .circuit_ps.hop = 17,
                               .circuit_ps.branch = 100,
                               .ports = TORUS_PORTS};
    uint64_t makespan_ps = 0;
    unsigned phases = 0;

    CHECK_EQUAL(unit, plan(tree, &input, &makespan_ps, &phases), ERR_OK);
    check_ranges(unit, tree, 10007);
}

static void damaged_trees(struct unit *unit)
{
    static _Alignas(8) uint8_t room[BYTES_MAX];
    uint8_t whole[BYTES_MAX];
    uint32_t chance = 1999;
    uint32_t accepted = 0;

    for (unsigned round = 0; round < 6000; ++round) {
        uint32_t nodes = round % 3 == 0 ? 25 : 1 + next(&chance) % NODES_MAX;
        uint32_t bytes = TREE_BRANCH_BYTES * nodes;
        uint8_t *tree = room + BYTES_MAX - bytes; /* ends where room does */

        if (round % 3 == 0) {
            make_scatter(whole);
        } else if (round % 3 == 1) {
            make_star(whole, nodes - 1);
        } else {
            make_chain(whole, nodes);
        }
        memcpy(tree, whole, bytes);
        for (uint32_t left = 1 + next(&chance) % 3; left > 0; --left) {
            uint32_t at = next(&chance) % nodes * TREE_BRANCH_BYTES + 8 +
                          next(&chance) % 8;

            tree[at] = (uint8_t)(next(&chance) % 2 == 0
                                     ? tree[at] ^ 1u << next(&chance) % 8
                                     : next(&chance));
        }
        CHECK_EQUAL(unit, tree_valid(tree, bytes, size), promised(tree, nodes));
        if (tree_valid(tree, bytes, size)) {
            accepted += 1;
            plan_damaged(unit, tree);
        }
    }
    CHECK(unit, accepted > 500);
}

static void lengths_that_are_no_tree(struct unit *unit)
{
    static uint8_t room[BYTES_MAX];
    uint32_t whole = 25 * TREE_BRANCH_BYTES;

    for (uint32_t bytes = 0; bytes <= whole; ++bytes) {
        uint8_t tree[BYTES_MAX];

        make_scatter(tree);
        memcpy(room + BYTES_MAX - bytes, tree, bytes);
        CHECK_EQUAL(unit, tree_valid(room + BYTES_MAX - bytes, bytes, size),
                    bytes == whole);
    }
}

void test_tree_plan(struct unit *unit)
{
    UNIT_RUN(unit, scatter_of_25_nodes);
    UNIT_RUN(unit, star_of_fewer_ports);
    UNIT_RUN(unit, phases_that_are_too_many_are_cut);
    UNIT_RUN(unit, equal_shares);
    UNIT_RUN(unit, slow_nodes_get_less);
    UNIT_RUN(unit, chains_of_any_length);
    UNIT_RUN(unit, damaged_trees);
    UNIT_RUN(unit, lengths_that_are_no_tree);
}
