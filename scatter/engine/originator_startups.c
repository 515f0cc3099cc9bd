/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/originator_startups.h"

uint64_t startups_hop_ps(const struct scatter *scatter, unsigned phase,
                         unsigned phases)
{
    const struct scatter_costs *costs = scatter->costs;

    return costs->split_ps + (phase < phases ? costs->queue_ps : 0);
}

/*
 * A startup is a phase's circuits but for the transfer of their units, and the
 * software of a hop. Layer i has its volume at
 *
 *   t_i = t_{i-1} + (split + queue) + circuit + transfer,
 *
 * as a node needs split_ps and queue_ps from its receipt until its sends are
 * queued. One of the last layer has nothing to queue, and so begins to compute
 * queue_ps earlier after its receipt than its parent does: of the last phase's
 * software only split_ps counts as startup.
 */
void startups_set(const struct scatter *scatter, struct originator *originator,
                  unsigned phases)
{
    const struct wire_order *order = &originator->order;
    struct planner_input *input = &originator->input;
    struct wire_job job = scatter->job;
    uint64_t each_ps;

    job.phases = (uint8_t)phases;
    each_ps = order->startup_ps +
              order->transfer_ps *
                  (SCATTER_PART_HEAD_BYTES + WIRE_TABLES_BYTES(phases) +
                   wire_job_bytes(&job) + job.before_bytes + job.after_bytes);
    input->phases_max = (uint8_t)phases;
    input->phases_want = (uint8_t)phases;
    input->results_denominator = 0;
    for (unsigned phase = 1; phase <= phases; ++phase) {
        input->startup_ps[phase - 1] =
            each_ps + startups_hop_ps(scatter, phase, phases) +
            order->hop_delay_ps * originator_phase_hops(scatter, phase);
    }
}

void startups_wait(const struct scatter *scatter, struct originator *originator,
                   uint64_t begin_ps)
{
    const struct wire_order *order = &originator->order;
    uint64_t end_ps = originator->announced_ps;
    uint32_t bytes = CIRCUIT_HEADER_BYTES + WIRE_ANNOUNCE_HEAD_BYTES +
                     WIRE_ANNOUNCE_BYTES + WIRE_PAD4(order->arg_bytes);
    unsigned phases = (unsigned)torus_phases(scatter->size);

    for (unsigned phase = 1; phase <= phases; ++phase) {
        end_ps += order->startup_ps + order->transfer_ps * bytes +
                  order->hop_delay_ps * originator_phase_hops(scatter, phase) +
                  scatter->message[phase].gap_ps;
    }
    originator->ports_wait_ps = startups_less(end_ps, begin_ps);
}

uint64_t startups_step_ps(const struct scatter *scatter,
                          const struct originator *originator, unsigned phase)
{
    const struct scatter_costs *costs = scatter->costs;

    return originator->input.startup_ps[phase - 1] -
           startups_hop_ps(scatter, phase, originator->plan.phases) +
           (phase == 1 ? costs->first_send_ps + originator->ports_wait_ps
                       : (uint64_t)costs->split_ps + costs->queue_ps);
}

int startups_input(const struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    struct planner_input *input = &originator->input;

    if (order->startup_ps > PLANNER_STARTUP_MAX_PS / 4 ||
        order->hop_delay_ps > PLANNER_STARTUP_MAX_PS / (16 * TORUS_SIDE_MAX) ||
        order->transfer_ps > PLANNER_STARTUP_MAX_PS / 4096 ||
        order->rounds == 0 ||
        (order->rounds > ROUNDS_MAX && order->rounds != WIRE_BEST)) {
        return ERR_RANGE;
    }
    input->load_units = scatter->units;
    input->compute_ps = originator->report.compute_ps;
    input->transfer_ps = order->transfer_ps * order->unit_bytes;
    return ERR_OK;
}
