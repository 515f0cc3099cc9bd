/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_FARM_POLICY_H
#define SCATTER_ENGINE_FARM_POLICY_H

#include "scatter/engine/policy.h"

extern const struct policy farm_policy;

#endif
