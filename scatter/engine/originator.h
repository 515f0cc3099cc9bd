/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_ORIGINATOR_H
#define SCATTER_ENGINE_ORIGINATOR_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* The whole job of the originator: order, samples of the kernel, plan, sends,
   its own share, results and report. Result: 0 or the error. */
NODISCARD int originator_run(struct scatter *scatter);

#endif
