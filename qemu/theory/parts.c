/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/parts.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

int theory_check(struct theory_plan *plan, const struct theory_input *input)
{
    *plan = (struct theory_plan){.phases = 0};
    if (input->load_units == 0) {
        return ERR_EMPTY;
    }
    return input->compute_ps == 0 || input->phases_max > THEORY_PHASES_MAX
               ? ERR_RANGE
               : ERR_OK;
}

int theory_makespan(struct theory_plan *plan, quad makespan_ps, quad alone_ps)
{
    plan->makespan_ps = quad_round(makespan_ps);
    plan->speedup = (double)(alone_ps / makespan_ps);
    return plan->makespan_ps > THEORY_TIME_MAX_PS ? ERR_RANGE : ERR_OK;
}

uint64_t theory_layer_nodes(unsigned layer)
{
    uint64_t nodes = layer == 0 ? 1 : 4;

    for (unsigned i = 1; i < layer; ++i) {
        nodes *= 5;
    }
    return nodes;
}

struct theory_part theory_part_make(uint64_t nodes, quad volume, quad share,
                                    quad near, quad end_ps)
{
    return (struct theory_part){
        .nodes = nodes,
        .volume_units = volume < near ? 0 : (double)volume,
        .share_units = share < near ? 0 : (double)share,
        .volume_floor = quad_floor(volume, near),
        .share_floor = quad_floor(share, near),
        .end_ps = quad_round(end_ps),
    };
}

void theory_detail_free(struct theory_detail *detail)
{
    free(detail->part);
    free(detail->average);
    *detail = (struct theory_detail){.part = NULL};
}

void theory_detail_make(struct theory_detail *detail, bool by_member,
                        unsigned batches, const struct theory_plan *plan)
{
    uint32_t *first = detail->first;

    *detail = (struct theory_detail){
        .by_member = by_member, .batches = batches, .first = {0, 1}};
    for (unsigned layer = 1; layer <= plan->phases; ++layer) {
        uint32_t parents = first[layer] - (by_member ? 0 : first[layer - 1]);

        first[layer + 1] = first[layer] + batches * parents;
    }
    detail->stride = first[plan->phases + 1];
    detail->part = memory_or_exit(
        calloc((size_t)plan->rounds * detail->stride, sizeof *detail->part));
}

/* Returns the part of a child, as an index in its round. The child is reached
   in a phase and batch, from 0, by a node of `part` and `layer`; part 0 is the
   originator. In phases after the node's own, the node counts as one that its
   layer's last batch reached: these have equal time left. */
static uint32_t part_of(const struct theory_detail *detail, uint32_t part,
                        unsigned layer, unsigned phase, unsigned batch)
{
    uint32_t code = part;

    if (!detail->by_member) {
        code -= detail->first[layer];
        for (unsigned i = layer + 1; i < phase; ++i) {
            code = code * detail->batches + detail->batches - 1;
        }
    }
    return detail->first[phase] + code * detail->batches + batch;
}

static uint64_t sent_units(const struct theory_detail *detail,
                           const struct theory_part round[], uint32_t part,
                           unsigned layer, unsigned phases)
{
    uint64_t units = 0;

    for (unsigned phase = layer + 1; phase <= phases; ++phase) {
        for (unsigned batch = 0; batch < detail->batches; ++batch) {
            units +=
                round[part_of(detail, part, layer, phase, batch)].volume_floor;
        }
    }
    return units * (TORUS_PORTS / detail->batches);
}

void theory_parts_floors(struct theory_detail *detail,
                         const struct theory_plan *plan, uint64_t load_units)
{
    unsigned phases = plan->phases;
    uint64_t left = load_units;

    for (unsigned r = 0; r < plan->rounds; ++r) {
        struct theory_part *round = &detail->part[r * detail->stride];

        for (unsigned layer = phases; layer >= 1; --layer) {
            for (uint32_t i = detail->first[layer];
                 i < detail->first[layer + 1]; ++i) {
                uint64_t least = round[i].share_floor +
                                 sent_units(detail, round, i, layer, phases);
                uint64_t most = least + TORUS_PORTS * (phases - layer);

                if (round[i].volume_floor < least) {
                    round[i].volume_floor = least;
                }
                if (round[i].volume_floor > most) {
                    round[i].volume_floor = most;
                }
            }
        }
        left -= sent_units(detail, round, 0, 0, phases);
    }
    if (detail->part[0].share_floor > left) {
        detail->part[0].share_floor = left;
    }
}

