/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/groups.h"

#include "qemu/theory/parts.h"
#include "qemu/base/memory.h"

#include <stdlib.h>

/* Nodes with as much time left after a phase as those that it reaches last. */
struct holders {
    quad left_ps;
    uint64_t nodes;
};

/* Time left at a receipt of phase i, whose circuit the lane begins with this
   time left. */
static quad after(const struct theory_flow *flow, unsigned i, quad left_ps)
{
    return flow->stream[i].scale * left_ps - flow->stream[i].behind;
}

/* A node of layer i with so much time left. */
static struct theory_part part_of(const struct theory_flow *flow, unsigned i,
                                  quad left_ps, quad near)
{
    const struct theory_stream *stream = &flow->stream[i];

    return theory_part_make(1, stream->takes * left_ps - stream->less,
                            left_ps / flow->members->member[i].unit_ps, near,
                            flow->stream[0].left - left_ps);
}

/* Averages of all layers, and their first receipts. */
static void set_layers(struct theory_plan *plan, const struct theory_flow *flow,
                       quad near)
{
    quad average_ps = flow->stream[0].left; /* of nodes with a load */
    quad first_ps = average_ps;
    struct theory_part part = part_of(flow, 0, average_ps, near);

    plan->volume_units[0] = part.volume_units;
    plan->share_units[0] = part.share_units;
    for (unsigned i = 1; i <= plan->phases; ++i) {
        unsigned batches = flow->members->batches;
        quad children_ps = 0;

        first_ps = after(flow, i, first_ps);
        plan->end_ps[i] = part_of(flow, i, first_ps, near).end_ps;
        for (unsigned batch = 0; batch < batches; ++batch) {
            average_ps = after(flow, i, average_ps);
            children_ps += average_ps;
        }
        children_ps /= batches;
        part = part_of(flow, i, children_ps, near);
        plan->volume_units[i] = part.volume_units;
        plan->share_units[i] = part.share_units;
        average_ps = (average_ps + 4 * children_ps) / 5;
    }
}

/* Group after group, each served behind the one before or by `before`. */
static void set_groups(struct theory_detail *detail, struct holders holders[],
                       const struct theory_flow *flow, unsigned i, quad near)
{
    unsigned batches = detail->batches;
    uint32_t first = detail->first[i];

    for (uint32_t at = first; at < detail->first[i + 1]; ++at) {
        unsigned batch = (at - first) % batches;
        const struct holders *parents =
            &holders[detail->first[i - 1] + (at - first) / batches];
        uint64_t nodes = parents->nodes * flow->members->ports;
        quad left_ps = batch > 0 ? holders[at - 1].left_ps : parents->left_ps;

        left_ps = after(flow, i, left_ps);
        detail->part[at] = part_of(flow, i, left_ps, near);
        detail->part[at].nodes = nodes;
        nodes += batch + 1 == batches ? parents->nodes : 0;
        holders[at] = (struct holders){left_ps, nodes};
    }
}

void theory_groups(struct theory_plan *plan, struct theory_detail *detail,
                   const struct theory_flow *flow, quad near)
{
    unsigned batches = flow->members->batches;
    uint64_t groups = 1;
    struct holders *holders;

    set_layers(plan, flow, near);
    for (unsigned i = 0; i < plan->phases; ++i) {
        groups = groups * batches + 1;
    }
    if (groups > THEORY_GROUPS_MAX) {
        return;
    }
    theory_detail_make(detail, THEORY_BY_GROUP, batches, plan);
    holders = memory_or_exit(calloc(groups, sizeof *holders));
    holders[0] = (struct holders){flow->stream[0].left, 1};
    detail->part[0] = part_of(flow, 0, holders[0].left_ps, near);
    for (unsigned i = 1; i <= plan->phases; ++i) {
        set_groups(detail, holders, flow, i, near);
    }
    free(holders);
}
