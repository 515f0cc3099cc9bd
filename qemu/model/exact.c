/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/exact.h"

#include <math.h>
#include <string.h>

int model_exact_check(struct model_plan *plan, const struct model_input *input)
{
    memset(plan, 0, sizeof *plan);
    if (input->load_units == 0) {
        return ERR_EMPTY;
    }
    return input->compute_ps == 0 || input->phases_max > MODEL_PHASES_MAX
               ? ERR_RANGE
               : ERR_OK;
}

void model_exact_set(mpq_t to, uint64_t value)
{
    mpz_import(mpq_numref(to), 1, 1, sizeof value, 0, 0, &value);
    mpz_set_ui(mpq_denref(to), 1);
}

/* floor(from + half / 2) */
static uint64_t get(const mpq_t from, unsigned half)
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

uint64_t model_exact_floor(const mpq_t from)
{
    return get(from, 0);
}

uint64_t model_exact_round(const mpq_t from)
{
    return get(from, 1);
}

/* Whether a number lies above the middle between two doubles, or on it and the
   lower one's last digit is 1. */
static bool is_nearer(const mpq_t number, double lower, double upper)
{
    mpq_t middle;
    mpq_t half;
    int order;

    mpq_inits(middle, half, NULL);
    mpq_set_d(middle, lower);
    mpq_set_d(half, upper);
    mpq_add(middle, middle, half);
    mpq_div_2exp(middle, middle, 1);
    order = mpq_cmp(number, middle);
    mpq_clears(middle, half, NULL);
    if (order == 0) {
        int exponent;

        return fmod(ldexp(frexp(lower, &exponent), 53), 2) != 0;
    }
    return order > 0;
}

double model_exact_double(const mpq_t from)
{
    double lower = mpq_get_d(from); /* truncated */
    double upper = nextafter(lower, INFINITY);

    return isfinite(upper) && is_nearer(from, lower, upper) ? upper : lower;
}

/* Adds what the results cost: the startup again, P/Q of the transfer. */
static void add_results(mpq_t startup, mpq_t transfer,
                        const struct model_input *input)
{
    mpq_t part;

    mpq_init(part);
    mpq_set_ui(part, input->results_numerator, input->results_denominator);
    mpq_canonicalize(part);
    mpq_mul(part, part, transfer);
    mpq_add(transfer, transfer, part);
    mpq_add(startup, startup, startup);
    mpq_clear(part);
}

void model_exact_costs(mpq_t startup, mpq_t transfer,
                       const struct model_input *input, unsigned phase,
                       bool results)
{
    uint32_t stages = input->stages[phase - 1];
    mpq_t count;

    mpq_init(count);
    model_exact_set(count, stages == 0 ? 1 : stages);
    model_exact_set(startup, input->startup_ps[phase - 1]);
    mpq_mul(startup, startup, count);
    model_exact_set(transfer, input->transfer_ps);
    mpq_mul(transfer, transfer, count);
    mpq_clear(count);
    if (results && input->results_denominator != 0) {
        add_results(startup, transfer, input);
    }
}

int model_exact_makespan(struct model_plan *plan, const mpq_t makespan_ps,
                         uint64_t load_units, uint64_t compute_ps)
{
    mpq_t speedup;
    mpq_t compute;

    plan->makespan_ps = model_exact_round(makespan_ps);
    if (plan->makespan_ps > MODEL_TIME_MAX_PS) {
        return ERR_RANGE;
    }
    mpq_inits(speedup, compute, NULL);
    model_exact_set(speedup, load_units);
    model_exact_set(compute, compute_ps);
    mpq_mul(speedup, speedup, compute);
    mpq_div(speedup, speedup, makespan_ps);
    plan->speedup = model_exact_double(speedup);
    mpq_clears(speedup, compute, NULL);
    return ERR_OK;
}

int model_exact_best(struct model_plan *plan, const struct model_input *input,
                     model_exact_solver *solve, void *context)
{
    bool found = false;
    bool wanted = false;
    mpq_t makespan;
    mpq_t best;

    mpq_inits(makespan, best, NULL);
    for (unsigned phases = 0; phases <= input->phases_max; ++phases) {
        if (!solve(context, makespan, phases)) {
            continue;
        }
        plan->phases_feasible = (uint8_t)phases;
        wanted = wanted || phases == input->phases_want;
        if (!found || mpq_cmp(makespan, best) <= 0) {
            plan->phases = (uint8_t)phases;
            mpq_set(best, makespan);
        }
        found = true;
    }
    mpq_clears(makespan, best, NULL);
    if (input->phases_fixed) {
        plan->phases = input->phases_want;
        return wanted ? ERR_OK : ERR_PHASES;
    }
    return found ? ERR_OK : ERR_RANGE;
}

void model_exact_add_parts(struct model_plan *plan,
                           const struct model_part part[])
{
    unsigned layers = plan->phases + 1u;

    for (unsigned j = 0; j < layers; ++j) {
        for (unsigned r = 0; r < plan->rounds; ++r) {
            plan->volume_units[j] += part[r * layers + j].volume_units;
            plan->share_units[j] += part[r * layers + j].share_units;
        }
        plan->end_ps[j] = part[j].end_ps;
    }
}
