/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The announcement of a job: kernel and argument go out as soon as the order is
 * read. Every node passes them on and calls the kernel's begin() while the
 * originator still measures and plans; no part carries them again.
 */
#ifndef SCATTER_ENGINE_ANNOUNCE_H
#define SCATTER_ENGINE_ANNOUNCE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/originator.h"

/*
 * The originator's announcement of scatter->announced; the argument is sent
 * from where it lies in the order. Result: 0; ERR_MEMORY; ERR_PLAN (the order's
 * tree is none); an error of the sends.
 */
NODISCARD int announce_job(struct scatter *scatter,
                           struct originator *originator);

/*
 * Takes an announcement, which lies at free_from, moves free_from behind it,
 * passes it on and begins the kernel. An earlier one is dropped, if nothing
 * else of its job came. Result: 0; ERR_LENGTH, ERR_FIELD, ERR_PLAN, ERR_PLACE
 * (meant for another node); ERR_IMAGE (no kernel of that index); ERR_ARGUMENT;
 * an error of the sends.
 */
NODISCARD int announce_take(struct scatter *scatter,
                            struct circuit_delivery delivery);

/* Forgets the announcement of a job of which nothing followed, such as one
   whose order failed, when it has been passed on; the message in `delivery`
   moves to its place. Precondition: there is one. Result: 0; ERR_KIND in the
   middle of its job; an error of the sends. */
NODISCARD int announce_drop(struct scatter *scatter,
                            struct circuit_delivery *delivery);

/* ---- waiting for a message of a job ---- */

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
