/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/exact.h"

#define LAYERS (MODEL_PHASES_MAX + 1)

/*
 * slope x + offset, where x is the time that layer N has left at its receipt.
 * Entry 0 of each array below is the slope, entry 1 the offset.
 */
struct layers {
    const struct model_input *input;
    const uint64_t *compute_ps;
    mpq_t left[LAYERS][2];   /* ps */
    mpq_t share[LAYERS][2];  /* units */
    mpq_t volume[LAYERS][2]; /* units */
    mpq_t x;
    mpq_t startup;
    mpq_t transfer;
    mpq_t term;
};

static void layers_init(struct layers *layers)
{
    for (unsigned i = 0; i < 2 * LAYERS; ++i) {
        mpq_inits(layers->left[i / 2][i % 2], layers->share[i / 2][i % 2],
                  layers->volume[i / 2][i % 2], NULL);
    }
    mpq_inits(layers->x, layers->startup, layers->transfer, layers->term, NULL);
}

static void layers_clear(struct layers *layers)
{
    for (unsigned i = 0; i < 2 * LAYERS; ++i) {
        mpq_clears(layers->left[i / 2][i % 2], layers->share[i / 2][i % 2],
                   layers->volume[i / 2][i % 2], NULL);
    }
    mpq_clears(layers->x, layers->startup, layers->transfer, layers->term,
               NULL);
}

/* The units that a node of layer i computes in the time that it has left. */
static void find_share(struct layers *layers, unsigned i)
{
    model_exact_set(layers->term, layers->compute_ps[i]);
    for (unsigned c = 0; c < 2; ++c) {
        mpq_div(layers->share[i][c], layers->left[i][c], layers->term);
    }
}

/* Layer i - 1 from layer i: s_{i-1} = s_i + startup + transfer v_i, and
   v_{i-1} = 5 v_i + a_{i-1} - a_i. */
static void previous_layer(struct layers *layers, unsigned i)
{
    model_exact_costs(layers->startup, layers->transfer, layers->input, i,
                      true);
    for (unsigned c = 0; c < 2; ++c) {
        mpq_mul(layers->left[i - 1][c], layers->transfer, layers->volume[i][c]);
        mpq_add(layers->left[i - 1][c], layers->left[i - 1][c],
                layers->left[i][c]);
    }
    mpq_add(layers->left[i - 1][1], layers->left[i - 1][1], layers->startup);
    find_share(layers, i - 1);
    for (unsigned c = 0; c < 2; ++c) {
        mpq_t *volume = &layers->volume[i - 1][c];

        mpq_set_ui(*volume, 5, 1);
        mpq_mul(*volume, *volume, layers->volume[i][c]);
        mpq_add(*volume, *volume, layers->share[i - 1][c]);
        mpq_sub(*volume, *volume, layers->share[i][c]);
    }
}

static void value(const struct layers *layers, mpq_t to, mpq_t line[2])
{
    mpq_mul(to, line[0], layers->x);
    mpq_add(to, to, line[1]);
}

/* If x is not negative, nothing is: v_i is a sum of shares below it. */
static bool solve(void *context, mpq_t makespan_ps, unsigned phases)
{
    struct layers *layers = (struct layers *)context;

    mpq_set_ui(layers->left[phases][0], 1, 1);
    mpq_set_ui(layers->left[phases][1], 0, 1);
    find_share(layers, phases);
    for (unsigned c = 0; c < 2; ++c) {
        mpq_set(layers->volume[phases][c], layers->share[phases][c]);
    }
    for (unsigned i = phases; i >= 1; --i) {
        previous_layer(layers, i);
    }
    model_exact_set(layers->x, layers->input->load_units);
    mpq_sub(layers->x, layers->x, layers->volume[0][1]);
    mpq_div(layers->x, layers->x, layers->volume[0][0]);
    value(layers, makespan_ps, layers->left[0]);
    return mpq_sgn(layers->x) >= 0;
}

static void find_layers(struct model_plan *plan, struct layers *layers)
{
    mpq_t end;

    mpq_init(end);
    for (unsigned i = 0; i <= plan->phases; ++i) {
        value(layers, layers->term, layers->share[i]);
        plan->share_units[i] = model_exact_double(layers->term);
        plan->share_floor[i] = model_exact_floor(layers->term);
        value(layers, layers->term, layers->volume[i]);
        plan->volume_units[i] = model_exact_double(layers->term);
        plan->volume_floor[i] = model_exact_floor(layers->term);
        if (i > 0) {
            model_exact_costs(layers->startup, layers->transfer, layers->input,
                              i, false);
            mpq_mul(layers->term, layers->term, layers->transfer);
            mpq_add(end, end, layers->term);
            mpq_add(end, end, layers->startup);
        }
        plan->end_ps[i] = model_exact_round(end);
    }
    mpq_clear(end);
}

static int find_plan(struct model_plan *plan, struct layers *layers)
{
    mpq_t makespan;
    int error = model_exact_best(plan, layers->input, solve, layers);

    if (error != ERR_OK) {
        return error;
    }
    plan->rounds = 1;
    mpq_init(makespan);
    solve(layers, makespan, plan->phases);
    find_layers(plan, layers);
    error = model_exact_makespan(plan, makespan, layers->input->load_units,
                                 layers->compute_ps[0]);
    mpq_clear(makespan);
    return error;
}

int model_plan_layers(struct model_plan *plan, const struct model_input *input,
                      const uint64_t compute_ps[])
{
    struct layers layers = {.input = input, .compute_ps = compute_ps};
    int error = model_exact_check(plan, input);

    if (error != ERR_OK) {
        return error;
    }
    layers_init(&layers);
    error = find_plan(plan, &layers);
    layers_clear(&layers);
    return error;
}