void theory_parts_add(struct theory_plan *plan,
                      const struct theory_detail *detail)
{
    const struct theory_part *part =
        detail->average == NULL ? detail->part : detail->average;
    unsigned layers = plan->phases + 1u;

    for (unsigned j = 0; j < layers; ++j) {
        plan->layer[j] = part[j];
        for (unsigned r = 1; r < plan->rounds; ++r) {
            plan->layer[j].volume_units += part[r * layers + j].volume_units;
            plan->layer[j].share_units += part[r * layers + j].share_units;
        }
    }
}

/* ---- integer shares of nodes ---- */

/* State of theory_spread(), which gives all nodes whole units, round by
   round. */
struct spread {
    struct theory_node *nodes;
    const struct theory_detail *detail;
    unsigned phases; /* N */
    struct torus_size size;
    struct torus_coord originator;
    /* nodes sorted by layer, so parents come before children */
    uint32_t *order;
    uint32_t *part; /* index of each node's part in struct theory_detail */
    /* units that remain at each node after its children and its own share got
       their volumes rounded down */
    uint64_t *left;
};

/* Sorts the nodes by layer and sets each node's layer, also of layers that the
   plan's phases do not reach. */
static void sort_nodes(struct spread *spread)
{
    uint64_t end[THEORY_PHASES_MAX + 1] = {0};

    for (unsigned layer = 1; layer <= THEORY_PHASES_MAX; ++layer) {
        end[layer] = theory_layer_nodes(layer) / 4;
    }
    for (uint32_t i = 0; i < torus_nodes(spread->size); ++i) {
        uint8_t layer = torus_role_of(spread->size, spread->originator,
                                      torus_coord_of(spread->size, i))
                            .layer;

        spread->nodes[i] = (struct theory_node){.layer = layer};
        spread->order[end[layer]] = i;
        end[layer] += 1;
    }
}

/* Adds one round's shares of all nodes but the originator. The originator's
   units `left` go to its first children. */
static void spread_round(struct spread *spread,
                         const struct theory_part round[])
{
    const struct theory_detail *detail = spread->detail;
    uint64_t active = theory_layer_nodes(spread->phases + 1) / 4;

    for (uint64_t i = 1; i < active; ++i) {
        uint32_t node = spread->order[i];
        struct torus_role role =
            torus_role_of(spread->size, spread->originator,
                          torus_coord_of(spread->size, node));
        uint32_t parent = torus_index(spread->size, role.parent);
        unsigned from = spread->nodes[parent].layer;
        unsigned child = TORUS_PORTS * (role.layer - from - 1u) + role.port;
        unsigned children = TORUS_PORTS * (spread->phases - role.layer);
        uint32_t kind = part_of(detail, spread->part[parent], from, role.layer,
                                role.port * detail->batches / TORUS_PORTS);
        uint64_t left =
            round[kind].volume_floor + (child < spread->left[parent]) -
            round[kind].share_floor -
            sent_units(detail, round, kind, role.layer, spread->phases);

        spread->part[node] = kind;
        spread->left[node] = left;
        spread->nodes[node].units +=
            round[kind].share_floor + (left > children ? left - children : 0);
    }
}

void theory_spread(struct theory_node nodes[], const struct theory_plan *plan,
                   const struct theory_detail *detail, uint64_t load_units,
                   struct torus_size size, struct torus_coord originator)
{
    uint32_t count = torus_nodes(size);
    uint32_t root = torus_index(size, originator);
    unsigned children = TORUS_PORTS * plan->phases;
    uint64_t left = load_units - detail->part[0].share_floor;
    struct spread spread = {
        .nodes = nodes,
        .detail = detail,
        .phases = plan->phases,
        .size = size,
        .originator = originator,
        .order = memory_or_exit(malloc(count * sizeof(uint32_t))),
        .part = memory_or_exit(malloc(count * sizeof(uint32_t))),
        .left = memory_or_exit(malloc(count * sizeof(uint64_t))),
    };

    sort_nodes(&spread);
    spread.part[root] = 0;
    nodes[root].units = load_units;
    for (unsigned r = 0; r < plan->rounds; ++r) {
        left -= sent_units(detail, &detail->part[r * detail->stride], 0, 0,
                           plan->phases);
    }
    for (unsigned r = 0; r < plan->rounds; ++r) {
        const struct theory_part *round = &detail->part[r * detail->stride];
        uint64_t taken = left < children ? left : children;

        spread.left[root] = left;
        spread_round(&spread, round);
        nodes[root].units -=
            sent_units(detail, round, 0, 0, plan->phases) + taken;
        left -= taken;
    }
    free(spread.order);
    free(spread.part);
    free(spread.left);
}
