/* SPDX-License-Identifier: Apache-2.0 */
/* The originator sets when results return: the job's time slots, in each of
   which results of one phase travel (scatter/plan/slots.h), or, with outputs,
   the time at which each layer's results leave for their parents. */
#ifndef SCATTER_ENGINE_SLOTS_H
#define SCATTER_ENGINE_SLOTS_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Returns the time, ps, in which the output of a subtree reaches its parent: a
   circuit over `hops` hops with the output of `units` units, in one chunk for
   each of `nodes` nodes and each round, then four merges at the parent. */
uint64_t slots_output_ps(const struct scatter *scatter,
                         const struct wire_order *order, unsigned rounds,
                         uint32_t units, uint32_t nodes, uint32_t hops);

/* Returns slots_output_ps() for a node of the pattern, of layer `phase`, that
   computes `units` together with its descendants. */
uint64_t slots_return_ps(const struct scatter *scatter,
                         const struct originator *originator, unsigned phase,
                         unsigned rounds, uint32_t units);

/*
 * Sets the job's slots to long ones only. Each lasts for a circuit over `hops`
 * hops and for merging four results. The circuit is taken to carry the longest
 * result of the kernel's terms if all results have one length, or if the
 * measured units predict a result that does not fit a short slot; else the
 * longest result that fits a short slot. A longer result is sent, too: its
 * circuit then still holds links in the next slot. Result: 0, or ERR_RANGE if a
 * slot takes 2^52 ps (75 minutes) or more.
 */
NODISCARD int slots_set_long(struct scatter *scatter,
                             const struct originator *originator,
                             uint32_t hops);

/*
 * Sets the job's slots to short ones, with long slots between them unless every
 * result fits a short one. If all results have one length that does not fit,
 * sets long slots only. `hops`: of the longest circuit. `quiet_ps`: time before
 * the makespan's end without any circuit of the scatter; short slots begin that
 * early. Result: as slots_set_long().
 */
NODISCARD int slots_set_short(struct scatter *scatter,
                              const struct originator *originator,
                              uint32_t hops, uint64_t quiet_ps);

/*
 * Replaces durations by departures, N being `phases`. On entry takes_ps[1..N]
 * is the time that each phase's outputs take (slots_output_ps()). On return it
 * is the time, ps from the start of the scatter, at which they leave, and
 * takes_ps[0] the time at which all have arrived:
 *
 *   plan counts outputs       | .. | phase N | .. | phase 1 |
 *                                                           ^ makespan
 *   plan ignores outputs           | phase N | .. | phase 1 |
 *                                  ^ makespan + makespan / 128
 */
void slots_time_returns(const struct originator *originator,
                        uint64_t takes_ps[], unsigned phases);

/* Returns the job's gather_ps, the mesh time from which slots count or, with
   outputs, the job's result_ps[]. The scatter starts at start_ps, mesh time. */
uint64_t slots_gather_ps(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t start_ps);

#endif
