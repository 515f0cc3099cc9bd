/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/meanwhile.h"

#include "qemu/support/memory.h"
#include "scatter/plan/meanwhile.h"

#include <stdlib.h>

/* The input of the boards' planner; false if it takes no such numbers. */
static bool read_base(struct planner_input *base,
                      const struct model_input *input)
{
    unsigned phases =
        input->phases_fixed ? input->phases_want : input->phases_max;

    if (input->load_units > PLANNER_UNITS_MAX || phases > ROUNDS_PHASES_MAX ||
        input->results_numerator >
            PLANNER_TIME_MAX_PS / (input->transfer_ps + 1) ||
        input->compute_ps > PLANNER_LOAD_MAX_PS / input->load_units) {
        return false;
    }
    *base = (struct planner_input){.load_units = (uint32_t)input->load_units,
                                   .compute_ps = input->compute_ps,
                                   .transfer_ps = input->transfer_ps,
                                   .phases_max = (uint8_t)phases,
                                   .phases_want = (uint8_t)phases};
    for (unsigned i = 0; i < phases; ++i) {
        base->startup_ps[i] = input->startup_ps[i];
        if (input->stages[i] > 1) {
            return false;
        }
    }
    return true;
}

/* Sets the parts of a round; `end_ps` moves on from the end of the one before.
 */
static void set_round(struct model_part part[], uint64_t *end_ps,
                      const struct rounds_plan *made, unsigned round,
                      const struct planner_input *base)
{
    for (unsigned layer = 0; layer <= made->phases; ++layer) {
        uint32_t volume = made->volume_units[round][layer];
        uint32_t share = made->share_units[round][layer];

        if (layer > 0) {
            *end_ps += base->startup_ps[layer - 1] + base->transfer_ps * volume;
        }
        part[layer] = (struct model_part){.nodes = model_layer_nodes(layer),
                                          .volume_units = volume,
                                          .share_units = share,
                                          .volume_floor = volume,
                                          .share_floor = share,
                                          .end_ps = layer > 0 ? *end_ps : 0};
    }
}

static void set_plan(struct model_plan *plan, struct model_detail *detail,
                     const struct rounds_plan *made,
                     const struct planner_input *base)
{
    unsigned layers = made->phases + 1u;
    uint64_t end_ps = 0;

    *plan = (struct model_plan){.phases = made->phases,
                                .phases_feasible = made->phases,
                                .rounds = made->rounds,
                                .makespan_ps = made->makespan_ps};
    *detail = (struct model_detail){.count = made->rounds * layers,
                                    .order = MODEL_BY_ROUND};
    detail->part = memory_or_exit(calloc(detail->count, sizeof *detail->part));
    for (unsigned r = 0; r < made->rounds; ++r) {
        struct model_part *part = &detail->part[r * layers];

        set_round(part, &end_ps, made, r, base);
        for (unsigned j = 0; j < layers; ++j) {
            plan->volume_units[j] += part[j].volume_units;
            plan->share_units[j] += part[j].share_units;
            if (r == 0) {
                plan->end_ps[j] = part[j].end_ps;
            }
        }
    }
    plan->speedup = (double)base->compute_ps * (double)base->load_units /
                    (double)made->makespan_ps;
}

int model_plan_meanwhile(struct model_plan *plan, struct model_detail *detail,
                         uint64_t *time_ps, const struct model_input *input,
                         unsigned rounds)
{
    struct planner_input base;
    struct rounds_plan made;
    struct meanwhile_input how = {
        .base = &base,
        .rounds_min = rounds == 0 ? 3 : (uint8_t)rounds,
        .rounds_max = rounds == 0 ? ROUNDS_MAX : (uint8_t)rounds};

    if (rounds > ROUNDS_MAX || !read_base(&base, input)) {
        return ERR_PHASES;
    }
    how.output_ps = input->transfer_ps * input->results_numerator /
                    input->results_denominator;
    for (unsigned i = 0; i < base.phases_want; ++i) {
        how.back_ps += base.startup_ps[i];
    }
    if (meanwhile_plan(&made, time_ps, &how) != ERR_OK) {
        return ERR_PHASES;
    }
    set_plan(plan, detail, &made, &base);
    return ERR_OK;
}
