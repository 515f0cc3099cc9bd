/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of `quincunx simulate` below the command. */
#ifndef TEST_QEMU_SIMULATE_SUITE_H
#define TEST_QEMU_SIMULATE_SUITE_H

#include "qemu/model/simulate.h"
#include "test/unit/unit.h"

#define LOAD_UNITS 1000000u

/* A scatter that can be spoiled, and what came of it. */
struct scene {
    struct simulate_input input;
    struct model_plan model;
    struct simulate_outcome outcome;
};

/* With the costs of the T3D, all phases, the tables that follow. */
struct scene suite_scene(struct unit *unit, uint16_t side);

/* Plans anew, after a change of load or costs. */
void suite_set_tables(struct unit *unit, struct scene *scene);

/* The result of simulate_run(); without the nodes. */
int suite_run(struct scene *scene);

void test_event_queue(struct unit *unit);
void test_simulate(struct unit *unit);
void test_spread(struct unit *unit);

#endif
