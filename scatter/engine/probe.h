/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes, which measure what circuits cost: the originator sends a message over
 * a path, the node at its end answers over the same links, and each of the two
 * notes the times of its own clock:
 *
 *   originator   t1 ready                               t4 received
 *                   \ probe                            / answer
 *   node              ------> t2 received, t3 ready ---
 *
 * Formats: scatter/wire/wire.h.
 *
 * (t4 - t1) - (t3 - t2) is the time that the two circuits took: each difference
 * is of one clock. t2 - t1 and t4 - t3 contain the offset of the two clocks
 * besides, with opposite signs.
 *
 * Software is not measured where the board allows it. A message is ready
 * ready_delay_ns after t1 or t3 was read, when the software has queued it; a
 * receipt is the time to which it moved the clock (hal/clock.h). With a delay
 * of 0 the queueing counts, as part of the startup.
 *
 * A node answers only while it waits for a job, and then waits on.
 */
#ifndef SCATTER_ENGINE_PROBE_H
#define SCATTER_ENGINE_PROBE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/*
 * Answers a WIRE_PROBE, or carries out the list of a WIRE_MEASURE and reports
 * it to the host. The message lies at free_from, where the next one will be
 * received; all that is sent is gone when this returns. A row of the list that
 * fails ends the list; the report names the error, and the result is 0. (By
 * value, so that the delivery stays in registers on the hot path.) Result: 0 or
 * the error; ERR_KIND for another kind; ERR_LENGTH or ERR_NO_ROUTE for a
 * malformed probe.
 */
NODISCARD int probe_serve(struct scatter *scatter,
                          struct circuit_delivery delivery);

#endif
