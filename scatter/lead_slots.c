/* SPDX-License-Identifier: Apache-2.0 */
/* The originator: when results come back. */
#include "scatter/lead.h"

#define PS_PER_NS 1000u
#define PS_PER_US 1000000u

/* A guard before the first result slot, as a part of the makespan. */
#define GATHER_GUARD 128u

int lead_set_slots(struct scatter *scatter, const struct lead *lead,
                   uint32_t hops)
{
    const struct wire_order *order = &lead->order;
    struct wire_job *job = &scatter->job;
    bool stages = (order->flags & WIRE_STORE_AND_FORWARD) != 0;
    uint64_t slack_ps = 4u * (uint64_t)scatter->costs->merge_ps + PS_PER_NS;
    uint64_t once_ps = order->startup_ps +
                       order->transfer_ps * (CIRCUIT_HEADER_BYTES +
                                             scatter->terms.result_bytes_max);
    uint64_t slot_ps =
        slack_ps + order->hop_delay_ps * hops + once_ps * (stages ? hops : 1u);

    if (slot_ps / PS_PER_US >= UINT32_MAX) {
        return ERR_RANGE;
    }
    job->arg = order->arg;
    job->arg_bytes = (uint8_t)order->arg_bytes;
    job->overlap_bytes = (uint16_t)scatter->terms.overlap_bytes;
    job->slack_ns = (uint32_t)(slack_ps / PS_PER_NS);
    job->slot_us = (uint32_t)(slot_ps / PS_PER_US) + 1;
    job->gather_ps = 0;
    return ERR_OK;
}

uint64_t lead_gather_ps(const struct scatter *scatter, const struct lead *lead,
                        uint64_t start_ps)
{
    const struct wire_report *report = &lead->report;

    if (report->output) {
        return start_ps;
    }
    return start_ps + report->makespan_ps + report->makespan_ps / GATHER_GUARD +
           (uint64_t)scatter->job.slack_ns * PS_PER_NS;
}
