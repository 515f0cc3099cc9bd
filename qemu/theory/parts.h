/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the solvers of qemu/theory/model.h: the parts of a plan, and what
   follows from them. */
#ifndef QEMU_THEORY_PARTS_H
#define QEMU_THEORY_PARTS_H

#include "hal/nodiscard.h"
#include "qemu/theory/model.h"
#include "qemu/base/quad.h"

struct theory_flow; /* qemu/theory/flow.h */

/* Clears the plan. Result: 0, ERR_EMPTY or ERR_RANGE as theory_plan(). */
NODISCARD int theory_check(struct theory_plan *plan,
                           const struct theory_input *input);

/* Sets makespan and speedup over one node with `alone_ps` for the load. Result:
   0, or ERR_RANGE if the makespan exceeds THEORY_TIME_MAX_PS. */
NODISCARD int theory_makespan(struct theory_plan *plan, quad makespan_ps,
                              quad alone_ps);

/* The part of `nodes` nodes. Units below `near`, a rounding error, become 0. */
struct theory_part theory_part_make(uint64_t nodes, quad volume, quad share,
                                    quad near, quad end_ps);

/* Allocates the parts of a plan that has its phases and rounds, and sets all
   other fields. */
void theory_detail_make(struct theory_detail *detail, bool by_member,
                        unsigned batches, const struct theory_plan *plan);

/*
 * Mends floors so that each node can hand its units out: rounding may have put
 * a volume and the sum of its parts on two sides of an integer. A volume
 * becomes at least the sum of the floors of its parts, and at most one unit a
 * part more; the originator keeps at most the rest of the load. The plan has
 * its phases and rounds.
 */
void theory_parts_floors(struct theory_detail *detail,
                         const struct theory_plan *plan, uint64_t load_units);

/* Adds volumes and shares of all rounds up, and takes the ends of the first
   one. The plan has its phases and rounds, and zeros. */
void theory_parts_add(struct theory_plan *plan,
                      const struct theory_detail *detail);

/*
 * Sets everybody's part of a round that has `times` the volumes of the round
 * that the flow is at, and with turn_ps[0], when the originator begins to send,
 * everybody's turn. The originator's share is that of all rounds, and not set.
 */
void theory_parts_round(struct theory_part part[], quad turn_ps[],
                        const struct theory_flow *flow, quad times, quad near);

/* Sets all that follows from the parts of all rounds, of which the originator
   computes for all_ps: its share, layers and their averages, floors, makespan.
   Result: as theory_makespan(). */
NODISCARD int theory_parts_finish(struct theory_plan *plan,
                                  struct theory_detail *detail,
                                  const struct theory_flow *flow, quad all_ps,
                                  quad near);

#endif
