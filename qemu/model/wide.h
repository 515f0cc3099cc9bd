/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of MODEL_WIDE_BITS bits for models whose exact fractions have as many
 * digits as there are different nodes. The numbers of the models lie below 2^64
 * in size and are sums of positive terms, or differences that a recurrence
 * divides by what it multiplied: a few hundred bits are left over. A number
 * less than 2^-100 away from an integer counts as that integer.
 */
#ifndef QEMU_MODEL_WIDE_H
#define QEMU_MODEL_WIDE_H

#include "hal/nodiscard.h"
#include "qemu/model/exact.h"

#define MODEL_WIDE_BITS 768

/* x -> slope x + offset */
struct model_affine {
    mpf_t slope;
    mpf_t offset;
};

/* Sets the width of numbers that are initialised from now on. */
void model_wide_begin(void);

void model_wide_set(mpf_t to, uint64_t value);

/* of = function(of) */
void model_wide_apply(mpf_t of, const struct model_affine *function);

/* Not below 0, but for less than 2^-100. */
bool model_wide_positive(const mpf_t number);

/* The nearest one; what is nearly an integer becomes that integer. */
double model_wide_double(const mpf_t from);

/* As model_exact_floor() and model_exact_round(); below 0 they are 0. */
uint64_t model_wide_floor(const mpf_t from);
uint64_t model_wide_round(const mpf_t from);

/* Costs of phase i without results: model_exact_costs(). */
void model_wide_costs(mpf_t startup, mpf_t transfer,
                      const struct model_input *input, unsigned phase);

/* As model_exact_makespan(). */
NODISCARD int model_wide_makespan(struct model_plan *plan,
                                  const mpf_t makespan_ps, uint64_t load_units,
                                  uint64_t compute_ps);

#endif
