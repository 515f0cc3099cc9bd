/* SPDX-License-Identifier: Apache-2.0 */
/* Integer shares of all nodes (model_spread()), of plans in one round and in
   several: they add up, and keep to the plan. What is not freed is found at the
   program's end. */
#include "test/qemu/simulate/suite.h"

#include <stdlib.h>

#define SIDE 25u
#define NODES (SIDE * SIDE)

static struct model_input input_of(uint64_t load_units)
{
    struct model_input input = {.load_units = load_units,
                                .compute_ps = 900000,
                                .transfer_ps = 13000,
                                .phases_max = 4};

    for (unsigned i = 0; i < input.phases_max; ++i) {
        input.startup_ps[i] = 5000000 + 1000000 * i;
    }
    return input;
}

/* The sum of what layer `layer` takes, and of what everybody does. */
static uint64_t sum_of(const struct model_node nodes[], unsigned layer,
                       uint64_t *all)
{
    uint64_t sum = 0;

    *all = 0;
    for (uint32_t i = 0; i < NODES; ++i) {
        *all += nodes[i].units;
        sum += nodes[i].layer == layer ? nodes[i].units : 0;
    }
    return sum;
}

/* Nobody has less than its floor, nor a unit more for each round and one. */
static void check_spread(struct unit *unit, const struct model_plan *plan,
                         const struct model_detail *detail, uint64_t load)
{
    const struct torus_size size = {SIDE, SIDE};
    const struct torus_coord originator = {7, 3};
    struct model_node *nodes = calloc(NODES, sizeof *nodes);
    uint64_t all;

    if (nodes == NULL) {
        abort();
    }
    model_spread(nodes, plan, detail, load, size, originator);
    CHECK_EQUAL(unit, nodes[torus_index(size, originator)].layer, 0);
    for (unsigned layer = 0; layer <= plan->phases; ++layer) {
        double share = plan->share_units[layer];
        double sum = (double)sum_of(nodes, layer, &all);
        double count = (double)model_layer_nodes(layer);

        CHECK(unit, sum >= count * (share - plan->rounds));
        CHECK(unit, sum <= count * (share + plan->rounds + 1));
        CHECK_EQUAL(unit, all, load);
    }
    free(nodes);
}

static void shares_of_one_round(struct unit *unit)
{
    const uint64_t loads[] = {100000, 1234567, 99999999};

    for (unsigned i = 0; i < sizeof loads / sizeof *loads; ++i) {
        const struct model_input input = input_of(loads[i]);
        const struct model_detail none = {.part = NULL};
        struct model_plan plan;

        CHECK_EQUAL(unit, model_plan(&plan, &input), ERR_OK);
        check_spread(unit, &plan, &none, loads[i]);
    }
}

static void shares_of_several_rounds(struct unit *unit)
{
    const struct model_input input = input_of(7654321);

    for (unsigned rounds = 2; rounds <= 4; ++rounds) {
        struct model_plan plan;
        struct model_detail detail;

        CHECK_EQUAL(unit, model_plan_rounds(&plan, &detail, &input, rounds),
                    ERR_OK);
        CHECK_EQUAL(unit, plan.rounds, rounds);
        check_spread(unit, &plan, &detail, input.load_units);
        model_detail_free(&detail);
    }
}

void test_spread(struct unit *unit)
{
    UNIT_RUN(unit, shares_of_one_round);
    UNIT_RUN(unit, shares_of_several_rounds);
}
