/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A probe measures the cost of a circuit: the originator sends a message over a
 * path, the node at its end answers over the same links, and each of the two
 * notes times by its own clock:
 *
 *   originator   t1 ready                               t4 received
 *                   \ probe                            / answer
 *   node              ------> t2 received, t3 ready ---
 *
 * Formats: scatter/wire/wire.h.
 *
 * (t4 - t1) - (t3 - t2) is the time of the two circuits, as each difference is
 * one clock's. t2 - t1 and t4 - t3 contain the offset of the two clocks
 * besides, with opposite signs.
 *
 * Where the board allows it, the time of software is left out. A message is
 * ready ready_delay_ns after t1 or t3 was read, which is after the software has
 * queued it; the time of a receipt is that to which the receipt moved the clock
 * (hal/clock.h). With a delay of 0 the queueing counts as part of the startup.
 *
 * A node answers only while it waits for a job, and then waits on.
 */
#ifndef SCATTER_ENGINE_PROBE_H
#define SCATTER_ENGINE_PROBE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/*
 * Answers a WIRE_PROBE, or carries out the list of a WIRE_MEASURE and reports
 * the rows to the host. The message lies at free_from, where the next one will
 * be received; it returns when the switch has sent all. A row that fails ends
 * the list; the report names the error, and the result is 0. The delivery is
 * passed by value, so that it stays in registers on the hot path. Result: 0 or
 * the error; ERR_KIND for another kind; ERR_LENGTH or ERR_NO_ROUTE for a
 * malformed probe.
 */
NODISCARD int probe_serve(struct scatter *scatter,
                          struct circuit_delivery delivery);

#endif
