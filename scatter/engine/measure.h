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
   run of 0 units: to the order's times, if its time of a unit is within a
   factor of 64 of the kernel's estimate; else to those of the last job, if its
   kernel and argument were the same. originator->known is then true. Else it is
   false, compute_ps is the estimate, and call_ps is 0. */
void measure_guess(struct scatter *scatter, struct originator *originator);

/* Calls measure_guess(). Sets originator->alone if there is no other node. If
   the order has 0 phases, or the originator would compute the load in less time
   than the mesh (alone.c), makes a trial: computes pieces, together 14 % of the
   load. `alone` and `known` become true if each piece takes at most 20 us plus
   twice its guessed time, else false. Result: 0 or the error. */
NODISCARD int alone_decide(struct scatter *scatter,
                           struct originator *originator);

/* Computes the first `units` units of the range, merges their result into the
   node's, takes the units off the order and the range, and sets *run_ps to the
   run's time, ps. With 0 units it only sets *run_ps. Result: 0 or the error. */
NODISCARD int measure_first(struct scatter *scatter,
                            struct originator *originator, uint32_t units,
                            uint64_t *run_ps);

/* Measures the kernel unless `known` is set: sets compute_ps, call_ps,
   measure_ps and measured_units in the report, and takes the computed units off
   the order and the range. Computes units for some 16 us, or 1.5 % of a mean
   share (the load divided by the number of nodes) if that is more. A run has at
   most an eighth of a mean share, so that little is lost if the kernel's own
   estimate is too small. Result: 0 or the error. */
NODISCARD int measure_kernel(struct scatter *scatter,
                             struct originator *originator);

/* Keeps a unit's time for the next job: the originator has computed its share
   of `units` units in compute_ps, ps. Keeps no time if `units` is less than 16,
   if `unlikely` is set, or if the argument is long. If the order gave a unit's
   time, and the share took another time than planned, first measures call_ps
   again by a run of 0 units. Result: 0 or the error. */
NODISCARD int measure_keep(struct scatter *scatter,
                           struct originator *originator, uint32_t units,
                           uint64_t compute_ps);

/* Computes the originator's share, and keeps a unit's time for the next job.
   Result: 0 or the error. */
NODISCARD int measure_share(struct scatter *scatter,
                            struct originator *originator);

#endif
