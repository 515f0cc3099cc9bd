/* SPDX-License-Identifier: Apache-2.0 */
/* A message at its destination. */
#ifndef HAL_SWITCH_DESTINATION_H
#define HAL_SWITCH_DESTINATION_H

#include "hal/switch/relay.h"

/* A set-up ends here. */
void switch_destination_arrive(struct switch_core *core, unsigned port,
                               const uint8_t *setup);

/* DATA of so many bytes came in at a destination. */
void switch_destination_data(struct switch_core *core, unsigned port,
                             unsigned bytes);

/* A frame came in that nobody could read; a destination asks for its bytes
   again. */
void switch_destination_again(struct switch_core *core, unsigned port);

/* The same, and it is counted as damaged. */
void switch_destination_damaged(struct switch_core *core, unsigned port);

/* The circuit of a destination is gone. */
void switch_destination_lost(struct switch_core *core, unsigned port);

#endif
