/* SPDX-License-Identifier: Apache-2.0 */
/* What `quincunx plan` plans: by the model that its options ask for, and of
   several rounds those that are the best. */
#ifndef QEMU_COMMAND_PLAN_SOLVE_H
#define QEMU_COMMAND_PLAN_SOLVE_H

#include "hal/nodiscard.h"
#include "qemu/theory/similar.h"
#include "qemu/command/plan_options.h"

#include <stdbool.h>

struct plan_solved {
    struct theory_plan plan; /* its makespan: when all is computed */
    struct theory_detail detail;
    /* Similar rounds, beside the plan with --rounds; 0 rounds: none. */
    struct theory_similar similar;
    /* The plan is the similar rounds; then these are the best by the equations
       of qemu/theory/model.h, 0 if those have none. */
    bool is_similar;
    uint8_t equations_phases;
    uint8_t equations_rounds;
    uint64_t equations_ps;
    /* With --results: they return while others or later rounds are computed,
       or so long after the makespan. */
    bool meanwhile;
    uint64_t collect_ps;
    /* Why no rounds with results that return meanwhile were planned: what they
       are planned for; NULL if they were. */
    const char *meanwhile_limit;
};

/* Plans. Result: 0, or an exit status after a message on stderr; after success
   the caller frees the detail. */
NODISCARD int plan_solve(struct plan_solved *solved,
                         const struct plan_options *options);

/* When all results are back. */
uint64_t plan_results_ps(const struct plan_solved *solved);

/* The options' torus, without compute times of nodes. */
struct theory_torus plan_torus(const struct plan_options *options);

#endif
