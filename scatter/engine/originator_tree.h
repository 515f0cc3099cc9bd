/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_ORIGINATOR_TREE_H
#define SCATTER_ENGINE_ORIGINATOR_TREE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator_state.h"

/* Makes the order's tree the originator's branch, in new memory: its
   announcement lies there while the order's own is planned. Result: 0, ERR_PLAN
   (no tree of this torus) or ERR_MEMORY. */
NODISCARD int originator_read_tree(struct scatter *scatter,
                                   struct originator *originator);

/* Time that this takes, roughly. */
uint64_t originator_plan_tree_ps(const struct scatter *scatter,
                                 const struct originator *originator);

/* Plans the load along the order's tree, into the tree itself, and writes the
   job. Waits for the end of the announcement. Result: 0 or the error. */
NODISCARD int originator_plan_tree(struct scatter *scatter,
                                   struct originator *originator);

/* Queues the sends of the originator's branch. Result: 0 or the error. */
NODISCARD int originator_send_tree(struct scatter *scatter,
                                   struct originator *originator,
                                   uint64_t start_ps);

#endif
