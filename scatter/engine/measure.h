/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The originator measures the kernel: it computes the first units of the load,
 * takes the time, and plans the rest of the load. Only units of samples, whose
 * results are dropped, are computed twice.
 */
#ifndef SCATTER_ENGINE_MEASURE_H
#define SCATTER_ENGINE_MEASURE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Measuring calls the kernel so many times at most, so it makes as many chunks
   of output. */
#define MEASURE_PIECES_MAX 10u

/*
 * Sets the report's compute_ps and call_ps to the order's rate, if that is at
 * most 64 times off the kernel's own estimate, or to that of the last job with
 * this kernel and argument; both are `known`. Else compute_ps is the estimate.
 */
void measure_guess(struct scatter *scatter, struct originator *originator);

/*
 * Computes the first `units` of the range, keeps their result, and takes them
 * off the order and the range; `*run_ps` is the kernel's time. A call of 0
 * units is only timed. Result: 0 or the error.
 */
NODISCARD int measure_first(struct scatter *scatter,
                            struct originator *originator, uint32_t units,
                            uint64_t *run_ps);

/*
 * Sets the report's compute_ps, call_ps, measure_ps and measured_units, unless
 * the rate is known; takes the computed units off the order and the range. It
 * computes some 16 us of work, or 1.5 % of a mean share if that is more; and no
 * call computes more than an eighth of a mean share, so that little is lost
 * where the kernel's own estimate is too small. Of a load of few units it
 * computes one, or none where the estimate is longer than 20 us. Result: 0 or
 * the error.
 */
NODISCARD int measure_kernel(struct scatter *scatter,
                             struct originator *originator);

/*
 * Keeps the rate at which the originator computed its share of `units` in
 * `compute_ps`, for the next job. One time does not tell compute_ps and
 * call_ps: if it is not as the order's rate promised, a call of 0 units is
 * timed for call_ps, while results are on their way. Result: 0 or the error.
 */
NODISCARD int measure_keep(struct scatter *scatter,
                           struct originator *originator, uint32_t units,
                           uint64_t compute_ps);

/* Computes the originator's own share and keeps its rate for the next job.
   Result: 0 or the error. */
NODISCARD int measure_share(struct scatter *scatter,
                            struct originator *originator);

#endif
