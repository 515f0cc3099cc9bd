/* SPDX-License-Identifier: Apache-2.0 */
/* The policy WIRE_PATTERN: the Peters-Syska scatter on a 5^k x 5^k torus, in
   one round or several. */
#ifndef SCATTER_ENGINE_PATTERN_POLICY_H
#define SCATTER_ENGINE_PATTERN_POLICY_H

#include "scatter/engine/policy.h"

extern const struct policy pattern_policy;

#endif
