/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/wide.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

#define PHASES (TORUS_PHASES_MAX + 1)

struct node {
    struct model_affine takes; /* units, of what it has left at its receipt */
    struct model_affine left;  /* of what its parent's port had left before */
    mpf_t at_receipt;          /* ps left */
    uint8_t layer;
};

struct nodes {
    const struct model_input *input;
    const uint64_t *compute_ps;
    struct torus_size size;
    struct torus_path path[PHASES][TORUS_PORTS];
    unsigned phases;
    uint32_t count;  /* of all nodes */
    uint32_t active; /* entries of queue */
    uint32_t *queue; /* active nodes, every parent before its children */
    struct node *node;
    uint32_t originator;
    mpf_t startup[PHASES];
    mpf_t transfer[PHASES];
    mpf_t term;
};

static void nodes_init(struct nodes *nodes)
{
    for (unsigned i = 0; i < PHASES; ++i) {
        mpf_inits(nodes->startup[i], nodes->transfer[i], NULL);
    }
    mpf_init(nodes->term);
    for (unsigned i = 1; i <= nodes->input->phases_max; ++i) {
        model_wide_costs(nodes->startup[i], nodes->transfer[i], nodes->input,
                         i);
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            nodes->path[i][port] =
                torus_phase_path(nodes->size, i, (enum torus_port)port);
        }
    }
    for (uint32_t i = 0; i < nodes->count; ++i) {
        struct node *node = &nodes->node[i];

        mpf_inits(node->takes.slope, node->takes.offset, node->left.slope,
                  node->left.offset, node->at_receipt, NULL);
    }
}

static void nodes_clear(struct nodes *nodes)
{
    for (unsigned i = 0; i < PHASES; ++i) {
        mpf_clears(nodes->startup[i], nodes->transfer[i], NULL);
    }
    mpf_clear(nodes->term);
    for (uint32_t i = 0; i < nodes->count; ++i) {
        struct node *node = &nodes->node[i];

        mpf_clears(node->takes.slope, node->takes.offset, node->left.slope,
                   node->left.offset, node->at_receipt, NULL);
    }
}

static uint32_t child_of(const struct nodes *nodes, uint32_t parent,
                         unsigned phase, unsigned port)
{
    struct torus_coord from = torus_coord_of(nodes->size, parent);

    return torus_index(nodes->size, torus_path_end(nodes->size, from,
                                                   nodes->path[phase][port]));
}

static void find_queue(struct nodes *nodes)
{
    nodes->queue[0] = nodes->originator;
    nodes->active = 1;
    nodes->node[nodes->originator].layer = 0;
    for (unsigned phase = 1; phase <= nodes->phases; ++phase) {
        uint32_t before = nodes->active;

        for (uint32_t i = 0; i < before * TORUS_PORTS; ++i) {
            uint32_t child = child_of(nodes, nodes->queue[i / TORUS_PORTS],
                                      phase, i % TORUS_PORTS);

            nodes->node[child].layer = (uint8_t)phase;
            nodes->queue[nodes->active++] = child;
        }
    }
}

/* f of a child, from s' = s - startup - transfer W(s'). */
static void find_left(struct nodes *nodes, struct node *child)
{
    mpf_srcptr transfer = nodes->transfer[child->layer];
    struct model_affine *left = &child->left;

    mpf_mul(left->slope, transfer, child->takes.slope);
    mpf_add_ui(left->slope, left->slope, 1);
    mpf_ui_div(left->slope, 1, left->slope);
    mpf_mul(left->offset, transfer, child->takes.offset);
    mpf_add(left->offset, left->offset, nodes->startup[child->layer]);
    mpf_neg(left->offset, left->offset);
    mpf_mul(left->offset, left->offset, left->slope);
}

/* Adds what one port of a node sends out, phase after phase. */
static void add_port(struct nodes *nodes, uint32_t parent, unsigned port)
{
    struct model_affine *takes = &nodes->node[parent].takes;
    struct model_affine now;

    mpf_inits(now.slope, now.offset, NULL);
    mpf_set_ui(now.slope, 1);
    for (unsigned phase = nodes->node[parent].layer + 1u;
         phase <= nodes->phases; ++phase) {
        struct node *child = &nodes->node[child_of(nodes, parent, phase, port)];

        find_left(nodes, child);
        mpf_mul(now.slope, now.slope, child->left.slope);
        model_wide_apply(now.offset, &child->left);
        mpf_mul(nodes->term, now.slope, child->takes.slope);
        mpf_add(takes->slope, takes->slope, nodes->term);
        mpf_set(nodes->term, now.offset);
        model_wide_apply(nodes->term, &child->takes);
        mpf_add(takes->offset, takes->offset, nodes->term);
    }
    mpf_clears(now.slope, now.offset, NULL);
}

/* Upwards: what every subtree takes. */
static void find_takes(struct nodes *nodes)
{
    for (uint32_t i = nodes->active; i-- > 0;) {
        uint32_t index = nodes->queue[i];
        struct model_affine *takes = &nodes->node[index].takes;

        model_wide_set(takes->slope, nodes->compute_ps[index]);
        mpf_ui_div(takes->slope, 1, takes->slope);
        mpf_set_ui(takes->offset, 0);
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            add_port(nodes, index, port);
        }
    }
}

