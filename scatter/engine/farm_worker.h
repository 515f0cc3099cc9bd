/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker of a farm: it asks the originator for the next chunk before it
 * computes the one in hand, and says with that how long the one before took. So
 * it never waits as long as its demand is served within a chunk's time.
 *
 * A master of a farm: a worker of the originator, and whoever serves the
 * workers of its group (scatter/plan/tree.h). It cuts the chunk in hand into
 * chunks for these and slices of its own, asks for the next one before that
 * runs out, and says then how fast its group is. To the originator it is one
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
 * Waits for this node's next WIRE_CHUNK, reads it, and asks for the one after;
 * sets `ended` if there is none. Result: 0; ERR_LENGTH, ERR_FIELD, ERR_PLACE (a
 * chunk of another worker, or out of order), ERR_PLAN; an error of receiving or
 * sending.
 */
NODISCARD int farm_receive(struct scatter *scatter);

/* The same when the chunk has come. */
NODISCARD int farm_begin(struct scatter *scatter,
                         struct circuit_delivery *delivery);

/* Makes this node, to which the originator's `path` leads, worker `number` of a
   job that it knows, and asks for the first chunk. An output returns straight
   to the originator from here on. Result: 0 or an error of sending. */
NODISCARD int farm_join(struct scatter *scatter, uint16_t number,
                        struct torus_path path);

/* Computes the range at hand, and notes how long that takes, for the next
   demand. Result: as scatter_compute(). */
NODISCARD int farm_compute(struct scatter *scatter);

/* A worker gathers nothing: its result leaves at once. Result: 0. */
NODISCARD int farm_gather(struct scatter *scatter);

#endif
