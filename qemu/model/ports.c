/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/wide.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

#define LAYERS (MODEL_PHASES_MAX + 1)

/*
 * A subtree whose root has s ps left takes W(s) = slope s + offset units; a
 * child that is served when its parent has s left has f(s) left.
 */
struct tree {
    const struct model_input *input;
    unsigned phases;
    unsigned ports;
    unsigned batches;
    mpf_t startup[LAYERS];
    mpf_t transfer[LAYERS];
    struct model_affine takes[LAYERS]; /* W of a node of each layer */
    struct model_affine left[LAYERS];  /* f of a phase */
    mpf_t makespan;
    mpf_t term;
};

/* Nodes with the same time left after a phase. */
struct holder {
    mpf_t left;
    uint64_t nodes;
};

/* Entries before those of a layer: batches^0 + ... + batches^(layer - 1). */
static uint64_t first_group(unsigned batches, unsigned layer)
{
    uint64_t count = 1;
    uint64_t sum = 0;

    for (unsigned i = 0; i < layer; ++i, count *= batches) {
        sum += count;
    }
    return sum;
}

uint32_t model_group(unsigned batches, uint32_t group, unsigned layer,
                     unsigned phase, unsigned batch)
{
    uint32_t code = group - (uint32_t)first_group(batches, layer);

    for (unsigned i = layer + 1; i < phase; ++i) {
        code = code * batches + batches - 1;
    }
    return (uint32_t)first_group(batches, phase) + code * batches + batch;
}

static void tree_init(struct tree *tree)
{
    for (unsigned i = 0; i < LAYERS; ++i) {
        mpf_inits(tree->startup[i], tree->transfer[i], tree->takes[i].slope,
                  tree->takes[i].offset, tree->left[i].slope,
                  tree->left[i].offset, NULL);
    }
    mpf_inits(tree->makespan, tree->term, NULL);
    for (unsigned i = 1; i <= tree->input->phases_max; ++i) {
        model_wide_costs(tree->startup[i], tree->transfer[i], tree->input, i);
    }
}

static void tree_clear(struct tree *tree)
{
    for (unsigned i = 0; i < LAYERS; ++i) {
        mpf_clears(tree->startup[i], tree->transfer[i], tree->takes[i].slope,
                   tree->takes[i].offset, tree->left[i].slope,
                   tree->left[i].offset, NULL);
    }
    mpf_clears(tree->makespan, tree->term, NULL);
}

/* f of phase i, from s_child = s - startup - transfer W(s_child). */
static void find_left(struct tree *tree, unsigned i)
{
    struct model_affine *left = &tree->left[i];
    const struct model_affine *takes = &tree->takes[i];

    mpf_mul(left->slope, tree->transfer[i], takes->slope);
    mpf_set_ui(tree->term, 1);
    mpf_add(left->slope, left->slope, tree->term);
    mpf_ui_div(left->slope, 1, left->slope);
    mpf_mul(left->offset, tree->transfer[i], takes->offset);
    mpf_add(left->offset, left->offset, tree->startup[i]);
    mpf_neg(left->offset, left->offset);
    mpf_mul(left->offset, left->offset, left->slope);
}

/* W of layer i, from those of the layers after it. */
static void find_takes(struct tree *tree, unsigned i)
{
    struct model_affine *takes = &tree->takes[i];
    struct model_affine now; /* the time left, of what it was at the receipt */

    mpf_inits(now.slope, now.offset, NULL);
    mpf_set_ui(now.slope, 1);
    model_wide_set(takes->slope, tree->input->compute_ps);
    mpf_ui_div(takes->slope, 1, takes->slope);
    mpf_set_ui(takes->offset, 0);
    for (unsigned batch = i * tree->batches;
         batch < tree->phases * tree->batches; ++batch) {
        unsigned j = batch / tree->batches + 1;
        mpf_t *term = &tree->term;

        mpf_mul(now.slope, now.slope, tree->left[j].slope);
        model_wide_apply(now.offset, &tree->left[j]);
        for (unsigned port = 0; port < tree->ports; ++port) {
            mpf_mul(*term, now.slope, tree->takes[j].slope);
            mpf_add(takes->slope, takes->slope, *term);
            mpf_mul(*term, now.offset, tree->takes[j].slope);
            mpf_add(*term, *term, tree->takes[j].offset);
            mpf_add(takes->offset, takes->offset, *term);
        }
    }
    mpf_clears(now.slope, now.offset, NULL);
}

