/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scatter along any tree (scatter/plan/tree.h): a node receives its piece
 * of the tree with its range, and passes on the pieces and ranges of its
 * children as they are. Its branch tells a node what pattern and tables tell
 * one on a 5^k x 5^k torus: parent, layer, children and their units.
 */
#ifndef SCATTER_ENGINE_TREE_H
#define SCATTER_ENGINE_TREE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Whether a child's branch ends before `end`, and has a path of this torus. */
bool branch_is_whole(const struct scatter *scatter, const uint8_t *branch,
                     const uint8_t *end);

/* Sets the layer, 0 of the originator; other nodes learn their place in the
   tree with their branch. Result: 0. */
NODISCARD int branch_prepare(struct scatter *scatter);

/* Announces a job to the children of this node's branch: a child's head is its
   piece of the tree. Result: as policy.announce. */
NODISCARD int branch_announce(struct scatter *scatter,
                              struct circuit_segment shared,
                              struct circuit_segment arg);

/* Reads this node's branch from an announcement. Result: as policy.place. */
NODISCARD int branch_place(struct scatter *scatter, const uint8_t *announcement,
                           uint32_t bytes, uint32_t *head_bytes);

/* Queues the sends to the children of this node's branch. Result: 0 or the
   error. */
NODISCARD int branch_distribute(struct scatter *scatter);

/* Waits for this node's WIRE_BRANCH, and distributes it. Result: 0 or the
   error. */
NODISCARD int branch_receive(struct scatter *scatter);

/* Receives and merges the children's results. Result: 0 or the error. */
NODISCARD int branch_gather(struct scatter *scatter);

#endif
