/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/advance.h"

#include "scatter/engine/pattern.h"
#include "scatter/plan/fixed.h"

#include <string.h>

#define UNITS_MIN 16u /* least units per node for an advance */
/* Longest fixed time of a kernel call: costs->advance_ps / PLAN_PART. */
#define PLAN_PART 2u
#define HOLD_MAX_PS 4000000000u /* 4 ms */

/* Returns when layer `phase` has computed the advance, ps from the start. */
static uint64_t ready_ps(const struct scatter *scatter,
                         const struct originator *originator, unsigned phase)
{
    const struct scatter_costs *costs = scatter->costs;
    const struct wire_report *report = &originator->report;

    return report->received_ps[phase] +
           (phase < scatter->job.phases ? costs->queue_ps : 0) +
           costs->round_start_ps + report->call_ps +
           originator->advance.units * report->compute_ps + costs->round_end_ps;
}

/* Returns when the first round after the advance leaves, ps from the start. */
static uint64_t leaves_ps(const struct scatter *scatter,
                          const struct originator *originator,
                          const uint32_t units[])
{
    unsigned phases = scatter->job.phases;
    uint64_t leaves_ps = originator->report.received_ps[phases];
    uint64_t takes_ps = 0;

    for (unsigned phase = 1; phase <= phases; ++phase) {
        takes_ps += originator->input.startup_ps[phase - 1] +
                    (phase == phases ? scatter->costs->queue_ps : 0) +
                    originator->input.transfer_ps * units[phase];
        leaves_ps = fixed_larger(
            leaves_ps,
            fixed_difference(ready_ps(scatter, originator, phase), takes_ps));
    }
    return leaves_ps;
}

/* Assumes equal shares in the next round. */
void advance_wait(const struct scatter *scatter, struct originator *originator)
{
    const struct scatter_costs *costs = scatter->costs;
    uint64_t plan_ps =
        costs->plan_ps + costs->first_send_ps +
        (originator->advance.rounds > 1 ? costs->plan_rounds_ps : 0);
    uint64_t sent_ps = originator_now_ps(scatter) + plan_ps -
                       originator->report.scatter_start_ps;
    uint32_t units[TORUS_PHASES_MAX + 1] = {0};
    uint32_t share =
        originator->advance.rounds > 1
            ? originator->advance.units
            : originator->input.load_units / originator->input.nodes;

    startups_set(scatter, originator, scatter->job.phases);
    for (unsigned phase = scatter->job.phases; phase > 0; --phase) {
        units[phase] = share;
        share *= 5;
    }
    originator->input.wait_ps =
        fixed_difference(leaves_ps(scatter, originator, units), sent_ps);
}

/* Parts sent earlier would compete for links with the next round. */
uint32_t advance_hold_ps(const struct scatter *scatter,
                         const struct originator *originator)
{
    uint64_t hold_ps;

    if (originator->plan.rounds == 1) {
        return 0;
    }
    hold_ps = leaves_ps(scatter, originator, originator->plan.volume_units[0]) -
              originator->report.received_ps[scatter->job.phases];
    return fixed_smaller(hold_ps, HOLD_MAX_PS);
}

void advance_report(struct originator *originator)
{
    struct rounds_plan *plan = &originator->plan;
    unsigned rounds = plan->rounds;

    memmove(plan->volume_units[1], plan->volume_units[0],
            rounds * sizeof plan->volume_units[0]);
    memmove(plan->share_units[1], plan->share_units[0],
            rounds * sizeof plan->share_units[0]);
    for (unsigned layer = 0; layer <= plan->phases; ++layer) {
        plan->volume_units[0][layer] = originator->advance_units[layer];
        plan->share_units[0][layer] = layer > 0 ? originator->advance.units : 0;
    }
}

static bool choose_advance(const struct scatter *scatter,
                           struct originator *originator)
{
    const struct scatter_costs *costs = scatter->costs;
    struct plan_job *input = &originator->input;

    startups_set(scatter, originator, scatter->job.phases);
    input->queue_ps = costs->queue_ps;
    input->round_ps = (uint64_t)costs->round_start_ps + costs->round_end_ps;
    input->plan_ps = costs->advance_ps;
    input->rounds_ps = costs->plan_rounds_ps;
    originator->advance = advance_of(input);
    return originator->advance.units > 0;
}

static int send_advance(struct scatter *scatter, struct originator *originator,
                        unsigned phases)
{
    uint32_t share_units[TORUS_PHASES_MAX + 1];
    uint32_t bytes = WIRE_TABLES_BYTES(phases);
    uint8_t *tables = originator_allocate(scatter, bytes);
    uint32_t volume = originator->advance.units;
    int error;

    if (tables == NULL) {
        return ERR_MEMORY;
    }
    share_units[0] = 0;
    originator->advance_units[0] = 0;
    for (unsigned layer = phases; layer > 0; --layer) {
        share_units[layer] = originator->advance.units;
        originator->advance_units[layer] = volume;
        originator->advance_units[0] += TORUS_PORTS * volume;
        volume *= 5;
    }
    wire_tables_store(tables, phases, share_units, originator->advance_units);
    originator_start(scatter, originator);
    originator->report.advance = true;
    pattern_expect(scatter);
    scatter->units = originator->advance_units[0];
    error =
        pattern_distribute(scatter, (struct circuit_segment){tables, bytes});
    originator_take_off(scatter, originator, originator->advance_units[0]);
    return error;
}

int advance_try(struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    unsigned phases = scatter->job.phases;
    int error;

    originator->input.nodes = torus_nodes(scatter->size);
    if (order->phases != WIRE_BEST || order->rounds != WIRE_BEST ||
        originator->alone || phases == 0 ||
        scatter->costs->advance_ps / PLAN_PART <= originator->report.call_ps ||
        scatter_makes_output(&scatter->terms)) {
        return ERR_OK;
    }
    if (scatter->units / UNITS_MIN < originator->input.nodes) {
        return ERR_OK;
    }
    error = startups_input(scatter, originator);
    if (error != ERR_OK) {
        return error;
    }
    if (!choose_advance(scatter, originator)) {
        return ERR_OK;
    }
    error = send_advance(scatter, originator, phases);
    startups_wait(scatter, originator, originator->report.scatter_start_ps);
    startups_receipts(scatter, originator, originator->input.startup_ps,
                      originator->advance_units);
    return error;
}
