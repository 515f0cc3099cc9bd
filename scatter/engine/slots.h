/* SPDX-License-Identifier: Apache-2.0 */
/* The originator sets when results return: the job's time slots, in each of
   which results of one phase travel (scatter/plan/slots.h). If the kernel makes
   an output, bytes that no node merges, the originator sets instead when the
   outputs of each layer leave for their parents. */
#ifndef SCATTER_ENGINE_SLOTS_H
#define SCATTER_ENGINE_SLOTS_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Returns the time, ps, in which a node's output reaches its parent: a circuit
   over `hops` hops, then four merges. The circuit carries the output of `units`
   units from `nodes` nodes, the node and descendants, `rounds` chunks each. */
uint64_t slots_output_ps(const struct scatter *scatter,
                         const struct wire_order *order, unsigned rounds,
                         uint32_t units, uint32_t nodes, uint32_t hops);

/* Returns slots_output_ps() for a node of layer `phase` of the pattern;
   `units`: units of the node and its descendants. */
uint64_t slots_return_ps(const struct scatter *scatter,
                         const struct originator *originator, unsigned phase,
                         unsigned rounds, uint32_t units);

/* Sets the job's slots to long slots only. A slot lasts as long as a circuit
   over `hops` hops with one result, then merging four results. This result has
   the greatest length in the kernel's terms if all results have one length, or
   if measured units predict a result that fits no short slot; else the greatest
   length that fits a short slot. A longer result's circuit still holds links
   during the next slot. Result: 0, or ERR_RANGE if a slot takes 2^52 ps (75
   minutes) or more. */
NODISCARD int slots_set_long(struct scatter *scatter,
                             const struct originator *originator,
                             uint32_t hops);

/* Sets the job's slots to short slots and, unless every result fits a short
   slot, long slots between them. If all results have one length that fits no
   short slot, sets long slots only. `hops`: hops of the longest circuit.
   `quiet_ps`: time before the makespan's end in which the scatter has no
   circuit; slots begin at its start. Result: as slots_set_long(). */
NODISCARD int slots_set_short(struct scatter *scatter,
                              const struct originator *originator,
                              uint32_t hops, uint64_t quiet_ps);

/*
 * Replaces durations by departures, ps; N is `phases`. On entry takes_ps[1..N]
 * are the times that the outputs of each phase take (slots_output_ps()). On
 * return they are the times from the start of the scatter until these outputs
 * leave, and takes_ps[0] is the time until all have arrived:
 *
 *   makespan includes return  | .. | phase N | .. | phase 1 |
 *                                                           ^ makespan
 *   does not include it            | phase N | .. | phase 1 |
 *                                  ^ 1/128 makespan after the makespan's end
 */
void slots_time_returns(const struct originator *originator,
                        uint64_t takes_ps[], unsigned phases);

/* Returns gather_ps, the mesh time from which slots count. `start_ps`: mesh
   time of the scatter's start; with outputs this is also the result. */
uint64_t slots_gather_ps(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t start_ps);

#endif
