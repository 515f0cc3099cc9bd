/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model.h"

#include <gmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

/* mpq_set_ui takes an unsigned long, which may have 32 bits. */
static void set_u64(mpq_t to, uint64_t value)
{
    mpz_import(mpq_numref(to), 1, 1, sizeof value, 0, 0, &value);
    mpz_set_ui(mpq_denref(to), 1);
}

/* floor(from + half / 2), from >= 0; UINT64_MAX if it does not fit. */
static uint64_t get_u64(const mpq_t from, unsigned half)
{
    uint64_t value = 0;
    mpz_t twice;
    mpz_t floor;

    mpz_inits(twice, floor, NULL);
    mpz_mul_ui(floor, mpq_numref(from), 2);
    mpz_addmul_ui(floor, mpq_denref(from), half);
    mpz_mul_ui(twice, mpq_denref(from), 2);
    mpz_fdiv_q(floor, floor, twice);
    if (mpz_sizeinbase(floor, 2) > 64) {
        value = UINT64_MAX;
    } else {
        mpz_export(&value, NULL, 1, sizeof value, 0, 0, floor);
    }
    mpz_clears(twice, floor, NULL);
    return value;
}

static uint32_t stages(const struct model_input *input, unsigned phase)
{
    uint32_t count = input->stages[phase - 1];

    return count == 0 ? 1 : count;
}

/* s_i alpha_i and s_i tau: the costs of phase i without results. */
static void phase_costs(mpq_t startup, mpq_t transfer,
                        const struct model_input *input, unsigned phase)
{
    mpq_t count;

    mpq_init(count);
    set_u64(count, stages(input, phase));
    set_u64(startup, input->startup_ps[phase - 1]);
    mpq_mul(startup, startup, count);
    set_u64(transfer, input->transfer_ps);
    mpq_mul(transfer, transfer, count);
    mpq_clear(count);
}

/* Adds what the results cost: the startup again, P/Q of the transfer. */
static void add_results(mpq_t startup, mpq_t transfer,
                        const struct model_input *input)
{
    mpq_t part;

    if (input->results_denominator == 0) {
        return;
    }
    mpq_init(part);
    mpq_set_ui(part, input->results_numerator, input->results_denominator);
    mpq_canonicalize(part);
    mpq_mul(part, part, transfer);
    mpq_add(transfer, transfer, part);
    mpq_add(startup, startup, startup);
    mpq_clear(part);
}

/* v_i and t_i from v_{i-1} and t_{i-1}; v_i may come out negative. */
static void next_layer(struct exact *exact, const struct model_input *input,
                       unsigned i)
{
    mpq_t startup;
    mpq_t transfer;
    mpq_t divisor;

    mpq_inits(startup, transfer, divisor, NULL);
    phase_costs(startup, transfer, input, i);
    add_results(startup, transfer, input);
    set_u64(divisor, 5);
    mpq_mul(divisor, divisor, exact->compute);
    mpq_add(divisor, divisor, transfer);
    mpq_mul(exact->volume[i], exact->volume[i - 1], exact->compute);
    mpq_sub(exact->volume[i], exact->volume[i], startup);
    mpq_div(exact->volume[i], exact->volume[i], divisor);

    phase_costs(startup, transfer, input, i);
    mpq_mul(transfer, transfer, exact->volume[i]);
    mpq_add(exact->end[i], exact->end[i - 1], startup);
    mpq_add(exact->end[i], exact->end[i], transfer);
    mpq_clears(startup, transfer, divisor, NULL);
}

