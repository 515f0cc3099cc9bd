/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_ORIGINATOR_H
#define SCATTER_ENGINE_ORIGINATOR_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Carries out the originator's job, from the wait for the order to the report:
   samples of the kernel, plan, sends, its own share, results. Serves
   WIRE_MEASURE before the order. Result: 0 or the error, which the report has
   told the host too. */
NODISCARD int originator_run(struct scatter *scatter);

#endif
