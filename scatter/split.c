/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/split.h"

int split_volume(struct split *split, const uint32_t volume_units[],
                 const uint32_t share_units[], unsigned phases, unsigned layer,
                 uint32_t units)
{
    uint32_t left = units - share_units[layer];

    for (unsigned phase = layer + 1; phase <= phases; ++phase) {
        split->child_units[phase] = volume_units[phase];
        left -= TORUS_PORTS * volume_units[phase];
    }
    /* Unsigned wrap turns "less than the floors" into a large number. */
    if (left > TORUS_PORTS * (phases - layer) + 1) {
        return ERR_PROTOCOL;
    }
    for (unsigned phase = layer + 1; phase <= phases; ++phase) {
        split->extra[phase] =
            (uint8_t)(left < TORUS_PORTS ? left : TORUS_PORTS);
        left -= split->extra[phase];
    }
    split->own_units = share_units[layer] + left;
    return ERR_OK;
}
