/* SPDX-License-Identifier: Apache-2.0 */
/* The table of policies: a new one is a row here. */
#ifndef SCATTER_ENGINE_POLICY_TABLE_H
#define SCATTER_ENGINE_POLICY_TABLE_H

#include "scatter/engine/policy.h"

/* The row of this id, enum wire_policy; NULL if there is none. */
const struct policy *policy_find(unsigned id);

#endif
