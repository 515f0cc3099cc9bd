/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_PATTERN_GATHER_H
#define SCATTER_ENGINE_PATTERN_GATHER_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Receives and merges the results of all children on the pattern, by falling
   phase. Result: 0 or the error. */
NODISCARD int pattern_gather(struct scatter *scatter);

#endif
