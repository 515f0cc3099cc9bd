/* SPDX-License-Identifier: Apache-2.0 */
/* The policy WIRE_TREE: the load goes along the tree that the order brings, in
   one round. */
#ifndef SCATTER_ENGINE_TREE_POLICY_H
#define SCATTER_ENGINE_TREE_POLICY_H

#include "scatter/engine/policy.h"

extern const struct policy tree_policy;

/* The policy WIRE_FARM: the originator gives chunks of the load to who asks. */
extern const struct policy farm_policy;

#endif
