/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fabric that carries the emulated boards, with nodes that do nothing but
 * split and send: it must see the same receipts and the same conflicts.
 */
#include "qemu/fabric/fabric.h"
#include "scatter/plan/split.h"
#include "test/qemu/simulate/suite.h"

#include <stdlib.h>

#define ALL_PORTS ((1u << TORUS_PORTS) - 1)

/* All that a node does: it has `units` since `time_ps`. */
static void split_and_send(struct fabric *fabric, const struct scene *scene,
                           uint32_t node, unsigned layer, uint32_t units,
                           uint64_t time_ps)
{
    const struct simulate_input *input = &scene->input;
    struct split split;

    if (split_volume(&split, input->tables.volume_units,
                     input->tables.share_units, input->phases, layer,
                     units) != ERR_OK) {
        abort();
    }
    for (unsigned phase = layer + 1; phase <= input->phases; ++phase) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            struct fabric_message message = {
                .ready_ps = time_ps,
                .path = input->path[phase - 1][port],
                .bytes = split_child_units(&split, phase, port),
                .cookie = (void *)(uintptr_t)phase};

            fabric_send(fabric, node, port, &message);
        }
    }
    fabric_end(fabric, node, time_ps);
}

static struct fabric *new_fabric(const struct simulate_input *input)
{
    struct fabric_config config = {.size = input->size,
                                   .startup_ps = input->startup_ps,
                                   .transfer_ps = input->transfer_ps,
                                   .hop_delay_ps = input->hop_delay_ps};
    struct fabric *fabric = fabric_new(&config);

    if (fabric == NULL) {
        abort();
    }
    return fabric;
}

/* All nodes but the originator wait; it sends. */
static void begin(struct fabric *fabric, const struct scene *scene)
{
    const struct simulate_input *input = &scene->input;
    uint32_t nodes = torus_nodes(input->size);
    uint32_t originator = torus_index(input->size, input->originator);

    for (uint32_t node = 0; node < nodes; ++node) {
        if (node != originator) {
            fabric_receive(fabric, node, 0, ALL_PORTS);
        }
    }
    split_and_send(fabric, scene, originator, 0, input->load_units, 0);
}

/* The receipts of all nodes, and the number of conflicts, are the same. */
static void check_twin(struct unit *unit, struct scene *scene)
{
    struct fabric *fabric = new_fabric(&scene->input);
    struct simulate_node *nodes = suite_nodes(scene);
    struct fabric_action action;
    uint32_t reached = 1;

    CHECK_EQUAL(unit, simulate_run(&scene->outcome, nodes, &scene->input),
                ERR_OK);
    begin(fabric, scene);
    while (fabric_next(fabric, &action) == FABRIC_DELIVER) {
        const struct simulate_node *node = &nodes[action.node];
        unsigned phase = (unsigned)(uintptr_t)action.cookie;

        reached += 1;
        CHECK_EQUAL(unit, node->received_ps, action.time_ps);
        CHECK_EQUAL(unit, node->volume_units, action.bytes);
        CHECK_EQUAL(unit, node->layer, phase);
        split_and_send(fabric, scene, action.node, phase, action.bytes,
                       action.time_ps);
    }
    CHECK_EQUAL(unit, reached, scene->outcome.reached);
    CHECK_EQUAL(unit, fabric_conflicts(fabric), scene->outcome.conflicts);
    fabric_free(fabric);
    free(nodes);
}

static void without_conflicts(struct unit *unit)
{
    static const uint16_t sides[] = {5, 25, 125};

    for (unsigned i = 0; i < 3; ++i) {
        struct scene scene = suite_scene(unit, sides[i]);

        scene.input.hop_delay_ps = 100000;
        check_twin(unit, &scene);
        CHECK_EQUAL(unit, scene.outcome.reached, sides[i] * sides[i]);
        CHECK_EQUAL(unit, scene.outcome.conflicts, 0);
    }
}

/* Volumes of no unit or one, and a startup of next to nothing. */
static void with_conflicts(struct unit *unit)
{
    static const uint32_t loads[] = {1, 2, 3, 17, 40};

    for (unsigned i = 0; i < 5; ++i) {
        struct scene scene = suite_scene(unit, 125);

        scene.input.load_units = loads[i];
        scene.input.startup_ps = 1;
        scene.input.transfer_ps = 1000000;
        suite_set_tables(unit, &scene);
        check_twin(unit, &scene);
        CHECK(unit, scene.outcome.conflicts > 0);
    }
}

void test_twin(struct unit *unit)
{
    UNIT_RUN(unit, without_conflicts);
    UNIT_RUN(unit, with_conflicts);
}
