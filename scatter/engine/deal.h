/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load dealt out like cards: the originator cuts it into R * n blocks of
 * whole units, and node i gets blocks i, n + i, 2n + i, .. So a load that is
 * dear in places is spread over all nodes, and nobody asks for anything.
 *
 *   originator  | deals 0, 1 | block 0 | deals 2 | block n | .. | gathers
 *   node i      |    waits      | block i      | block n + i   | .. | result
 *                                    ^ receives block n + i
 *
 * Blocks take the straight way to each node, as chunks of a farm do
 * (scatter/engine/farm_worker.h), and lie in two places of memory in turn. The
 * job is announced along the order's tree. Results, with all outputs, return
 * straight to the originator at once.
 *
 * R is the order's number of rounds. If that is WIRE_BEST, R is ROUNDS_MAX, or
 * less: every block has a unit, and, unless it is of eight rounds of a load
 * whose units vary with their data, takes four times as long as the originator
 * takes to send a round's messages without their units, and as long as eight
 * calls of the kernel. The originator's blocks are shorter by the units that it
 * would compute while its software makes the messages.
 */
#ifndef SCATTER_ENGINE_DEAL_H
#define SCATTER_ENGINE_DEAL_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/originator.h"

/* Hooks of the policy (scatter/engine/policy.h). The others are a tree's or a
   farm's. */

/* Waits for this node's block of the round, and listens for that of the next
   round. Result: 0; ERR_MEMORY if two blocks do not fit; ERR_PLAN for a block
   of no units; or as farm_receive(). */
NODISCARD int deal_receive(struct scatter *scatter);

/* Computes the node's block of the round. Result: as scatter_compute(). */
NODISCARD int deal_compute(struct scatter *scatter);

/* Measures, cuts the load, deals each round out before it computes its own
   block of the round before, and gathers. Result: 0; ERR_PHASES if a block of
   the ordered rounds would have no unit; ERR_RANGE; ERR_PLAN (a node without a
   path); ERR_MEMORY; or an error of sending, of the kernel or of receiving. */
NODISCARD int deal_lead(struct scatter *scatter, struct originator *originator);

#endif
