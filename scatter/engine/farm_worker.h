/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker of a farm asks the originator for its next chunk before it computes
 * the chunk in hand; the demand says how long the chunk before that took. So a
 * worker never waits if its demand is served while it computes a chunk.
 *
 * A master of a farm is a worker of the originator, and serves the workers of
 * its group (scatter/plan/tree.h). It cuts the chunk in hand into chunks for
 * these and slices of its own, and asks for its next chunk before that runs
 * out; the demand says how fast the group is. To the originator a master is one
 * fast worker; to its workers it is the originator.
 *
 *      originator              master                    worker
 *          | -- chunk, units -->  |                          |
 *          |                      | -- chunk, some of it --> |
 *          |                      | <-- demand ------------- | computes
 *          |                      | -- chunk, some of it --> |
 *          | <-- demand --------- | little is left           |
 *          | -- chunk ----------> |                          |
 *          :                      :                          :
 *          | -- no units: end --> | -- end, when all is given |
 *          |                      | <-- result ------------- |
 *          | <-- result of all -- |
 */
#ifndef SCATTER_ENGINE_FARM_WORKER_H
#define SCATTER_ENGINE_FARM_WORKER_H

#include "hal/nodiscard.h"
#include "scatter/engine/compute.h"
#include "scatter/engine/core.h"

/*
 * Waits for this node's next WIRE_CHUNK, reads it, and asks for the chunk
 * after; sets worker.ended if the chunk is the end. A master does all work of
 * its group before this returns. Result: 0; ERR_LENGTH, ERR_FIELD, ERR_PLACE (a
 * chunk of another worker, or out of order), ERR_PLAN; an error of receiving or
 * sending.
 */
NODISCARD int farm_receive(struct scatter *scatter);

/* Does the rest of farm_receive() when the chunk has come, in `delivery`. */
NODISCARD int farm_begin(struct scatter *scatter,
                         struct circuit_delivery *delivery);

/* Makes this node worker `number` for the tail of its job, and asks for the
   first chunk. `path` leads from the originator to this node. Outputs return
   straight to the originator from now on. Result: 0 or an error of sending. */
NODISCARD int farm_join(struct scatter *scatter, uint16_t number,
                        struct torus_path path);

/* Computes the chunk in hand, and adds its units and its time to those of the
   next demand. Result: as scatter_compute(). */
NODISCARD int farm_compute(struct scatter *scatter);

/* Receives and merges the results of a master's group; any other worker has
   none to gather. Result: 0 or the error. */
NODISCARD int farm_gather(struct scatter *scatter);

#endif