/* Downwards: what every node has left at its receipt. False if one receives
   less than nothing; if none does, nobody has less than nothing left. */
static bool find_receipts(struct nodes *nodes)
{
    bool feasible = true;
    mpf_t left;

    mpf_init(left);
    for (uint32_t i = 0; i < nodes->active * TORUS_PORTS; ++i) {
        uint32_t parent = nodes->queue[i / TORUS_PORTS];

        mpf_set(left, nodes->node[parent].at_receipt);
        for (unsigned phase = nodes->node[parent].layer + 1u;
             phase <= nodes->phases; ++phase) {
            struct node *child =
                &nodes->node[child_of(nodes, parent, phase, i % TORUS_PORTS)];

            model_wide_apply(left, &child->left);
            mpf_set(child->at_receipt, left);
            mpf_set(nodes->term, left);
            model_wide_apply(nodes->term, &child->takes);
            feasible = feasible && model_wide_positive(nodes->term);
        }
    }
    mpf_clear(left);
    return feasible;
}

static bool solve(void *context, mpq_t makespan_ps, unsigned phases)
{
    struct nodes *nodes = (struct nodes *)context;
    struct node *root = &nodes->node[nodes->originator];

    nodes->phases = phases;
    find_queue(nodes);
    find_takes(nodes);
    model_wide_set(root->at_receipt, nodes->input->load_units);
    mpf_sub(root->at_receipt, root->at_receipt, root->takes.offset);
    mpf_div(root->at_receipt, root->at_receipt, root->takes.slope);
    mpq_set_f(makespan_ps, root->at_receipt);
    return find_receipts(nodes);
}

static void set_part(struct model_part *part, struct nodes *nodes,
                     uint32_t index)
{
    const struct node *node = &nodes->node[index];
    mpf_t *term = &nodes->term;

    part->nodes = 1;
    mpf_set(*term, node->at_receipt);
    model_wide_apply(*term, &node->takes);
    part->volume_units = model_wide_double(*term);
    part->volume_floor = model_wide_floor(*term);
    model_wide_set(*term, nodes->compute_ps[index]);
    mpf_div(*term, node->at_receipt, *term);
    part->share_units = model_wide_double(*term);
    part->share_floor = model_wide_floor(*term);
    mpf_sub(*term, nodes->node[nodes->originator].at_receipt, node->at_receipt);
    part->end_ps = model_wide_round(*term);
}

/* All nodes, and the averages and first receipts of layers. */
static void find_parts(struct model_plan *plan, struct model_detail *detail,
                       struct nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->active; ++i) {
        uint32_t index = nodes->queue[i];
        struct model_part *part = &detail->part[index];
        unsigned layer = nodes->node[index].layer;
        double of = (double)model_layer_nodes(layer);

        set_part(part, nodes, index);
        plan->volume_units[layer] += part->volume_units / of;
        plan->share_units[layer] += part->share_units / of;
        if (plan->end_ps[layer] == 0 || part->end_ps < plan->end_ps[layer]) {
            plan->end_ps[layer] = part->end_ps;
        }
    }
}

static int find_plan(struct model_plan *plan, struct model_detail *detail,
                     struct nodes *nodes)
{
    mpq_t makespan;
    int error = model_exact_best(plan, nodes->input, solve, nodes);

    if (error != ERR_OK) {
        return error;
    }
    plan->rounds = 1;
    mpq_init(makespan);
    solve(nodes, makespan, plan->phases);
    mpq_clear(makespan);
    find_parts(plan, detail, nodes);
    return model_wide_makespan(plan, nodes->node[nodes->originator].at_receipt,
                               nodes->input->load_units,
                               nodes->compute_ps[nodes->originator]);
}

int model_plan_nodes(struct model_plan *plan, struct model_detail *detail,
                     const struct model_input *input,
                     const struct model_torus *torus)
{
    struct nodes nodes = {
        .input = input,
        .compute_ps = torus->compute_ps,
        .size = torus->size,
        .count = torus_nodes(torus->size),
        .originator = torus_index(torus->size, torus->originator),
    };
    int error = model_exact_check(plan, input);

    *detail = (struct model_detail){.order = MODEL_BY_NODE};
    if (error != ERR_OK) {
        return error;
    }
    detail->count = nodes.count;
    detail->part = memory_or_exit(calloc(nodes.count, sizeof *detail->part));
    nodes.node = memory_or_exit(calloc(nodes.count, sizeof *nodes.node));
    nodes.queue = memory_or_exit(calloc(nodes.count, sizeof *nodes.queue));
    model_wide_begin();
    nodes_init(&nodes);
    error = find_plan(plan, detail, &nodes);
    nodes_clear(&nodes);
    free(nodes.node);
    free(nodes.queue);
    if (error != ERR_OK) {
        model_detail_free(detail);
    }
    return error;
}
