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

/* Queues the originator's announcement, scatter->announced, to its children;
   the argument is sent from where it lies in the order. Result: 0; ERR_MEMORY;
   ERR_PLAN (the order's tree is invalid); an error of the sends. */
NODISCARD int announce_job(struct scatter *scatter,
                           struct originator *originator);

/* Takes the announcement in `delivery`, which was received at free_from: moves
   free_from behind it, passes it on and calls the kernel's begin(). First drops
   an earlier announcement (announce_drop()). Result: 0; ERR_LENGTH or ERR_FIELD
   (malformed); ERR_PLAN or ERR_PLACE (no place in the torus, or that of another
   node); ERR_IMAGE (no kernel of the announced index); ERR_ARGUMENT (the kernel
   refuses its argument); an error of announce_drop() or of the sends. */
NODISCARD int announce_take(struct scatter *scatter,
                            struct circuit_delivery delivery);

/* Drops the announcement of a job of which no other message has come, perhaps
   because its order failed: waits until the announcement has been passed on,
   then moves the message in `delivery` to where the announcement lay.
   Precondition: a job is announced. Result: 0; ERR_KIND if the announced job
   has begun; an error of the sends. */
NODISCARD int announce_drop(struct scatter *scatter,
                            struct circuit_delivery *delivery);

/* ---- waiting for a message of a job ---- */

/* Serves a probe or takes an announcement. Result: 0 or the error; ERR_KIND for
   another kind of message. (`delivery` is passed by value, to stay in registers
   on the hot path.) */
NODISCARD int await_serve(struct scatter *scatter,
                          struct circuit_delivery delivery);

/* Waits for a message of `kind` on the port mask `ports`; calls await_serve()
   for others. Inline, as it is on the hot path. Result: 0 or the error. */
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
