/* SPDX-License-Identifier: Apache-2.0 */
#include "torus/split.h"

bool torus_split(struct torus_split *split, const uint32_t volume_units[],
                 const uint32_t share_units[], unsigned phases, unsigned layer,
                 uint32_t units)
{
    uint32_t children = TORUS_PORTS * (phases - layer);
    uint32_t share = share_units[layer];
    uint64_t volumes = 0; /* units of all children, without extra ones */
    uint32_t rest;
    uint32_t extra;

    for (unsigned phase = layer + 1; phase <= phases; ++phase) {
        volumes += (uint64_t)TORUS_PORTS * volume_units[phase];
    }
    if (volumes > units) {
        return false;
    }
    rest = units - (uint32_t)volumes;
    if (share > rest || rest - share > children + 1) {
        return false;
    }
    extra = rest - share;
    extra = extra < children ? extra : children;
    split->volume_units = volume_units;
    split->layer = layer;
    split->extra_units = extra;
    split->share_units = rest - extra; /* `share`, or one unit more */
    return true;
}

uint32_t torus_split_child_at(const struct torus_split *split, unsigned phases,
                              unsigned phase, unsigned port)
{
    uint32_t extra = torus_split_extra(split, phase);
    uint32_t at = split->share_units + port * split->volume_units[phase] +
                  (port < extra ? port : extra);

    for (unsigned later = phase + 1; later <= phases; ++later) {
        at += TORUS_PORTS * split->volume_units[later] +
              torus_split_extra(split, later);
    }
    return at;
}
