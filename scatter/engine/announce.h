/* SPDX-License-Identifier: Apache-2.0 */
/* The announcement of a job: the kernel's index and its argument go out as soon
   as the order is read. Every node passes them on and calls the kernel's
   begin() while the originator still measures and plans. No later message of
   the job repeats them. */
#ifndef SCATTER_ENGINE_ANNOUNCE_H
#define SCATTER_ENGINE_ANNOUNCE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/originator.h"

/* Queues the announcement scatter->announced to the originator's children. The
   kernel's argument is sent from its place in the order. Result: 0; ERR_MEMORY;
   ERR_PLAN (the order's tree is invalid); an error of the sends. */
NODISCARD int announce_job(struct scatter *scatter,
                           struct originator *originator);

/* Takes the announcement in `delivery`, which was received at free_from. First
   drops an earlier announcement (announce_drop()). Then moves free_from behind
   this one, passes it on, and calls the kernel's begin(). Result: 0; ERR_LENGTH
   or ERR_FIELD (malformed); ERR_PLAN (no place in the torus); ERR_PLACE
   (another node's place); ERR_IMAGE (no such kernel); ERR_ARGUMENT (the kernel
   refuses its argument); an error of announce_drop() or of the sends. */
NODISCARD int announce_take(struct scatter *scatter,
                            struct circuit_delivery delivery);

/* Drops the last announcement, when a message of another job has come: perhaps
   the announced job's order failed. Waits until the announcement has been
   passed on, then moves the message in `delivery` to the announcement's place.
   Precondition: a job is announced. Result: 0; ERR_KIND if the announced job is
   past round 0; an error of the sends. */
NODISCARD int announce_drop(struct scatter *scatter,
                            struct circuit_delivery *delivery);

/* ---- waiting for a message of a job ---- */

/* Serves the probe or takes the announcement in `delivery`. Result: 0 or the
   error; ERR_KIND for a message of another kind. (`delivery` is passed by
   value, to stay in registers on the hot path.) */
NODISCARD int await_serve(struct scatter *scatter,
                          struct circuit_delivery delivery);

/* Waits for a message of `kind` on the port mask `ports`; calls await_serve()
   for each message of another kind. Result: 0 or the error. */
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
