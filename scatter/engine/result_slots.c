/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/result_slots.h"

#include "hal/check.h"

#define CHECK_FILE CHECK_SCATTER_RESULT_SLOTS
#define PS_PER_NS 1000u
#define PS_PER_US 1000000u

/* The first results leave a 1/GATHER_GUARD of the makespan after it. */
#define GATHER_GUARD 128u

uint64_t slots_output_ps(const struct scatter *scatter,
                         const struct originator *originator, uint32_t units,
                         uint32_t nodes, uint32_t hops)
{
    const struct wire_order *order = &originator->order;
    const struct kernel_terms *terms = &scatter->terms;
    bool stages = (order->flags & WIRE_STORE_AND_FORWARD) != 0;
    /* Before there is a plan, plan.rounds is 0: one round is assumed. */
    uint32_t rounds = originator->plan.rounds > 0 ? originator->plan.rounds : 1;
    uint64_t bytes = CIRCUIT_HEADER_BYTES + scatter_result_head_bytes(terms) +
                     (WIRE_CHUNK_BYTES + 3u) * (uint64_t)rounds * nodes +
                     kernel_output_at(terms, units) + 1;
    uint64_t once_ps = order->startup_ps + order->transfer_ps * bytes;

    return once_ps * (stages ? hops : 1u) + order->hop_delay_ps * hops +
           TORUS_PORTS * (uint64_t)scatter->costs->result_merge_ps;
}

uint64_t slots_return_ps(const struct scatter *scatter,
                         const struct originator *originator, unsigned phase,
                         uint32_t units)
{
    uint32_t nodes = 1;

    for (unsigned i = phase; i < originator->input.phases_want; ++i) {
        nodes *= 5;
    }
    return slots_output_ps(scatter, originator, units, nodes,
                           originator_phase_hops(scatter, phase));
}

void slots_time_returns(const struct originator *originator,
                        uint64_t takes_ps[], unsigned phases)
{
    const struct wire_report *report = &originator->report;
    bool counted = report->rounds == 1 && originator->results_denominator != 0;
    uint64_t at_ps = report->makespan_ps + report->makespan_ps / GATHER_GUARD;
    uint64_t all_ps = 0;

    ASSERT(phases <= TREE_PHASES_MAX);
    for (unsigned phase = 1; phase <= phases; ++phase) {
        all_ps += takes_ps[phase];
    }
    if (counted) {
        at_ps = report->makespan_ps > all_ps ? report->makespan_ps - all_ps : 0;
    }
    for (unsigned phase = phases; phase > 0; --phase) {
        uint64_t next_ps = at_ps + takes_ps[phase];

        takes_ps[phase] = at_ps;
        at_ps = next_ps;
    }
    takes_ps[0] = at_ps;
}

int slots_set(struct scatter *scatter, const struct originator *originator,
              uint32_t hops)
{
    const struct wire_order *order = &originator->order;
    struct wire_job *job = &scatter->job;
    bool stages = (order->flags & WIRE_STORE_AND_FORWARD) != 0;
    uint64_t slack_ps =
        4u * (uint64_t)scatter->costs->result_merge_ps + PS_PER_NS;
    uint64_t once_ps = order->startup_ps +
                       order->transfer_ps * (CIRCUIT_HEADER_BYTES +
                                             scatter->terms.result_bytes_max);
    uint64_t slot_ps =
        slack_ps + order->hop_delay_ps * hops + once_ps * (stages ? hops : 1u);

    if (slot_ps / PS_PER_US >= UINT32_MAX) {
        return ERR_RANGE;
    }
    job->slack_ns = (uint32_t)(slack_ps / PS_PER_NS);
    job->slot_us = (uint32_t)(slot_ps / PS_PER_US) + 1;
    job->gather_ps = 0;
    return ERR_OK;
}

uint64_t slots_gather_ps(const struct scatter *scatter,
                         const struct originator *originator, uint64_t start_ps)
{
    const struct wire_report *report = &originator->report;

    if (scatter_has_output(scatter)) {
        return start_ps;
    }
    return start_ps + report->makespan_ps + report->makespan_ps / GATHER_GUARD +
           (uint64_t)scatter->job.slack_ns * PS_PER_NS;
}
