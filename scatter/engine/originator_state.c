/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/originator_state.h"

uint8_t *originator_allocate(struct scatter *scatter, uint32_t bytes)
{
    uint8_t *at = scatter->free_from;

    bytes = (bytes + 7u) & ~7u;
    if (bytes > (uint32_t)(scatter->free_to - at)) {
        return NULL;
    }
    scatter->free_from += bytes;
    return at;
}

void originator_set_range(struct scatter *scatter,
                          const struct wire_order *order)
{
    scatter->range_data = order->load;
    scatter->range_before_bytes = order->before_bytes;
    scatter->range_to_end_bytes =
        order->load_units * order->unit_bytes + order->after_bytes;
    scatter->units = order->load_units;
    scatter->first_unit = order->first_unit;
}
