/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What circuits cost, measured: the originator sends a message over a path,
 * the node at its end answers over the same links, and each of the two notes
 * the times of its own clock. Formats and times: scatter/wire/wire.h.
 *
 * Only differences of one clock mean something by themselves: (t4 - t1) -
 * (t3 - t2) is what the two circuits took. t2 - t1 and t4 - t3 hold the
 * clocks' offset too, with opposite signs.
 *
 * Software is left out where the board allows it. A message is ready `lead`
 * after its time was read, so that its queueing is over by then; a receipt is
 * the time to which it moved the clock (hal/clock.h). With a lead of 0 the
 * queueing counts, as part of the startup.
 *
 * Nodes answer while they wait for a job, and only then. They go on waiting.
 */
#ifndef SCATTER_ENGINE_PROBE_H
#define SCATTER_ENGINE_PROBE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/*
 * Does what a message of kind WIRE_PROBE or WIRE_MEASURE asks for; it was
 * received to where the next one will be, at scatter->low, and what it says is
 * sent when this returns. (By value: what is received stays in registers where
 * every hop passes.) A list that cannot be carried out is reported to the host
 * and ends there; this node goes on. Result: 0 or the error; ERR_KIND for
 * another kind; ERR_LENGTH or ERR_NO_ROUTE for a malformed probe.
 */
NODISCARD int probe_serve(struct scatter *scatter,
                          struct circuit_delivery delivery);

/* Waits for a message of this kind on a set of ports, and serves the probes
   that come before it. Inline: every hop passes here. Result: 0 or the
   error. */
NODISCARD static inline int probe_await(struct scatter *scatter,
                                        enum wire_kind kind,
                                        struct circuit_delivery *delivery,
                                        unsigned ports)
{
    int error;

    do {
        error = scatter_take_message(scatter, delivery, ports);
    } while (error == ERR_OK && delivery->kind != kind &&
             (error = probe_serve(scatter, *delivery)) == ERR_OK);
    return error;
}

#endif
