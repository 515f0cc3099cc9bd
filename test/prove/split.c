/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: torus_split() on whatever tables and volume a message
 * may bring, for every layer; and the parts of all that it accepts. `phases`
 * and `layer` are the caller's to check: layer <= phases <= 20.
 */
#include "scatter/plan/one_round.h"
#include "test/prove/any.h"
#include "torus/split.h"

static void split_layer(unsigned phases, unsigned layer)
{
    uint32_t volume_units[PLANNER_PHASES_MAX + 1];
    uint32_t share_units[PLANNER_PHASES_MAX + 1];
    struct torus_split split;

    for (unsigned i = 0; i <= phases; ++i) {
        volume_units[i] = any_u32(0, UINT32_MAX);
        share_units[i] = any_u32(0, UINT32_MAX);
    }
    if (!torus_split(&split, volume_units, share_units, phases, layer,
                     any_u32(0, UINT32_MAX))) {
        return;
    }
    for (unsigned phase = layer + 1; phase <= phases; ++phase) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            torus_split_child_units(&split, phase, port);
        }
    }
}

void prove_split(void)
{
    for (unsigned phases = 0; phases <= PLANNER_PHASES_MAX; ++phases) {
        for (unsigned layer = 0; layer <= phases; ++layer) {
            split_layer(phases, layer);
        }
    }
}
