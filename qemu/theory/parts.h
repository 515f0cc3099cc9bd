/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the parts of a plan (struct theory_part), and computes layers, shares
   and makespan from them, for all solvers of qemu/theory/model.h. */
#ifndef QEMU_THEORY_PARTS_H
#define QEMU_THEORY_PARTS_H

#include "hal/nodiscard.h"
#include "qemu/theory/model.h"
#include "qemu/base/quad.h"

struct theory_flow; /* qemu/theory/flow.h */

/* Clears the plan and checks the input. Returns 0, ERR_EMPTY if the load has no
   units, or ERR_RANGE as theory_plan() does. */
NODISCARD int theory_check(struct theory_plan *plan,
                           const struct theory_input *input);

/* Sets the plan's makespan and its speedup over one node, which needs
   `alone_ps` for the load. Returns 0, or ERR_RANGE if the makespan exceeds
   THEORY_TIME_MAX_PS. */
NODISCARD int theory_makespan(struct theory_plan *plan, quad makespan_ps,
                              quad alone_ps);

/* Returns a part that stands for `nodes` nodes. Volume and share become 0 if
   they are below `near`, a rounding error. */
struct theory_part theory_part_make(uint64_t nodes, quad volume, quad share,
                                    quad near, quad end_ps);

/* Allocates all parts for the plan's number of phases and rounds, and sets the
   detail's other fields. */
void theory_detail_make(struct theory_detail *detail, bool by_member,
                        unsigned batches, const struct theory_plan *plan);

/* Corrects volumes so that each node can hand out whole units: rounding may put
   a volume and the sum of its parts on two sides of an integer. A volume
   becomes at least the sum of its parts' floors, and at most one unit a part
   more. The originator keeps at most the rest of the load. The plan's phases
   and rounds must be set. */
void theory_parts_floors(struct theory_detail *detail,
                         const struct theory_plan *plan, uint64_t load_units);

/* Sets the plan's layers: sums of volumes and shares over all rounds, and ends
   of the first round. The plan's phases and rounds must be set, all other
   fields 0. */
void theory_parts_add(struct theory_plan *plan,
                      const struct theory_detail *detail);

/* Sets all members' parts of one round, with the volumes of the flow's planned
   round multiplied by `times`. turn_ps[0] is when the originator begins to
   send, ps; sets turn_ps of the other members. Leaves out the originator's
   share, which belongs to all rounds. */
void theory_parts_round(struct theory_part part[], quad turn_ps[],
                        const struct theory_flow *flow, quad times, quad near);

/* Completes plan and detail from the parts of all rounds: the originator's
   share (it computes for all_ps), layers, averages, whole units, makespan.
   Returns 0, or ERR_RANGE if the makespan exceeds THEORY_TIME_MAX_PS. */
NODISCARD int theory_parts_finish(struct theory_plan *plan,
                                  struct theory_detail *detail,
                                  const struct theory_flow *flow, quad all_ps,
                                  quad near);

#endif
