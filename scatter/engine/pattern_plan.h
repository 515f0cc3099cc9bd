/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_PATTERN_PLAN_H
#define SCATTER_ENGINE_PATTERN_PLAN_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* The hook of the pattern's originator (scatter/engine/core.h): sends an
   advance if that pays, measures, plans, sends, computes and gathers. Result: 0
   or the error. */
NODISCARD int pattern_lead(struct scatter *scatter,
                           struct originator *originator);

#endif
