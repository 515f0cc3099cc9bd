/* SPDX-License-Identifier: Apache-2.0 */
/* Equal shares for all nodes of a tree, and when they are done. */
#ifndef SCATTER_PLAN_TREE_EQUAL_H
#define SCATTER_PLAN_TREE_EQUAL_H

#include "scatter/plan/tree_input.h"

/*
 * Gives node i of n the units from floor(i V / n) to floor((i + 1) V / n).
 * tree_check() accepts the input, tree_valid() the tree; received_ps[] takes an
 * entry for each node. Result: 0 and the makespan; ERR_RANGE if that is 2^62 ps
 * or more.
 */
NODISCARD int tree_plan_equal(uint8_t *tree, const struct tree_input *input,
                              uint64_t received_ps[], uint64_t *makespan_ps);

#endif
