/* SPDX-License-Identifier: Apache-2.0 */
/* The table of policies: a new one is a row here. */
#ifndef SCATTER_ENGINE_POLICY_TABLE_H
#define SCATTER_ENGINE_POLICY_TABLE_H

#include "scatter/engine/policy.h"

/* The row of this id, enum wire_policy; NULL if there is none. */
const struct policy *policy_find(unsigned id);

/* The policy, enum wire_policy, of boards whose identity no host writes: that
   of the pattern if it fits the torus, else the tree's. */
uint8_t policy_of_size(struct torus_size size);

#endif
