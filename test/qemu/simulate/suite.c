/* SPDX-License-Identifier: Apache-2.0 */
#include "test/qemu/simulate/suite.h"

#include <stdlib.h>
#include <string.h>

void suite_set_tables(struct unit *unit, struct scene *scene)
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

struct scene suite_scene(struct unit *unit, uint16_t side)
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
    suite_set_tables(unit, &scene);
    return scene;
}

int suite_run(struct scene *scene)
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
