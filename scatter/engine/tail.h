/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tail of a load, the schedule that users call hybrid: the rounds of the
 * pattern send all but a reserve at the end of the load; behind its last round
 * every node asks the originator for chunks of that, as on a farm. So nodes end
 * together although some take longer than planned.
 *
 *   originator  | sends rounds | computes its share, serves demands ..... | end
 *   node        | part | computes .. | last part | computes | chunk | ..  | end
 *                                                 ^ asks, when little is left
 *
 * Without an output results return as the parts came, and the originator ends
 * nodes layer by layer; with one each result goes straight to the originator.
 */
#ifndef SCATTER_ENGINE_TAIL_H
#define SCATTER_ENGINE_TAIL_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Units at the end of the load that no round is to send, by the order and by
   what samples differed; 0: no tail. */
uint32_t tail_reserve(const struct scatter *scatter,
                      const struct originator *originator);

/* Leaves the originator's planned share and the reserve to the tail, and makes
   its farm. The rounds are planned. Result: 0, ERR_RANGE or ERR_MEMORY. */
NODISCARD int tail_plan(struct scatter *scatter, struct originator *originator,
                        uint32_t reserve);

/* Of the originator, when the sends of all rounds are queued: serves, computes
   and gathers. Result: 0 or the error. */
NODISCARD int tail_lead(struct scatter *scatter, struct originator *originator);

/* Hooks of the policy (scatter/engine/core.h). */

/* Waits for the part of a planned round, or behind these for a chunk. */
NODISCARD int tail_receive(struct scatter *scatter);

/* Computes the share at hand; of the last planned one the node asks for its
   first chunk when little is left. */
NODISCARD int tail_compute(struct scatter *scatter);

NODISCARD int tail_gather(struct scatter *scatter);

#endif
