/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a plan and what follows from them, for all solvers of
   qemu/theory/model.h. */
#ifndef QEMU_THEORY_PARTS_H
#define QEMU_THEORY_PARTS_H

#include "hal/nodiscard.h"
#include "qemu/theory/model.h"
#include "qemu/base/quad.h"

struct theory_flow; /* qemu/theory/flow.h */

/* Clears the plan and checks the input. Returns 0, ERR_EMPTY (no units) or
   ERR_RANGE. */
NODISCARD int theory_check(struct theory_plan *plan,
                           const struct theory_input *input);

/* Sets makespan and speedup; one node alone needs `alone_ps` for the load.
   Returns 0, or ERR_RANGE if the makespan exceeds THEORY_TIME_MAX_PS. */
NODISCARD int theory_makespan(struct theory_plan *plan, quad makespan_ps,
                              quad alone_ps);

/* Returns the part of `nodes` nodes. Units below `near`, a rounding error,
   become 0. */
struct theory_part theory_part_make(uint64_t nodes, quad volume, quad share,
                                    quad near, quad end_ps);

/* Allocates the parts for the plan's phases and rounds, and sets all other
   fields. */
void theory_detail_make(struct theory_detail *detail, bool by_member,
                        unsigned batches, const struct theory_plan *plan);

/*
 * Corrects floors so that each node can hand its units out: rounding may put a
 * volume and the sum of its parts on two sides of an integer. A volume becomes
 * at least the sum of its parts' floors, and at most one unit a part more. The
 * originator keeps at most the rest of the load. The plan's phases and rounds
 * must be set.
 */
void theory_parts_floors(struct theory_detail *detail,
                         const struct theory_plan *plan, uint64_t load_units);

/* Adds volumes and shares over all rounds, and takes the ends of the first
   round. The plan's phases and rounds must be set, all else 0. */
void theory_parts_add(struct theory_plan *plan,
                      const struct theory_detail *detail);

/*
 * Sets all members' parts of a round that has `times` the volumes of the flow's
 * current round. turn_ps[0] is when the originator begins to send; sets turn_ps
 * of the other members. The originator's share belongs to all rounds, and is
 * not set.
 */
void theory_parts_round(struct theory_part part[], quad turn_ps[],
                        const struct theory_flow *flow, quad times, quad near);

/* Sets all that follows from the parts of all rounds: the originator's share
   (it computes for all_ps), layers and their averages, floors, makespan.
   Returns as theory_makespan() does. */
NODISCARD int theory_parts_finish(struct theory_plan *plan,
                                  struct theory_detail *detail,
                                  const struct theory_flow *flow, quad all_ps,
                                  quad near);

#endif
