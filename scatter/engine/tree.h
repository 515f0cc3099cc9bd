/* SPDX-License-Identifier: Apache-2.0 */
/* The policy for any tree (scatter/plan/tree.h). A node receives its piece of
   the tree and its range, and sends on its children's. A piece is the node's
   branch, then the branches of its descendants. */
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

/* Queues the announcement to each child, with its piece of the tree. Result: 0;
   ERR_PLAN if the tree does not fit the torus; ERR_MEMORY; another error. */
NODISCARD int tree_announce(struct scatter *scatter,
                            struct originator *originator,
                            struct circuit_segment shared,
                            struct circuit_segment arg);

/* Receives a round's message, and queues sends to children. A WIRE_CHUNK makes
   the job a farm. Result: 0 or the error. */
NODISCARD int tree_receive(struct scatter *scatter);

NODISCARD int tree_gather(struct scatter *scatter);

NODISCARD int tree_lost(struct scatter *scatter, struct originator *originator,
                        uint32_t number);

/* Carries out the order by its tree or as a farm. Result: 0 or the error. */
NODISCARD int tree_lead(struct scatter *scatter, struct originator *originator);

#endif
