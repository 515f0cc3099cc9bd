/* SPDX-License-Identifier: Apache-2.0 */
/* The originator measures the kernel: it computes the first units of the load
   and takes their time, then plans the rest of the load. Samples from all over
   the load are computed again later, as their results are dropped. */
#ifndef SCATTER_ENGINE_MEASURE_H
#define SCATTER_ENGINE_MEASURE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Most calls of the kernel, and most chunks of output, that measuring makes. */
#define MEASURE_PIECES_MAX 10u

/* Sets report.compute_ps, the time of a unit, and report.call_ps, the time of a
   run of 0 units, from the order or the last job. originator->known is then
   true. Else compute_ps is the kernel's estimate, and call_ps is 0. */
void measure_guess(struct scatter *scatter, struct originator *originator);

/* Decides whether the originator computes the load alone. Calls
   measure_guess(). May compute 14 % of the load as a trial. Sets `alone` and
   `known`. Result: 0 or the error. */
NODISCARD int alone_decide(struct scatter *scatter,
                           struct originator *originator);

/* Computes the first `units` units of the range, merges their result, and takes
   them off the load. Sets *run_ps to the run's time, ps. With 0 units it only
   sets *run_ps. Result: 0 or the error. */
NODISCARD int measure_first(struct scatter *scatter,
                            struct originator *originator, uint32_t units,
                            uint64_t *run_ps);

/* Measures the kernel unless `known` is set. Sets compute_ps, call_ps,
   measure_ps and measured_units in the report. Takes the computed units off the
   load. Result: 0 or the error. */
NODISCARD int measure_kernel(struct scatter *scatter,
                             struct originator *originator);

/* Keeps a unit's time for the next job. The originator has computed `units`
   units in compute_ps, ps. Keeps none if `units` is less than 16, `unlikely` is
   set, or the argument is long. Result: 0 or the error. */
NODISCARD int measure_keep(struct scatter *scatter,
                           struct originator *originator, uint32_t units,
                           uint64_t compute_ps);

/* Computes the originator's share, and keeps a unit's time for the next job.
   Result: 0 or the error. */
NODISCARD int measure_share(struct scatter *scatter,
                            struct originator *originator);

#endif
