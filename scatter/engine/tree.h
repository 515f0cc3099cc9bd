/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scatter along any tree (scatter/plan/tree.h): a node receives its piece
 * of the tree with its range, and passes on the pieces and ranges of its
 * children as they are. What pattern and tables give to a node on a 5^k x 5^k
 * torus, it finds in its branch here.
 */
#ifndef SCATTER_ENGINE_TREE_H
#define SCATTER_ENGINE_TREE_H

#include "scatter/engine/core.h"

/* Whether jobs may go along a tree. A board with little memory does without:
   its originator refuses such orders with ERR_ABSENT, other nodes such
   branches; they still answer probes. Its build says so. */
#ifndef RELAY_TREES
#define RELAY_TREES 1
#endif

/* The steps of scatter/engine/core.h, for the branch that this node holds.
   Result: 0 or the error. */
int relay_distribute(struct scatter *scatter);
int relay_gather(struct scatter *scatter);

/* What a node does that is not the originator. Result: 0 or the error. */
int relay_follow(struct scatter *scatter);

#endif
