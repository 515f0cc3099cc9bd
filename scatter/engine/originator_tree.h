/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_ORIGINATOR_TREE_H
#define SCATTER_ENGINE_ORIGINATOR_TREE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator_state.h"

/* Plans the load along the order's tree, into the tree itself, and writes the
   job. Result: 0 or the error. */
NODISCARD int originator_plan_tree(struct scatter *scatter,
                                   struct originator *originator);

/* Queues the sends of the originator's branch. Result: 0 or the error. */
NODISCARD int originator_send_tree(struct scatter *scatter,
                                   struct originator *originator,
                                   uint64_t start_ps);

#endif
