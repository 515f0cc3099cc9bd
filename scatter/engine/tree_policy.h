/* SPDX-License-Identifier: Apache-2.0 */
/* The policy WIRE_TREE: the scatter along the tree that comes with the order,
   in one round. */
#ifndef SCATTER_ENGINE_TREE_POLICY_H
#define SCATTER_ENGINE_TREE_POLICY_H

#include "scatter/engine/policy.h"

extern const struct policy tree_policy;

#endif
