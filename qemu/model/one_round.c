/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/exact.h"

#include <stdlib.h>

#define LAYERS (MODEL_PHASES_MAX + 1)

struct exact {
    mpq_t volume[LAYERS];
    mpq_t share[LAYERS];
    mpq_t end[LAYERS]; /* ps */
    mpq_t compute;     /* ps per unit */
};

static void exact_init(struct exact *exact)
{
    for (unsigned i = 0; i < LAYERS; ++i) {
        mpq_inits(exact->volume[i], exact->share[i], exact->end[i], NULL);
    }
    mpq_init(exact->compute);
}

static void exact_clear(struct exact *exact)
{
    for (unsigned i = 0; i < LAYERS; ++i) {
        mpq_clears(exact->volume[i], exact->share[i], exact->end[i], NULL);
    }
    mpq_clear(exact->compute);
}

/* v_i and t_i from v_{i-1} and t_{i-1}; v_i may come out negative. */
static void next_layer(struct exact *exact, const struct model_input *input,
                       unsigned i)
{
    mpq_t startup;
    mpq_t transfer;
    mpq_t divisor;

    mpq_inits(startup, transfer, divisor, NULL);
    model_exact_costs(startup, transfer, input, i, true);
    model_exact_set(divisor, 5);
    mpq_mul(divisor, divisor, exact->compute);
    mpq_add(divisor, divisor, transfer);
    mpq_mul(exact->volume[i], exact->volume[i - 1], exact->compute);
    mpq_sub(exact->volume[i], exact->volume[i], startup);
    mpq_div(exact->volume[i], exact->volume[i], divisor);

    model_exact_costs(startup, transfer, input, i, false);
    mpq_mul(transfer, transfer, exact->volume[i]);
    mpq_add(exact->end[i], exact->end[i - 1], startup);
    mpq_add(exact->end[i], exact->end[i], transfer);
    mpq_clears(startup, transfer, divisor, NULL);
}

/* Volumes down to the first negative one; returns the largest feasible N. */
static unsigned find_volumes(struct exact *exact,
                             const struct model_input *input)
{
    model_exact_set(exact->compute, input->compute_ps);
    model_exact_set(exact->volume[0], input->load_units);
    for (unsigned i = 1; i <= input->phases_max; ++i) {
        next_layer(exact, input, i);
        if (mpq_sgn(exact->volume[i]) < 0) {
            return i - 1;
        }
    }
    return input->phases_max;
}

static void find_shares(struct exact *exact, unsigned phases)
{
    mpq_t below; /* 4 sum of v_j over j > i */
    mpq_t children;

    mpq_inits(below, children, NULL);
    for (unsigned i = phases + 1; i-- > 0;) {
        mpq_sub(exact->share[i], exact->volume[i], below);
        mpq_mul_2exp(children, exact->volume[i], 2);
        mpq_add(below, below, children);
    }
    mpq_clears(below, children, NULL);
}

static int find_makespan(struct model_plan *plan, const struct exact *exact,
                         const struct model_input *input)
{
    mpq_t makespan;
    int error;

    mpq_init(makespan);
    mpq_mul(makespan, exact->share[0], exact->compute);
    error = model_exact_makespan(plan, makespan, input->load_units,
                                 input->compute_ps);
    mpq_clear(makespan);
    return error;
}

static int find_plan(struct model_plan *plan, struct exact *exact,
                     const struct model_input *input)
{
    plan->phases_feasible = (uint8_t)find_volumes(exact, input);
    plan->phases = plan->phases_feasible;
    plan->rounds = 1;
    if (input->phases_fixed) {
        plan->phases = input->phases_want;
    }
    if (plan->phases > plan->phases_feasible) {
        return ERR_PHASES;
    }
    find_shares(exact, plan->phases);
    for (unsigned i = 0; i <= plan->phases; ++i) {
        plan->volume_units[i] = model_exact_double(exact->volume[i]);
        plan->share_units[i] = model_exact_double(exact->share[i]);
        plan->volume_floor[i] = model_exact_floor(exact->volume[i]);
        plan->share_floor[i] = model_exact_floor(exact->share[i]);
        plan->end_ps[i] = model_exact_round(exact->end[i]);
    }
    return find_makespan(plan, exact, input);
}

int model_plan(struct model_plan *plan, const struct model_input *input)
{
    struct exact exact;
    int error = model_exact_check(plan, input);

    if (error != ERR_OK) {
        return error;
    }
    exact_init(&exact);
    error = find_plan(plan, &exact, input);
    exact_clear(&exact);
    return error;
}

uint64_t model_layer_nodes(unsigned layer)
{
    uint64_t nodes = layer == 0 ? 1 : 4;

    for (unsigned i = 1; i < layer; ++i) {
        nodes *= 5;
    }
    return nodes;
}

void model_detail_free(struct model_detail *detail)
{
    free(detail->part);
    free(detail->average);
    *detail = (struct model_detail){.part = NULL};
}
