/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the exact solvers of qemu/model/model.h: conversion between
 * rational numbers and 64-bit ones, the costs of a phase, and the search for
 * the best number of phases. Numbers of type mpq_t are the caller's,
 * initialised.
 */
#ifndef QEMU_MODEL_EXACT_H
#define QEMU_MODEL_EXACT_H

#include "hal/nodiscard.h"
#include "qemu/model/model.h"

#include <gmp.h>
#include <stdbool.h>

/* Clears the plan. Result: 0, ERR_EMPTY or ERR_RANGE as model_plan(). */
NODISCARD int model_exact_check(struct model_plan *plan,
                                const struct model_input *input);

/* mpq_set_ui takes an unsigned long, which may have 32 bits. */
void model_exact_set(mpq_t to, uint64_t value);

/* floor(from) and the nearest integer, for from >= 0; UINT64_MAX if larger. */
uint64_t model_exact_floor(const mpq_t from);
uint64_t model_exact_round(const mpq_t from);

/* The nearest double, for from >= 0; of two, the even one. mpq_get_d()
   truncates. */
double model_exact_double(const mpq_t from);

/*
 * s_i alpha_i and s_i tau of phase i = 1 .., in ps and ps per unit; with
 * `results` also what their return costs.
 */
void model_exact_costs(mpq_t startup, mpq_t transfer,
                       const struct model_input *input, unsigned phase,
                       bool results);

/*
 * Writes a plan's makespan and its speedup over one node that computes the load
 * at compute_ps a unit. Result: 0, or ERR_RANGE if the makespan exceeds
 * MODEL_TIME_MAX_PS.
 */
NODISCARD int model_exact_makespan(struct model_plan *plan,
                                   const mpq_t makespan_ps, uint64_t load_units,
                                   uint64_t compute_ps);

/* Adds volumes and shares of all rounds up, of parts in MODEL_BY_ROUND, and
   takes the first one's ends; the plan has its phases and rounds, and zeros. */
void model_exact_add_parts(struct model_plan *plan,
                           const struct model_part part[]);

/*
 * Solves a model for exactly `phases` phases and stores the makespan in ps.
 * Result: whether nobody's part is negative.
 */
typedef bool model_exact_solver(void *context, mpq_t makespan_ps,
                                unsigned phases);

/*
 * Tries 0 to phases_max phases and sets plan->phases, to those that are wanted
 * or to those of the smallest makespan (ties to more phases), and
 * phases_feasible. Result: 0, ERR_PHASES as in model_plan(), or ERR_RANGE if
 * nothing is feasible. A caller that needs more than the makespan solves for
 * plan->phases again.
 */
NODISCARD int model_exact_best(struct model_plan *plan,
                               const struct model_input *input,
                               model_exact_solver *solve, void *context);

#endif
