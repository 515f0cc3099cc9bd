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

uint32_t theory_part_of(const struct theory_detail *detail, uint32_t part,
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

/* Floors of what a node of this part sends on, in all. */
static uint64_t sent_units(const struct theory_detail *detail,
                           const struct theory_part round[], uint32_t part,
                           unsigned layer, unsigned phases)
{
    uint64_t units = 0;

    for (unsigned phase = layer + 1; phase <= phases; ++phase) {
        for (unsigned batch = 0; batch < detail->batches; ++batch) {
            units += round[theory_part_of(detail, part, layer, phase, batch)]
                         .volume_floor;
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

/* The scatter of integer units, one round after the other. */
struct spread {
    struct theory_node *nodes;
    const struct theory_detail *detail;
    const struct theory_part *part; /* of the round */
    unsigned phases;                /* N */
    struct torus_size size;
    struct torus_path path[TORUS_PHASES_MAX + 1][TORUS_PORTS];
    uint32_t *queue;    /* nodes, every parent before its children */
    uint64_t *received; /* units of each node in this round */
    uint32_t *kind;     /* of each node: its part */
};

/* The children among whom one node divides its units. */
struct deal {
    uint32_t child[THEORY_PHASES_MAX * TORUS_PORTS];
    unsigned count;
    uint64_t floors; /* their sum over all children */
};

static void find_children(struct spread *spread, struct deal *deal,
                          uint32_t parent)
{
    const struct theory_detail *detail = spread->detail;
    unsigned layer = spread->nodes[parent].layer;
    struct torus_coord from = torus_coord_of(spread->size, parent);

    deal->count = 0;
    deal->floors = 0;
    for (unsigned phase = layer + 1; phase <= spread->phases; ++phase) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            uint32_t child = torus_index(
                spread->size,
                torus_path_end(spread->size, from, spread->path[phase][port]));

            spread->nodes[child].layer = (uint8_t)phase;
            spread->kind[child] =
                theory_part_of(detail, spread->kind[parent], layer, phase,
                               port * detail->batches / TORUS_PORTS);
            deal->child[deal->count++] = child;
            deal->floors += spread->part[spread->kind[child]].volume_floor;
        }
    }
}

/* Every child its floor, the first `left` one more; returns the sum. */
static uint64_t hand_out(struct spread *spread, const struct deal *deal,
                         uint64_t left)
{
    for (unsigned i = 0; i < deal->count; ++i) {
        uint32_t child = deal->child[i];

        spread->received[child] =
            spread->part[spread->kind[child]].volume_floor + (i < left);
    }
    return deal->floors + (left < deal->count ? left : deal->count);
}

/*
 * One round below the originator, which has `left` units to add to floors;
 * returns what it hands out.
 */
static uint64_t spread_round(struct spread *spread, uint32_t originator,
                             uint64_t left)
{
    struct deal deal;
    uint64_t first;
    uint32_t reached;

    find_children(spread, &deal, originator);
    first = hand_out(spread, &deal, left);
    reached = deal.count;
    for (unsigned i = 0; i < deal.count; ++i) {
        spread->queue[i] = deal.child[i];
    }
    for (uint32_t i = 0; i < reached; ++i) {
        uint32_t node = spread->queue[i];
        uint64_t units = spread->received[node];

        find_children(spread, &deal, node);
        left =
            units - deal.floors - spread->part[spread->kind[node]].share_floor;
        spread->nodes[node].units += units - hand_out(spread, &deal, left);
        for (unsigned k = 0; k < deal.count; ++k) {
            spread->queue[reached++] = deal.child[k];
        }
    }
    return first;
}

/* The units of the load that are left over by the floors of the originator's
   parts in all rounds. */
static uint64_t units_left(struct spread *spread, uint32_t originator,
                           unsigned rounds)
{
    const struct theory_part *first = spread->part;
    uint64_t left = spread->nodes[originator].units;
    struct deal deal;

    left -= first[spread->kind[originator]].share_floor;
    for (unsigned r = 0; r < rounds; ++r) {
        find_children(spread, &deal, originator);
        left -= deal.floors;
        spread->part += spread->detail->stride;
    }
    spread->part = first;
    return left;
}

static void spread_rounds(struct spread *spread, uint32_t originator,
                          unsigned rounds)
{
    uint64_t left = units_left(spread, originator, rounds);
    unsigned children = TORUS_PORTS * spread->phases;

    for (unsigned r = 0; r < rounds; ++r) {
        spread->nodes[originator].units -=
            spread_round(spread, originator, left);
        left -= left < children ? left : children;
        spread->part += spread->detail->stride;
    }
}

/* Nodes beyond the plan have a layer too. */
static void set_nodes(struct spread *spread, struct torus_coord originator,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        struct torus_role role = torus_role_of(spread->size, originator,
                                               torus_coord_of(spread->size, i));

        spread->nodes[i] = (struct theory_node){.layer = role.layer};
    }
    for (unsigned phase = 1; phase <= spread->phases; ++phase) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            spread->path[phase][port] =
                torus_phase_path(spread->size, phase, (enum torus_port)port);
        }
    }
}

void theory_spread(struct theory_node nodes[], const struct theory_plan *plan,
                   const struct theory_detail *detail, uint64_t load_units,
                   struct torus_size size, struct torus_coord originator)
{
    uint32_t count = torus_nodes(size);
    uint32_t root = torus_index(size, originator);
    struct spread spread = {
        .nodes = nodes,
        .detail = detail,
        .part = detail->part,
        .phases = plan->phases,
        .size = size,
        .queue = memory_or_exit(malloc(count * sizeof(uint32_t))),
        .received = memory_or_exit(malloc(count * sizeof(uint64_t))),
        .kind = memory_or_exit(malloc(count * sizeof(uint32_t))),
    };

    set_nodes(&spread, originator, count);
    nodes[root].units = load_units;
    spread.kind[root] = 0;
    spread_rounds(&spread, root, plan->rounds);
    free(spread.queue);
    free(spread.received);
    free(spread.kind);
}
