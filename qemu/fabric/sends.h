/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the send descriptors in nodes' windows, and makes messages for the
   fabric of them. */
#ifndef QEMU_FABRIC_SENDS_H
#define QEMU_FABRIC_SENDS_H

#include "hal/nodiscard.h"
#include "qemu/fabric/mesh_state.h"

/* Returns a message without pieces from a node or MESSAGE_FROM_HOST. The caller
   frees it. */
struct message *sends_message(const struct mesh *mesh, uint32_t node,
                              uint16_t job, uint8_t kind);

/* Passes all sends that a node has newly queued to the fabric. Returns false if
   a descriptor is invalid. */
NODISCARD bool sends_read(struct mesh *mesh, uint32_t node);

/* Forwards data of an incoming message to further nodes, if the receiving node
   has posted a rule for that. The node posts it before it rings for the
   message, so no send is earlier than the fabric's time. */
void sends_forward(struct mesh *mesh, const struct fabric_action *action,
                   const uint8_t *message);

#endif
