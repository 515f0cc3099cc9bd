/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model_exact.h"

/* Entries before those of a layer: batches^0 + ... + batches^(layer - 1). */
static uint32_t first_group(unsigned batches, unsigned layer)
{
    uint32_t count = 1;
    uint32_t sum = 0;

    for (unsigned i = 0; i < layer; ++i, count *= batches) {
        sum += count;
    }
    return sum;
}

uint32_t model_group(unsigned batches, uint32_t group, unsigned layer,
                     unsigned phase, unsigned batch)
{
    uint32_t code = group - first_group(batches, layer);

    for (unsigned i = layer + 1; i < phase; ++i) {
        code = code * batches + batches - 1;
    }
    return first_group(batches, phase) + code * batches + batch;
}
