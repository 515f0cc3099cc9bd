/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that is too small for a mesh: the originator computes the whole load,
 * as that takes less time, and no other node hears of the job.
 */
#ifndef SCATTER_ENGINE_ALONE_H
#define SCATTER_ENGINE_ALONE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/*
 * Guesses the rate (measure_guess()), and sets originator->alone where there is
 * no other node, the order asks for 0 phases, or the whole load takes the
 * originator less time than a plan and the circuits out and back. In the last
 * two cases the originator first computes pieces, together 14 % of the load: if
 * a piece takes more than twice the guess, `alone` is false, else
 * originator->known is true. Result: 0 or the error.
 */
NODISCARD int alone_decide(struct scatter *scatter,
                           struct originator *originator);

#endif
