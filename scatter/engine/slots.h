/* SPDX-License-Identifier: Apache-2.0 */
/* The originator sets when results return: in time slots
   (scatter/plan/slots.h). With an output it sets instead when each layer's
   outputs leave. */
#ifndef SCATTER_ENGINE_SLOTS_H
#define SCATTER_ENGINE_SLOTS_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Returns the time, ps, in which a node's output reaches its parent. `units`
   and `nodes` count the node and its descendants. `rounds`: chunks of each
   node. */
uint64_t slots_output_ps(const struct scatter *scatter,
                         const struct wire_order *order, unsigned rounds,
                         uint32_t units, uint32_t nodes, uint32_t hops);

/* Returns slots_output_ps() for a node of layer `phase` of the pattern. */
uint64_t slots_return_ps(const struct scatter *scatter,
                         const struct originator *originator, unsigned phase,
                         unsigned rounds, uint32_t units);

/* Sets long slots only. A slot has time for a circuit over `hops` hops and
   four merges. Result: 0, or ERR_RANGE if a slot takes 2^52 ps (75 minutes)
   or more. */
NODISCARD int slots_set_long(struct scatter *scatter,
                             const struct originator *originator,
                             uint32_t hops);

/* Sets short slots and, if some results do not fit these, long slots. `hops`:
   hops of the longest circuit. `quiet_ps`: time, ps, without circuits before
   the makespan's end. Result: as slots_set_long(). */
NODISCARD int slots_set_short(struct scatter *scatter,
                              const struct originator *originator,
                              uint32_t hops, uint64_t quiet_ps);

/*
 * Replaces takes_ps[1 .. phases], the durations of outputs' returns, ps, by the
 * times from the scatter's start until these outputs leave. Sets takes_ps[0] to
 * the time until all have arrived. N is `phases`:
 *
 *   makespan includes return  | .. | phase N | .. | phase 1 |
 *                                                           ^ makespan
 *   does not include it            | phase N | .. | phase 1 |
 *                                  ^ 1/128 makespan after the makespan's end
 */
void slots_time_returns(const struct originator *originator,
                        uint64_t takes_ps[], unsigned phases);

/* Returns gather_ps, the mesh time from which slots count. `start_ps`: mesh
   time of the scatter's start. */
uint64_t slots_gather_ps(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t start_ps);

#endif
