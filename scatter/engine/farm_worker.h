/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker of a farm and a master do alike, farm.c and farm_master.c: read
   a chunk, ask for the next one. */
#ifndef SCATTER_ENGINE_FARM_WORKER_H
#define SCATTER_ENGINE_FARM_WORKER_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Reads a chunk, which becomes this node's range; one of no units is the end.
   Result: as farm_receive(). */
NODISCARD int farm_read_chunk(struct scatter *scatter,
                              const struct circuit_delivery *delivery);

/* Asks for the next chunk, says how long worker.computed_units took, and
   returns the outputs that have not left yet. Result: 0 or an error of
   sending. */
NODISCARD int farm_ask(struct scatter *scatter);

/* Where the message with the next chunk comes to lie, worker.stock_bytes of
   room: those of two chunks in turn, so that one comes while the one before is
   in use. Checks the heap (scatter_check_heap()). */
uint8_t *farm_next_place(const struct scatter *scatter);

#endif