/* Volumes down to the first negative one; returns the largest feasible N. */
static unsigned find_volumes(struct exact *exact,
                             const struct model_input *input)
{
    set_u64(exact->compute, input->compute_ps);
    set_u64(exact->volume[0], input->load_units);
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

static int find_makespan(struct model_plan *plan, const struct exact *exact)
{
    mpq_t ratio;

    mpq_init(ratio);
    mpq_mul(ratio, exact->share[0], exact->compute);
    plan->makespan_ps = get_u64(ratio, 1);
    mpq_div(ratio, exact->volume[0], exact->share[0]);
    plan->speedup = mpq_get_d(ratio);
    mpq_clear(ratio);
    return plan->makespan_ps > MODEL_TIME_MAX_PS ? ERR_RANGE : ERR_OK;
}

static int find_plan(struct model_plan *plan, struct exact *exact,
                     const struct model_input *input)
{
    plan->phases_feasible = (uint8_t)find_volumes(exact, input);
    plan->phases = plan->phases_feasible;
    if (input->phases_fixed) {
        plan->phases = input->phases_want;
    }
    if (plan->phases > plan->phases_feasible) {
        return ERR_PHASES;
    }
    find_shares(exact, plan->phases);
    for (unsigned i = 0; i <= plan->phases; ++i) {
        plan->volume_units[i] = mpq_get_d(exact->volume[i]);
        plan->share_units[i] = mpq_get_d(exact->share[i]);
        plan->volume_floor[i] = get_u64(exact->volume[i], 0);
        plan->share_floor[i] = get_u64(exact->share[i], 0);
        plan->end_ps[i] = get_u64(exact->end[i], 1);
    }
    return find_makespan(plan, exact);
}

int model_plan(struct model_plan *plan, const struct model_input *input)
{
    struct exact exact;
    int error;

    memset(plan, 0, sizeof *plan);
    if (input->load_units == 0) {
        return ERR_EMPTY;
    }
    if (input->compute_ps == 0 || input->phases_max > MODEL_PHASES_MAX) {
        return ERR_RANGE;
    }
    exact_init(&exact);
    error = find_plan(plan, &exact, input);
    exact_clear(&exact);
    return error;
}

/* What the parts of a node's volume take at least: their floors. */
static uint64_t parts_floor(const struct model_plan *plan, unsigned layer)
{
    uint64_t sum = plan->share_floor[layer];

    for (unsigned phase = layer + 1; phase <= plan->phases; ++phase) {
        sum += TORUS_PORTS * plan->volume_floor[phase];
    }
    return sum;
}

/* Units of the child that `phase` reaches out of `port`. */
static uint64_t child_units(const struct model_plan *plan,
                            const struct model_node *parent,
                            const uint64_t floors[], unsigned phase,
                            unsigned port)
{
    unsigned part = TORUS_PORTS * (phase - parent->layer - 1) + port;

    if (phase > plan->phases) {
        return 0;
    }
    return plan->volume_floor[phase] +
           (part < parent->units - floors[parent->layer]);
}

/* Turns what a node received into its share: it comes last. */
static void keep_share(struct model_node *node, const struct model_plan *plan,
                       const uint64_t floors[])
{
    uint64_t left;
    unsigned parts;

    if (node->layer > plan->phases) {
        return;
    }
    left = node->units - floors[node->layer];
    parts = TORUS_PORTS * (unsigned)(plan->phases - node->layer);
    node->units = plan->share_floor[node->layer] + (left > parts);
}

/*
 * The scatter itself: order[] holds the nodes reached so far, whose number
 * each phase multiplies by five.
 */
static void spread_phase(struct model_node nodes[], uint32_t order[],
                         uint32_t active, const struct model_plan *plan,
                         const uint64_t floors[], struct torus_size size,
                         unsigned phase)
{
    uint32_t next = active;

    for (uint32_t i = 0; i < active; ++i) {
        const struct model_node *parent = &nodes[order[i]];
        struct torus_coord from = torus_coord_of(size, order[i]);

        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            struct torus_path path =
                torus_phase_path(size, phase, (enum torus_port)port);
            uint32_t child =
                torus_index(size, torus_path_end(size, from, path));

            nodes[child].units = child_units(plan, parent, floors, phase, port);
            nodes[child].layer = (uint8_t)phase;
            order[next++] = child;
        }
    }
}

int model_spread(struct model_node nodes[], const struct model_plan *plan,
                 uint64_t load_units, struct torus_size size,
                 struct torus_coord originator)
{
    uint32_t count = (uint32_t)size.width * size.height;
    uint32_t *order = malloc(count * sizeof *order);
    uint64_t floors[LAYERS] = {0};
    uint32_t active = 1;

    if (order == NULL) {
        return ERR_MEMORY;
    }
    for (unsigned layer = 0; layer <= plan->phases; ++layer) {
        floors[layer] = parts_floor(plan, layer);
    }
    order[0] = torus_index(size, originator);
    nodes[order[0]] = (struct model_node){.units = load_units, .layer = 0};
    for (unsigned phase = 1; active < count; ++phase, active *= 5) {
        spread_phase(nodes, order, active, plan, floors, size, phase);
    }
    for (uint32_t i = 0; i < count; ++i) {
        keep_share(&nodes[i], plan, floors);
    }
    free(order);
    return ERR_OK;
}
