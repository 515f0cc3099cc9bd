/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a message of a job, while probes and announcements are served. */
#ifndef SCATTER_ENGINE_AWAIT_H
#define SCATTER_ENGINE_AWAIT_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Serves a probe or takes an announcement. (By value, so that the delivery
   stays in registers on the hot path.) Result: 0 or the error; ERR_KIND for
   another kind. */
NODISCARD int await_serve(struct scatter *scatter,
                          struct circuit_delivery delivery);

/* Waits for a message of this kind on a set of ports, and serves those that
   come before it. Inline, as it is on the hot path. Result: 0 or the error. */
NODISCARD static inline int await_message(struct scatter *scatter,
                                          enum wire_kind kind,
                                          struct circuit_delivery *delivery,
                                          unsigned ports)
{
    int error;

    do {
        error = scatter_receive(scatter, delivery, ports);
    } while (error == ERR_OK && delivery->kind != kind &&
             (error = circuit_complete(scatter->circuit)) == ERR_OK &&
             (error = await_serve(scatter, *delivery)) == ERR_OK);
    return error;
}

#endif
