/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/originator_state.h"

uint8_t *originator_allocate(struct scatter *scatter, uint32_t bytes)
{
    uint8_t *at = scatter->low;

    bytes = (bytes + 7u) & ~7u;
    if (bytes > (uint32_t)(scatter->high - at)) {
        return NULL;
    }
    scatter->low += bytes;
    return at;
}

void originator_hold_load(struct scatter *scatter,
                          const struct wire_order *order)
{
    scatter->body = order->load;
    scatter->body_before = order->before_bytes;
    scatter->body_bytes =
        order->load_units * order->unit_bytes + order->after_bytes;
    scatter->units = order->load_units;
    scatter->first_unit = order->first_unit;
}
