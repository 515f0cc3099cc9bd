/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tail of a load, the schedule that users call hybrid. Rounds of the
 * pattern send all units but a reserve at the end of the load. After the last
 * round every node asks the originator for chunks of the reserve, as on a farm.
 * So all nodes end together, although some take longer than planned.
 *
 *   originator  | sends rounds | computes its share, serves demands ..... | end
 *   node        | part | computes .. | last part | computes | chunk | ..  | end
 *                                                 ^ asks, when little is left
 *
 * If there is no output, results return to parents as on the pattern, and the
 * originator gives nodes their end, a chunk of no units, layer by layer. With
 * an output each result goes straight to the originator.
 */
#ifndef SCATTER_ENGINE_TAIL_H
#define SCATTER_ENGINE_TAIL_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Returns the reserve, units at the end of the load; 0: no tail. */
uint32_t tail_reserve(const struct scatter *scatter,
                      const struct originator *originator);

/* Opens the tail's farm with the reserve and the originator's share.
   Precondition: rounds are planned. Result: 0, ERR_RANGE or ERR_MEMORY. */
NODISCARD int tail_plan(struct scatter *scatter, struct originator *originator,
                        uint32_t reserve);

/* Serves demands, computes and gathers. Precondition: all rounds are queued.
   Result: 0 or the error. */
NODISCARD int tail_lead(struct scatter *scatter, struct originator *originator);

/* Hooks of the policy: struct policy in scatter/engine/core.h. */

/* Waits for the part of a planned round, or, after the last, for a chunk. */
NODISCARD int tail_receive(struct scatter *scatter);

/* Computes the round's share or the chunk. Asks for the first chunk when few
   units of the last planned share are left. */
NODISCARD int tail_compute(struct scatter *scatter);

NODISCARD int tail_gather(struct scatter *scatter);

/* The hook `lost` (core.h). `number`: on the pattern; of a job with outputs,
   whose results return straight, index of the worker. */
NODISCARD int tail_lost(struct scatter *scatter, struct originator *originator,
                        uint32_t number);

#endif
