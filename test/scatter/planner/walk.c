/* SPDX-License-Identifier: Apache-2.0 */
#include "test/scatter/planner/walk.h"

#include "scatter/plan/split.h"

__extension__ typedef unsigned __int128 wide;

/* A layer's nodes that received the floor of its volume, or one unit more. */
struct class
{
    uint64_t nodes;
    wide last; /* from a receipt to the end of its whole subtree, 1/Q ps */
};

struct walker {
    struct walk *walk;
    const struct planner_input *input;
    struct class classes[PLANNER_PHASES_MAX + 1][2];
};

static uint64_t denominator(const struct planner_input *input)
{
    return input->results_denominator == 0 ? 1 : input->results_denominator;
}

/* What a phase takes for so many units, there and back, in 1/Q ps. */
static wide phase_time(const struct planner_input *input, unsigned phase,
                       uint32_t units)
{
    uint64_t ways = denominator(input);
    uint64_t stages = input->stages[phase - 1];

    if (input->results_denominator != 0) {
        ways += input->results_numerator;
    }
    stages = stages == 0 ? 1 : stages;
    return (wide)input->startup_ps[phase - 1] * denominator(input) +
           (wide)input->transfer_ps * stages * ways * units;
}

/* Whether `units` are the floor or one more; which of both. */
static unsigned which(struct walker *walker, uint32_t units, uint32_t floor)
{
    if (units != floor && units - 1 != floor) {
        walker->walk->broken += 1;
        return 0;
    }
    return units != floor;
}

/* Splits the volume of a class on paper; the layers below are done. */
static void take(struct walker *walker, const struct split *split,
                 unsigned layer, struct class *class)
{
    const struct planner_plan *plan = &walker->walk->plan;

    class->last = (wide)split->share_units * walker->input->compute_ps *
                  denominator(walker->input);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        wide end = 0;

        for (unsigned phase = layer + 1; phase <= plan->phases; ++phase) {
            uint32_t sent = split_child_units(split, phase, port);
            unsigned more = sent != plan->volume_units[phase];
            wide last;

            end += phase_time(walker->input, phase, sent);
            last = end + walker->classes[phase][more].last;
            class->last = last > class->last ? last : class->last;
        }
    }
}

/* Counts the parts of a class of nodes, from the top down. */
static void hand_on(struct walker *walker, const struct split *split,
                    unsigned layer, uint32_t units, uint64_t nodes)
{
    struct walk *walk = walker->walk;
    uint64_t sum = split->share_units;

    which(walker, split->share_units, walk->plan.share_units[layer]);
    walk->kept_units += nodes * split->share_units;
    for (unsigned phase = layer + 1; phase <= walk->plan.phases; ++phase) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            uint32_t sent = split_child_units(split, phase, port);

            sum += sent;
            walker
                ->classes[phase]
                         [which(walker, sent, walk->plan.volume_units[phase])]
                .nodes += nodes;
        }
    }
    walk->broken += sum != units;
}

static int split_class(struct split *split, const struct walker *walker,
                       unsigned layer, unsigned more)
{
    const struct planner_plan *plan = &walker->walk->plan;

    return split_volume(split, plan->volume_units, plan->share_units,
                        plan->phases, layer, plan->volume_units[layer] + more);
}

static void walk_plan(struct walk *walk, const struct planner_input *input)
{
    struct walker walker = {.walk = walk, .input = input};
    struct split split;

    walker.classes[0][0].nodes = 1;
    for (unsigned layer = 0; layer <= walk->plan.phases; ++layer) {
        for (unsigned more = 0; more < 2; ++more) {
            uint64_t nodes = walker.classes[layer][more].nodes;

            if (nodes == 0) {
                continue;
            }
            if (split_class(&split, &walker, layer, more) != ERR_OK) {
                walk->broken += 1;
                return;
            }
            hand_on(&walker, &split, layer,
                    walk->plan.volume_units[layer] + more, nodes);
        }
    }
    for (unsigned layer = walk->plan.phases + 1u; layer-- > 0;) {
        for (unsigned more = 0; more < 2; ++more) {
            struct class *class = &walker.classes[layer][more];

            if (class->nodes > 0 &&
                split_class(&split, &walker, layer, more) == ERR_OK) {
                take(&walker, &split, layer, class);
            }
        }
    }
    walk->last_high = (uint64_t)(walker.classes[0][0].last >> 64);
    walk->last_low = (uint64_t)walker.classes[0][0].last;
}

void walk_all(struct walk walks[], const struct planner_input inputs[],
              uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        walks[i].error = planner_plan(&walks[i].plan, &inputs[i]);
        if (walks[i].error == ERR_OK) {
            walk_plan(&walks[i], &inputs[i]);
        }
    }
}
