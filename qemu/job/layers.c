/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/layers.h"

#include "qemu/theory/model.h"
#include "qemu/base/memory.h"
#include "torus/pattern.h"

#include <stdlib.h>
#include <string.h>

static void fill_pattern(struct outcome *outcome)
{
    const struct wire_report *plan = &outcome->plan;

    for (unsigned i = 0; i <= plan->phases; ++i) {
        outcome->layer[i] =
            (struct outcome_layer){.nodes = torus_layer_nodes(i),
                                   .share_units = plan->share_units[i],
                                   .volume_units = plan->volume_units[i],
                                   .received_ps = plan->received_ps[i]};
    }
}

static struct theory_input input_of(const struct outcome *outcome,
                                    uint64_t units)
{
    const struct wire_report *plan = &outcome->plan;
    struct theory_input input = {.load_units = units - plan->measured_units,
                                 .compute_ps = plan->compute_ps,
                                 .transfer_ps =
                                     outcome_transfer_ps_per_unit(outcome),
                                 .phases_max = plan->phases};

    memcpy(input.startup_ps, plan->startup_ps, sizeof plan->startup_ps);
    return input;
}

static void fill_exact(struct outcome *outcome)
{
    struct theory_input input = input_of(outcome, outcome->load_units);
    struct theory_plan exact;

    input.phases_want = input.phases_max;
    input.phases_fixed = 1;
    if (theory_plan(&exact, &input) != ERR_OK) {
        return;
    }
    for (unsigned i = 0; i <= outcome->plan.phases; ++i) {
        outcome->layer[i].share_units = exact.layer[i].share_units;
        outcome->layer[i].volume_units = exact.layer[i].volume_units;
    }
}

/* Adds the time of the originator's software, which the plan of several rounds
   has, too. If a first round went out before the plan was made, also adds the
   time of measuring and planning during that round. */
uint64_t layers_one_round_ps(const struct outcome *outcome)
{
    const struct wire_report *plan = &outcome->plan;
    struct theory_input input = input_of(outcome, outcome->batch[0].units);
    struct theory_plan one;

    if (plan->meanwhile) {
        uint64_t output = outcome->result.output_bytes;
        uint64_t load = outcome->load_bytes;

        for (; (output | load) >> 32 != 0; load >>= 1) {
            output >>= 1;
        }
        input.results_numerator = (uint32_t)output;
        input.results_denominator = (uint32_t)load;
    }
    if (plan->rounds <= 1 || !plan->layers ||
        theory_plan(&one, &input) != ERR_OK) {
        return 0;
    }
    return one.makespan_ps + plan->overhead_ps +
           (plan->advance ? plan->measure_ps + plan->plan_ps : 0);
}

/* Computes the mean share and volume of each layer, over all rounds. A node
   receives before it sends, so going back through the circuits by time, a
   node's volume is complete before it is added to its parent's. */
static void fill_tree(struct outcome *outcome)
{
    uint64_t *volume =
        memory_or_exit(calloc(outcome->node_count, sizeof *volume));

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        volume[i] = outcome->node[i].units;
    }
    for (uint32_t i = outcome->circuit_count; i-- > 0;) {
        const struct circuit_record *circuit = &outcome->circuit[i];

        if (circuit->kind == WIRE_PART && circuit->round == 0) {
            volume[circuit->source] += volume[circuit->destination];
        }
    }
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];
        struct outcome_layer *layer = &outcome->layer[node->layer];

        if (node->active && node->layer <= outcome->plan.phases) {
            layer->nodes += 1;
            layer->share_units += (double)node->units;
            layer->volume_units += (double)volume[i];
        }
    }
    for (unsigned i = 0; i <= outcome->plan.phases; ++i) {
        struct outcome_layer *layer = &outcome->layer[i];
        double nodes = layer->nodes > 0 ? layer->nodes : 1;

        layer->share_units /= nodes;
        layer->volume_units /= nodes;
    }
    free(volume);
}

void layers_fill(struct outcome *outcome)
{
    const struct wire_report *plan = &outcome->plan;

    outcome->layer =
        memory_or_exit(calloc(UINT8_MAX + 1u, sizeof *outcome->layer));
    if (!plan->layers) {
        fill_tree(outcome);
        return;
    }
    fill_pattern(outcome);
    if (plan->rounds == 1 && !plan->output) {
        fill_exact(outcome);
    }
}
