/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scatter along any tree (scatter/plan/tree.h): a node receives its piece
 * of the tree with its range, and passes on the pieces and ranges of its
 * children as they are. What pattern and tables give to a node on a 5^k x 5^k
 * torus, it finds in its branch here.
 */
#ifndef SCATTER_ENGINE_TREE_H
#define SCATTER_ENGINE_TREE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* The steps of scatter/engine/core.h, for the branch that this node holds.
   Result: 0 or the error. */
NODISCARD int branch_distribute(struct scatter *scatter);
NODISCARD int branch_gather(struct scatter *scatter);

/* What a node does that is not the originator. Result: 0 or the error. */
NODISCARD int branch_follow(struct scatter *scatter);

#endif
