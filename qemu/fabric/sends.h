/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the sends that nodes have queued in their windows, and makes messages
   of them for the fabric. */
#ifndef QEMU_FABRIC_SENDS_H
#define QEMU_FABRIC_SENDS_H

#include "hal/nodiscard.h"
#include "qemu/fabric/mesh_state.h"

/* Returns a message without pieces from a node, or from MESSAGE_FROM_HOST. The
   caller frees it. */
struct message *sends_message(const struct mesh *mesh, uint32_t node,
                              uint16_t job, uint8_t kind);

/* Gives all sends that a node has queued since the last call to the fabric.
   Returns false if the node has described one wrongly. */
NODISCARD bool sends_read(struct mesh *mesh, uint32_t node);

/* Keeps the message of a send that FABRIC_FAILED reports as a failure of its
   node, and frees it. */
void sends_fail(struct mesh *mesh, const struct fabric_action *action);

/* Tells a node that is about to be answered of the failures that it may know
   of. */
void sends_tell(struct mesh *mesh, const struct fabric_action *action);

/* Passes parts of an incoming message on to further nodes, if the receiving
   node has posted a rule for that. A node posts rules before it rings for the
   message, so no send is earlier than the fabric's time. */
void sends_forward(struct mesh *mesh, const struct fabric_action *action,
                   const uint8_t *message);

#endif
