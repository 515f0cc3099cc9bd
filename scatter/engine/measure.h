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

/* Sets report.compute_ps, the time of a unit, and call_ps, of a run of 0 units:
   as the order says, if within a factor of 64 of the kernel's estimate; else as
   in the last job, if that had the same kernel and argument. With neither,
   originator->known is false, compute_ps is the estimate, and call_ps is 0. */
void measure_guess(struct scatter *scatter, struct originator *originator);

/* Calls measure_guess(), and sets originator->alone if there is no other node.
   For an order of 0 phases, or a load that the originator would compute in less
   time than the mesh (alone.c), makes a trial: it computes pieces, together
   14 % of the load. `alone` and `known` become true if each piece takes at most
   twice the guessed time and 20 us, else false. Result: 0 or the error. */
NODISCARD int alone_decide(struct scatter *scatter,
                           struct originator *originator);

/* Computes the first `units` units of the range, keeps their result, takes them
   off the order and the range, and sets *run_ps to the run's time. A run of 0
   units is timed and has no result. Result: 0 or the error. */
NODISCARD int measure_first(struct scatter *scatter,
                            struct originator *originator, uint32_t units,
                            uint64_t *run_ps);

/* Measures the kernel unless its times are known: sets report.compute_ps,
   call_ps, measure_ps and measured_units, and takes the computed units off the
   order and the range. Computes units for some 16 us or, if that is more, 1.5 %
   of a mean share, the load divided by the number of nodes. No run has more
   units than an eighth of a mean share, so that little is lost if the kernel's
   own estimate is too small. Result: 0 or the error. */
NODISCARD int measure_kernel(struct scatter *scatter,
                             struct originator *originator);

/* Keeps, for the next job, a unit's time: the originator computed its share of
   `units` units in compute_ps. Keeps no time if units are few or do not predict
   other units' time, or if the argument is long. If the share did not take the
   time that the order's rate promised, first measures call_ps anew by a run of
   0 units, while results are on their way. Result: 0 or the error. */
NODISCARD int measure_keep(struct scatter *scatter,
                           struct originator *originator, uint32_t units,
                           uint64_t compute_ps);

/* Computes the originator's share, and keeps a unit's time for the next job.
   Result: 0 or the error. */
NODISCARD int measure_share(struct scatter *scatter,
                            struct originator *originator);

#endif
