/* SPDX-License-Identifier: Apache-2.0 */
/* A job that is too small for a mesh: the originator computes the whole load,
   as that takes less time, and no other node hears of the job. */
#include "scatter/engine/measure.h"

#include "scatter/plan/fixed.h"

/* Payload, bytes, of a message without data, and more for each tree node. */
#define HEAD_BYTES 84u
#define PLACE_BYTES 3u
/* Time, ps, that a run may take beyond twice its guess. */
#define CALL_PS 20000000u /* 20 us */

/* Returns the time, ps, of a message of `bytes` bytes over 2 hops. */
static uint64_t circuit_ps(const struct wire_order *order, uint32_t bytes)
{
    return order_circuit_ps(order, order_message_ps(order, bytes), 2);
}

/* Returns the bytes of a unit's output, rounded down; 0: no output. */
static uint32_t output_bytes(const struct scatter *scatter)
{
    const struct kernel_terms *terms = &scatter->terms;

    return scatter_makes_output(terms)
               ? (uint32_t)terms->output_numerator / terms->output_denominator
               : 0;
}

/* Whether sending a unit away takes longer than computing it in unit_ps. */
static bool is_dear_to_send(const struct scatter *scatter,
                            const struct wire_order *order, uint64_t unit_ps)
{
    const struct scatter_costs *costs = scatter->costs;
    bool meanwhile = order->tree_nodes == 0 && costs->plan_meanwhile != NULL;
    uint32_t back_bytes = output_bytes(scatter);
    uint64_t back_ps = meanwhile ? 0 : order->transfer_ps * back_bytes;
    uint64_t own_ps =
        (uint64_t)costs->port_byte_ps * (order->unit_bytes + back_bytes);

    return back_ps > order->ports * unit_ps || own_ps > unit_ps;
}

/* Returns an estimate of the time, ps, in which results return. Results of
   varying length wait for time slots. */
static uint64_t results_ps(const struct scatter *scatter,
                           const struct wire_order *order)
{
    const struct kernel_terms *terms = &scatter->terms;
    bool grow = (uint64_t)scatter->units * terms->result_bytes_per_1000_units >
                1000u * TORUS_PORTS * SCATTER_SHORT_BYTES;

    return (terms->result_fixed ? 2u : 4u) *
           circuit_ps(order, terms->result_fixed || grow
                                 ? terms->result_bytes_max
                                 : SCATTER_SHORT_BYTES);
}

/*
 * Whether the originator alone would finish `units` units before the mesh:
 *
 *   units * compute <= mesh_ps * (1 + transfer / (P compute))
 *
 * mesh_ps: the mesh's time to plan, for two circuits on the way out, and for
 * results to return and to be merged. `compute`: time of a unit on a node.
 * `transfer`: time of a unit on one of the originator's P ports.
 */
static bool is_small(const struct scatter *scatter,
                     const struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    const struct scatter_costs *costs = scatter->costs;
    uint64_t unit_ps = originator->report.compute_ps;
    uint64_t transfer_ps =
        order->transfer_ps * (order->unit_bytes + output_bytes(scatter));
    uint32_t sixteenths; /* 16 * transfer / (P compute) */
    uint64_t mesh_ps;

    if (order->phases == 0) {
        return true;
    }
    if (scatter->policy->unplanned || order->phases != WIRE_BEST ||
        order->rounds != WIRE_BEST || (order->flags & WIRE_EQUAL_SHARES) != 0 ||
        order->ports - 1u >= TORUS_PORTS || transfer_ps > UINT32_MAX ||
        unit_ps > UINT32_MAX) {
        return false;
    }
    mesh_ps =
        costs->plan_ps + (uint64_t)order->tree_nodes * costs->plan_tree_ps / 2 +
        TORUS_PORTS * costs->result_merge_ps + costs->result_queue_ps +
        2 * circuit_ps(order, HEAD_BYTES + PLACE_BYTES * order->tree_nodes) +
        results_ps(scatter, order);
    sixteenths =
        (uint32_t)transfer_ps / ((uint32_t)unit_ps / (16u / order->ports) + 1);
    return scatter->units * unit_ps <= mesh_ps + mesh_ps * sixteenths / 16 ||
           is_dear_to_send(scatter, order, unit_ps);
}

/* Computes growing pieces of the load. Sets `alone` to false if one takes much
   longer than guessed. */
static int compute_parts(struct scatter *scatter, struct originator *originator)
{
    struct wire_report *report = &originator->report;
    uint64_t guess_ps = report->compute_ps;
    uint32_t all = scatter->units;
    uint64_t before_ps = 0;
    uint32_t before = 0;
    int error = ERR_OK;

    originator->alone = true;
    for (uint32_t part = scatter->terms.result_fixed ? 64 : 512;
         part >= 8 && originator->alone && all / part + 1 < scatter->units;
         part /= 8) {
        uint32_t units = all / part + 1;
        uint64_t piece_ps;

        error = measure_first(scatter, originator, units, &piece_ps);
        originator->alone =
            error == ERR_OK && piece_ps <= 2 * units * guess_ps + CALL_PS;
        if (!originator->alone) {
            report->compute_ps = piece_ps / units;
        } else if (before > 0 && units > before && piece_ps > before_ps) {
            report->compute_ps = (piece_ps - before_ps) / (units - before);
        }
        before_ps = piece_ps;
        before = units;
    }
    report->compute_ps = fixed_larger(report->compute_ps, 1);
    return error;
}

int alone_decide(struct scatter *scatter, struct originator *originator)
{
    int error = ERR_OK;

    measure_guess(scatter, originator);
    if (torus_nodes(scatter->size) == 1) {
        originator->alone = true;
    } else if (is_small(scatter, originator)) {
        error = compute_parts(scatter, originator);
        originator->known = originator->alone;
    }
    return error;
}
