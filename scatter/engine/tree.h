/* SPDX-License-Identifier: Apache-2.0 */
/* The policy for any tree (scatter/plan/tree.h): a node receives its piece of
   the tree with its range, and sends on its children's pieces and ranges
   unchanged. A piece is the node's branch, then its descendants' branches; it
   tells the node its parent, layer, children and their units. */
#ifndef SCATTER_ENGINE_TREE_H
#define SCATTER_ENGINE_TREE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/originator.h"

/* Hooks of the policy: struct policy in scatter/engine/core.h. */

/* Nodes learn their place in the tree later, by their piece. Result: 0. */
NODISCARD int tree_prepare(struct scatter *scatter);

NODISCARD int tree_place(struct scatter *scatter, const uint8_t *announcement,
                         uint32_t bytes, uint32_t *head_bytes);

/* Queues the announcement to each child, with the child's piece of the tree as
   its head. Result: 0; ERR_PLAN if the order's tree does not fit the torus;
   ERR_MEMORY; an error of sending. */
NODISCARD int tree_announce(struct scatter *scatter,
                            struct originator *originator,
                            struct circuit_segment shared,
                            struct circuit_segment arg);

/* Waits for WIRE_BRANCH or WIRE_BRANCH_ROUND, and queues sends to children. A
   WIRE_CHUNK makes the job a farm instead. Result: 0 or the error. */
NODISCARD int tree_receive(struct scatter *scatter);

NODISCARD int tree_gather(struct scatter *scatter);

/* Carries out the order along its tree, or as a farm if samples of the load
   differ. Result: 0 or the error. */
NODISCARD int tree_lead(struct scatter *scatter, struct originator *originator);

#endif
