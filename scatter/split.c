/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/split.h"

int split_volume(struct split *split, const uint32_t volume_units[],
                 const uint32_t share_units[], unsigned phases, unsigned layer,
                 uint32_t units)
{
    uint32_t children = TORUS_PORTS * (phases - layer);
    uint32_t left = units - share_units[layer];

    for (unsigned phase = phases; phase > layer; --phase) {
        left -= TORUS_PORTS * volume_units[phase];
    }
    /* Unsigned wrap turns "less than the floors" into a large number. */
    if (left > children + 1) {
        return ERR_PROTOCOL;
    }
    split->volume_units = volume_units;
    split->layer = layer;
    split->extra_units = left < children ? left : children;
    split->own_units = share_units[layer] + left - split->extra_units;
    return ERR_OK;
}
