/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/wide.h"

#define NEAR_BITS 100

void model_wide_begin(void)
{
    mpf_set_default_prec(MODEL_WIDE_BITS);
}

void model_wide_set(mpf_t to, uint64_t value)
{
    mpq_t exact;

    mpq_init(exact);
    model_exact_set(exact, value);
    mpf_set_q(to, exact);
    mpq_clear(exact);
}

void model_wide_apply(mpf_t of, const struct model_affine *function)
{
    mpf_mul(of, of, function->slope);
    mpf_add(of, of, function->offset);
}

/* number + 2^-100 */
static void add_near(mpf_t to, const mpf_t number)
{
    mpf_set_ui(to, 1);
    mpf_div_2exp(to, to, NEAR_BITS);
    mpf_add(to, to, number);
}

bool model_wide_positive(const mpf_t number)
{
    bool positive;
    mpf_t near;

    mpf_init(near);
    add_near(near, number);
    positive = mpf_sgn(near) >= 0;
    mpf_clear(near);
    return positive;
}

double model_wide_double(const mpf_t from)
{
    double value;
    mpf_t near;
    mpq_t exact;

    mpf_init(near);
    mpq_init(exact);
    add_near(near, from);
    mpq_set_f(exact, near);
    value = model_exact_double(exact);
    mpf_clear(near);
    mpq_clear(exact);
    return value;
}

uint64_t model_wide_floor(const mpf_t from)
{
    uint64_t value = 0;
    mpf_t near;
    mpq_t exact;

    mpf_init(near);
    mpq_init(exact);
    add_near(near, from);
    if (mpf_sgn(near) > 0) {
        mpq_set_f(exact, near);
        value = model_exact_floor(exact);
    }
    mpf_clear(near);
    mpq_clear(exact);
    return value;
}

uint64_t model_wide_round(const mpf_t from)
{
    uint64_t value;
    mpf_t half;

    mpf_init_set_d(half, 0.5);
    mpf_add(half, half, from);
    value = model_wide_floor(half);
    mpf_clear(half);
    return value;
}

void model_wide_costs(mpf_t startup, mpf_t transfer,
                      const struct model_input *input, unsigned phase)
{
    mpq_t exact[2];

    mpq_inits(exact[0], exact[1], NULL);
    model_exact_costs(exact[0], exact[1], input, phase, false);
    mpf_set_q(startup, exact[0]);
    mpf_set_q(transfer, exact[1]);
    mpq_clears(exact[0], exact[1], NULL);
}

int model_wide_makespan(struct model_plan *plan, const mpf_t makespan_ps,
                        uint64_t load_units, uint64_t compute_ps)
{
    mpf_t speedup;
    mpf_t compute;

    plan->makespan_ps = model_wide_round(makespan_ps);
    if (plan->makespan_ps > MODEL_TIME_MAX_PS) {
        return ERR_RANGE;
    }
    mpf_inits(speedup, compute, NULL);
    model_wide_set(speedup, load_units);
    model_wide_set(compute, compute_ps);
    mpf_mul(speedup, speedup, compute);
    mpf_div(speedup, speedup, makespan_ps);
    plan->speedup = model_wide_double(speedup);
    mpf_clears(speedup, compute, NULL);
    return ERR_OK;
}
