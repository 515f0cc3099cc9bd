/* SPDX-License-Identifier: Apache-2.0 */
/* The job of a node that is not the originator, whatever the policy. */
#ifndef SCATTER_ENGINE_FOLLOW_H
#define SCATTER_ENGINE_FOLLOW_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Carries out a job, from the wait for its first message to the return of the
   result. Result: 0 or the error. */
NODISCARD int scatter_follow(struct scatter *scatter);

#endif
