/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The originator's measuring of the kernel: it computes the first units of the
 * load, takes the time, and goes on with what is left. No unit is computed
 * twice; the rest of the load is planned.
 */
#ifndef SCATTER_ENGINE_MEASURE_H
#define SCATTER_ENGINE_MEASURE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Calls of the kernel at most: so many pieces of output. */
#define MEASURE_PIECES_MAX 10u

/*
 * Sets the report's compute_ps and call_ps to the order's rate, if that is at
 * most 64 times off the kernel's own estimate, or to that of the last job with
 * this kernel and argument; both are `known`. Else compute_ps is the estimate.
 */
void measure_guess(struct scatter *scatter, struct originator *originator);

/*
 * Computes the first `units` of the range, in `*run_ps`, keeps their result,
 * and takes them off the order and the range. Of no units it takes the time
 * alone. Result: 0 or the error.
 */
NODISCARD int measure_first(struct scatter *scatter,
                            struct originator *originator, uint32_t units,
                            uint64_t *run_ps);

/*
 * Sets the report's compute_ps, call_ps, measure_ps and measured_units, unless
 * the rate is known; takes what was computed off the order and off the range.
 * Some 16 us of work are computed, or 1.5 % of what each node would get if that
 * is more; if the kernel's own estimate is too small, no call computes more
 * than an eighth of that. In a load of few units it is one of them, or none
 * where the estimate is longer than 20 us. Result: 0 or the error.
 */
NODISCARD int measure_kernel(struct scatter *scatter,
                             struct originator *originator);

/*
 * Keeps the rate at which the originator computed its share, for the next job:
 * `units` in `compute_ps`. One time does not tell both of a rate's: if it is
 * not as the order's rate promised, a call of no units is measured for call_ps,
 * while results are on their way. Result: 0 or the error.
 */
NODISCARD int measure_keep(struct scatter *scatter,
                           struct originator *originator, uint32_t units,
                           uint64_t compute_ps);

/* Computes the originator's own share and keeps its rate for the next job.
   Result: 0 or the error. */
NODISCARD int measure_share(struct scatter *scatter,
                            struct originator *originator);

#endif
