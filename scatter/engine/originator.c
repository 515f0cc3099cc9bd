/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/originator.h"

#include "scatter/plan/fixed.h"

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

void originator_start(struct scatter *scatter, struct originator *originator)
{
    uint64_t start_ps = originator_now_ps(scatter);

    events_record(scatter->circuit->log, start_ps, EVENT_SCATTER_START, 0,
                  scatter->units);
    originator->report.scatter_start_ps = start_ps;
    scatter->begun_ps = start_ps;
}

void originator_begin(struct scatter *scatter, struct originator *originator)
{
    scatter->circuit->node->status.state = NODE_STATE_SCATTERING;
    if (!originator->report.advance) {
        originator_start(scatter, originator);
    }
}

uint32_t originator_ports_units(const struct scatter *scatter,
                                const struct originator *originator)
{
    uint64_t port_ps =
        (uint64_t)scatter->costs->port_byte_ps * originator->order.unit_bytes;
    uint32_t most = scatter->units / torus_nodes(scatter->size);

    if (port_ps == 0 || originator->alone ||
        (originator->order.flags & WIRE_EQUAL_SHARES) != 0 ||
        (originator->order.rounds != 1 &&
         originator->order.rounds != WIRE_BEST)) {
        return 0;
    }
    return fixed_smaller(fixed_product(port_ps, scatter->units - most) /
                             (originator->report.compute_ps | 1u),
                         most);
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

void originator_take_off(struct scatter *scatter, struct originator *originator,
                         uint32_t units)
{
    struct wire_order *order = &originator->order;
    uint32_t bytes = units * order->unit_bytes;

    order->load += bytes;
    order->load_units -= units;
    order->first_unit += units;
    order->before_bytes = fixed_smaller((uint64_t)order->before_bytes + bytes,
                                        scatter->terms.before_bytes);
    originator_set_range(scatter, order);
}
