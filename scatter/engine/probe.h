/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A probe measures the cost of a circuit: the originator sends a message over a
 * path, and the node at the path's end answers over the same links (formats:
 * wire.h). Each of the two nodes notes times by its own clock:
 *
 *   originator   t1 ready                               t4 received
 *                   \ probe                            / answer
 *   node              ------> t2 received, t3 ready ---
 *
 * (t4 - t1) - (t3 - t2) is the time of both circuits together: each difference
 * is between times of one clock. t2 - t1 is the time of the probe's circuit
 * plus the clocks' offset; t4 - t3, that of the answer's less this offset.
 *
 * A message leaves at t1 or t3, ready_delay_ns after its sender reads the
 * clock. The sender queues the message in that time. With a delay of 0 the
 * queueing counts as part of the startup. Receives end at t2 and t4.
 *
 * A node answers probes only while it waits for a job. A node that cannot be
 * reached has 0 for t2 and t3; a live one is waited for, however late it is.
 */
#ifndef SCATTER_ENGINE_PROBE_H
#define SCATTER_ENGINE_PROBE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Answers a WIRE_PROBE, or carries out a WIRE_MEASURE and reports to the host.
   An error of a probe in the list goes into the report. Returns when all is
   sent. Result: 0; ERR_KIND for another kind of message; ERR_LENGTH or
   ERR_NO_ROUTE for a malformed WIRE_PROBE; another error. */
NODISCARD int probe_serve(struct scatter *scatter,
                          struct circuit_delivery delivery);

#endif