/* Nobody has less left, or receives less in its layer, than whom the last batch
   of every phase reaches. */
static bool last_feasible(const struct tree *tree)
{
    bool feasible = true;
    mpf_t left;
    mpf_t volume;

    mpf_inits(left, volume, NULL);
    mpf_set(left, tree->makespan);
    for (unsigned batch = 0; feasible && batch < tree->phases * tree->batches;
         ++batch) {
        unsigned j = batch / tree->batches + 1;

        model_wide_apply(left, &tree->left[j]);
        mpf_set(volume, left);
        model_wide_apply(volume, &tree->takes[j]);
        feasible = model_wide_positive(volume);
    }
    mpf_clears(left, volume, NULL);
    return feasible;
}

static bool solve(void *context, mpq_t makespan_ps, unsigned phases)
{
    struct tree *tree = (struct tree *)context;

    tree->phases = phases;
    for (unsigned i = phases; i >= 1; --i) {
        find_takes(tree, i);
        find_left(tree, i);
    }
    find_takes(tree, 0);
    model_wide_set(tree->makespan, tree->input->load_units);
    mpf_sub(tree->makespan, tree->makespan, tree->takes[0].offset);
    mpf_div(tree->makespan, tree->makespan, tree->takes[0].slope);
    mpq_set_f(makespan_ps, tree->makespan);
    return last_feasible(tree);
}

/* Volume and share of a node of layer i that has so much time left. */
static void set_part(struct model_part *part, struct tree *tree, unsigned i,
                     const mpf_t left)
{
    mpf_t *term = &tree->term;

    mpf_set(*term, left);
    model_wide_apply(*term, &tree->takes[i]);
    part->volume_units = model_wide_double(*term);
    part->volume_floor = model_wide_floor(*term);
    model_wide_set(*term, tree->input->compute_ps);
    mpf_div(*term, left, *term);
    part->share_units = model_wide_double(*term);
    part->share_floor = model_wide_floor(*term);
    mpf_sub(*term, tree->makespan, left);
    part->end_ps = model_wide_round(*term);
}

/* The average layer i; `left` is that of the average node with a load before
   the phase, and becomes that after it. */
static void average_layer(struct model_plan *plan, struct tree *tree,
                          mpf_t left, unsigned i)
{
    struct model_part part;
    mpf_t child;
    mpf_t divisor;

    mpf_inits(child, divisor, NULL);
    for (unsigned batch = 0; batch < tree->batches; ++batch) {
        model_wide_apply(left, &tree->left[i]);
        mpf_add(child, child, left);
    }
    mpf_set_ui(divisor, tree->batches);
    mpf_div(child, child, divisor);
    set_part(&part, tree, i, child);
    plan->volume_units[i] = part.volume_units;
    plan->share_units[i] = part.share_units;
    /* One node that had a load, and its four children. */
    mpf_mul_2exp(child, child, 2);
    mpf_add(left, left, child);
    mpf_set_ui(divisor, 5);
    mpf_div(left, left, divisor);
    mpf_clears(child, divisor, NULL);
}

