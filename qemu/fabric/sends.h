/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes send: reads the descriptors in their windows, and makes messages
   for the fabric of them. */
#ifndef QEMU_FABRIC_SENDS_H
#define QEMU_FABRIC_SENDS_H

#include "hal/nodiscard.h"
#include "qemu/fabric/mesh_state.h"

/* A message of a node, or of MESSAGE_FROM_HOST, without pieces: the caller's to
   free. */
struct message *sends_message(const struct mesh *mesh, uint32_t node,
                              uint16_t job, uint8_t kind);

/* Passes on what a node has queued since it was read last. Result: false if a
   descriptor makes no sense. */
NODISCARD bool sends_read(struct mesh *mesh, uint32_t node);

/*
 * Sends on what of a message goes on, if the node that takes it in has posted
 * that it may. The post is of before the ring with which the node asked for the
 * message, and all that has happened in the mesh since it was resumed is yet to
 * be processed: so the rows' requests, which come after the post, are never of
 * the past.
 */
void sends_forward(struct mesh *mesh, const struct fabric_action *action,
                   const uint8_t *message);

#endif
