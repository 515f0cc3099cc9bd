/* SPDX-License-Identifier: Apache-2.0 */
/* The announcement of a job brings the kernel's index and its argument. Nodes
   call begin() while the originator still measures and plans. */
#ifndef SCATTER_ENGINE_ANNOUNCE_H
#define SCATTER_ENGINE_ANNOUNCE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/originator.h"

/* Queues the announcement to the originator's children. Result: 0; ERR_MEMORY;
   ERR_PLAN if the order's tree is invalid; an error of the sends. */
NODISCARD int announce_job(struct scatter *scatter,
                           struct originator *originator);

/* Takes an announcement: passes it on, and calls the kernel's begin(). Moves
   free_from behind it. Result: 0; ERR_LENGTH or ERR_FIELD (malformed); ERR_PLAN
   (no place in the torus); ERR_PLACE (another node's place); ERR_IMAGE (no such
   kernel); ERR_ARGUMENT (the kernel refuses its argument); an error of
   announce_drop() or of the sends. */
NODISCARD int announce_take(struct scatter *scatter,
                            struct circuit_delivery delivery);

/* Drops the last announcement, and moves the message in `delivery` there.
   Precondition: a job is announced. Result: 0; ERR_KIND if that job is past
   round 0; an error of the sends. */
NODISCARD int announce_drop(struct scatter *scatter,
                            struct circuit_delivery *delivery);

/* ---- waiting for a message of a job ---- */

/* Serves the probe or takes the announcement in `delivery`. Result: 0 or the
   error; ERR_KIND for a message of another kind. */
NODISCARD int await_serve(struct scatter *scatter,
                          struct circuit_delivery delivery);

/* Waits for a message of `kind` on the port mask `ports`; serves others.
   Result: 0 or the error. */
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
