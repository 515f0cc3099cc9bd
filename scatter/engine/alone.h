/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that is too small for a mesh: the originator has the answer first if it
 * does the whole load, and no other node hears of the job.
 */
#ifndef SCATTER_ENGINE_ALONE_H
#define SCATTER_ENGINE_ALONE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/*
 * Guesses the rate (measure_guess()) and sets `alone` where there is no other
 * node, the order asks for no phases, or the whole load takes the originator
 * less than a plan and the way out and back. But for the first of these it
 * computes 14 % of the load, which show that the guess is none too small; if
 * they do, the rate is `known`. Result: 0 or the error.
 */
NODISCARD int alone_decide(struct scatter *scatter,
                           struct originator *originator);

#endif
