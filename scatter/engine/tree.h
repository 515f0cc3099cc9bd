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
#include "scatter/engine/originator.h"

/* Hooks of the policy (scatter/engine/policy.h). */

/* Sets the layer, 0 of the originator; other nodes learn their place in the
   tree with their branch. Result: 0. */
NODISCARD int tree_prepare(struct scatter *scatter);

/* Announces a job to the children of this node's branch: a child's head is its
   piece of the tree. Result: as policy.announce. */
NODISCARD int tree_announce(struct scatter *scatter,
                            struct circuit_segment shared,
                            struct circuit_segment arg);

/* Reads this node's branch from an announcement. Result: as policy.place. */
NODISCARD int tree_place(struct scatter *scatter, const uint8_t *announcement,
                         uint32_t bytes, uint32_t *head_bytes);

/* Waits for this node's WIRE_BRANCH, and distributes it. Result: 0 or the
   error. */
NODISCARD int tree_receive(struct scatter *scatter);

/* Receives and merges the children's results. Result: 0 or the error. */
NODISCARD int tree_gather(struct scatter *scatter);

/* Makes the order's tree the originator's branch, in new memory: its
   announcement lies there while the order's own is planned. Result: 0, ERR_PLAN
   (no tree of this torus) or ERR_MEMORY. */
NODISCARD int tree_order(struct scatter *scatter,
                         struct originator *originator);

/* Time that this takes, roughly. */
uint64_t tree_plan_ps(const struct scatter *scatter,
                      const struct originator *originator);

/* Plans the load along the order's tree, into the tree itself, and writes the
   job. Waits for the end of the announcement. Result: 0 or the error. */
NODISCARD int tree_plan_job(struct scatter *scatter,
                            struct originator *originator);

/* Queues the sends of the originator's branch. Result: 0 or the error. */
NODISCARD int tree_send(struct scatter *scatter, struct originator *originator,
                        uint64_t start_ps);

#endif
