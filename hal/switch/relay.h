/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits hold and free the ports of a node, and go on from it, hop by hop. */
#ifndef HAL_SWITCH_RELAY_H
#define HAL_SWITCH_RELAY_H

#include "hal/switch/ring.h"

/* Whether this set-up came in at the port before. With parity a set-up goes out
   twice: whatever became of the first, the second says nothing new, and would
   be a ghost if the first was refused. */
bool switch_relay_is_repeated(struct switch_port *in, const uint8_t *setup);

/*
 * Sends a set-up, whose check is right and which came in at a free port, on
 * along its path, or refuses it; of one without a path only a count is left.
 * False: it ends at this node, and nothing was done.
 */
bool switch_relay_setup(struct switch_core *core, unsigned port);

/* Frees the circuit that holds a port, of a relay its other port too; nobody is
   told. Result: the part that this node had in it. */
enum switch_role switch_relay_free(struct switch_core *core, unsigned port);

/* Sends a release; the port's tag says of what. */
void switch_relay_release(struct switch_core *core, unsigned port,
                          unsigned reason);

/* Answers a set-up that came in at this port, which is free. */
void switch_relay_refuse(struct switch_core *core, unsigned port,
                         const uint8_t *setup, unsigned reason);

/* Marks a port as held. */
void switch_relay_hold(struct switch_core *core, unsigned port,
                       enum switch_role role, const uint8_t *setup);

/* Where the check of DATA of the circuit that holds a port begins; `first` is
   its first byte, `offset` that of its data in the message. */
uint32_t switch_relay_data_crc(const struct switch_port *at, uint8_t first,
                               uint32_t offset);

#endif
