/* SPDX-License-Identifier: Apache-2.0 */
/*
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
#ifndef SCATTER_ENGINE_FARM_MASTER_H
#define SCATTER_ENGINE_FARM_MASTER_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Whether this node serves others, by its piece of the tree. */
bool farm_is_master(const struct scatter *scatter);

/*
 * Makes the state of its group in new memory, when the first chunk has been
 * read. Result: 0; ERR_PLAN (its piece is no tree, a worker has no path, or the
 * job has an output, which masters do not pass on), ERR_FIELD (the job does not
 * say what to plan with) or ERR_MEMORY.
 */
NODISCARD int farm_open_group(struct scatter *scatter);

/* Computes, asks and serves till the end has come and all workers know it; sets
   worker.ended. Result: 0; as farm_receive() and farm_serve(); ERR_KIND. */
NODISCARD int farm_lead_group(struct scatter *scatter);

/* Receives and merges the results of its workers. Result: 0 or the error. */
NODISCARD int farm_gather_group(struct scatter *scatter);

#endif
