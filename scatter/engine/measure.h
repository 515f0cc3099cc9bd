/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The originator measures the kernel: it computes the first units of the load
 * and takes their time, then plans the rest of the load. Samples from all over
 * the load are computed again later, as their results are dropped.
 */
#ifndef SCATTER_ENGINE_MEASURE_H
#define SCATTER_ENGINE_MEASURE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Most calls of the kernel, and most chunks of output, that measuring makes. */
#define MEASURE_PIECES_MAX 10u

/*
 * Sets report.compute_ps and report.call_ps to the order's rate if that is at
 * most 64 times off the kernel's own estimate, else to the rate of the last job
 * if that had the same kernel and argument; sets originator->known. Without
 * either rate, `known` is false, compute_ps is the estimate and call_ps 0.
 */
void measure_guess(struct scatter *scatter, struct originator *originator);

/*
 * Guesses the rate (measure_guess()), and sets originator->alone where there is
 * no other node, the order asks for 0 phases, or the whole load takes the
 * originator less time than a plan and the circuits out and back (alone.c). In
 * the last two cases the originator first computes pieces, together 14 % of the
 * load: if a piece takes more than twice the guess, `alone` is false, else
 * originator->known is true. Result: 0 or the error.
 */
NODISCARD int alone_decide(struct scatter *scatter,
                           struct originator *originator);

/*
 * Computes the first `units` of the range, keeps their result, takes them off
 * the order and the range, and sets *run_ps to the kernel's time. A call of 0
 * units is timed and has no result. Result: 0 or the error.
 */
NODISCARD int measure_first(struct scatter *scatter,
                            struct originator *originator, uint32_t units,
                            uint64_t *run_ps);

/*
 * Measures the kernel unless the rate is known: sets report.compute_ps,
 * call_ps, measure_ps and measured_units, and takes the computed units off the
 * order and the range: some 16 us of work, or 1.5 % of a mean share (the load
 * divided by the number of nodes) if that is more. No call computes more than
 * an eighth of a mean share, so that little is lost where the kernel's own
 * estimate is too small. Result: 0 or the error.
 */
NODISCARD int measure_kernel(struct scatter *scatter,
                             struct originator *originator);

/*
 * Keeps, for the next job, the rate at which the originator computed its share
 * of `units` in `compute_ps`; no rate if units are few or predict nothing, or
 * if the argument is long. If the order's rate promised another time, first
 * measures call_ps anew by a call of 0 units, while results are on their way.
 * Result: 0 or the error.
 */
NODISCARD int measure_keep(struct scatter *scatter,
                           struct originator *originator, uint32_t units,
                           uint64_t compute_ps);

/* Computes the originator's own share and keeps its rate for the next job.
   Result: 0 or the error. */
NODISCARD int measure_share(struct scatter *scatter,
                            struct originator *originator);

#endif