/* Averages of all layers, and their first receipts. */
static void find_layers(struct model_plan *plan, struct tree *tree)
{
    struct model_part part;
    mpf_t average;
    mpf_t first;

    mpf_inits(average, first, NULL);
    mpf_set(average, tree->makespan);
    mpf_set(first, tree->makespan);
    set_part(&part, tree, 0, first);
    plan->volume_units[0] = part.volume_units;
    plan->share_units[0] = part.share_units;
    for (unsigned i = 1; i <= plan->phases; ++i) {
        model_wide_apply(first, &tree->left[i]);
        set_part(&part, tree, i, first);
        plan->end_ps[i] = part.end_ps;
        average_layer(plan, tree, average, i);
    }
    mpf_clears(average, first, NULL);
}

static void holders_free(struct holder holders[], uint64_t count)
{
    for (uint64_t i = 0; i < count; ++i) {
        mpf_clear(holders[i].left);
    }
    free(holders);
}

/* All groups of layer i, and who has how much left after the phase: `before`
   has `count` entries. */
static struct holder *layer_groups(struct model_part part[], struct tree *tree,
                                   const struct holder before[], uint64_t count,
                                   unsigned i)
{
    struct holder *after =
        memory_or_exit(malloc(count * tree->batches * sizeof *after));

    for (uint64_t code = 0; code < count; ++code) {
        mpf_srcptr left = before[code].left;

        for (unsigned batch = 0; batch < tree->batches; ++batch) {
            uint64_t at = code * tree->batches + batch;
            bool last = batch + 1 == tree->batches;

            mpf_init(after[at].left);
            mpf_set(after[at].left, left);
            model_wide_apply(after[at].left, &tree->left[i]);
            left = after[at].left;
            set_part(&part[at], tree, i, left);
            part[at].nodes = before[code].nodes * tree->ports;
            after[at].nodes = before[code].nodes * (tree->ports + last);
        }
    }
    return after;
}

static void find_groups(struct model_detail *detail, struct tree *tree)
{
    struct holder *holders = memory_or_exit(malloc(sizeof *holders));
    uint64_t count = 1;

    detail->part = memory_or_exit(calloc(detail->count, sizeof *detail->part));
    holders->nodes = 1;
    mpf_init(holders->left);
    mpf_set(holders->left, tree->makespan);
    set_part(&detail->part[0], tree, 0, tree->makespan);
    detail->part[0].nodes = 1;
    for (unsigned i = 1; i <= tree->phases; ++i) {
        struct holder *after =
            layer_groups(&detail->part[first_group(tree->batches, i)], tree,
                         holders, count, i);

        holders_free(holders, count);
        holders = after;
        count *= tree->batches;
    }
    holders_free(holders, count);
}

static int find_plan(struct model_plan *plan, struct model_detail *detail,
                     struct tree *tree)
{
    uint64_t groups;
    mpq_t makespan;
    int error = model_exact_best(plan, tree->input, solve, tree);

    if (error != ERR_OK) {
        return error;
    }
    plan->rounds = 1;
    mpq_init(makespan);
    solve(tree, makespan, plan->phases);
    mpq_clear(makespan);
    error = model_wide_makespan(plan, tree->makespan, tree->input->load_units,
                                tree->input->compute_ps);
    find_layers(plan, tree);
    groups = first_group(tree->batches, plan->phases + 1u);
    if (error == ERR_OK && groups <= MODEL_GROUPS_MAX) {
        detail->order = MODEL_BY_GROUP;
        detail->batches = tree->batches;
        detail->count = (uint32_t)groups;
        find_groups(detail, tree);
    }
    return error;
}

int model_plan_ports(struct model_plan *plan, struct model_detail *detail,
                     const struct model_input *input, unsigned ports)
{
    struct tree tree = {
        .input = input, .ports = ports, .batches = TORUS_PORTS / ports};
    int error = model_exact_check(plan, input);

    *detail = (struct model_detail){.part = NULL};
    if (error != ERR_OK) {
        return error;
    }
    model_wide_begin();
    tree_init(&tree);
    error = find_plan(plan, detail, &tree);
    tree_clear(&tree);
    if (error != ERR_OK) {
        model_detail_free(detail);
    }
    return error;
}
