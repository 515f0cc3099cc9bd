/* SPDX-License-Identifier: Apache-2.0 */
/* A message at its source. */
#ifndef HAL_SWITCH_SOURCE_H
#define HAL_SWITCH_SOURCE_H

#include "hal/switch/relay.h"

/* See switch_send(). */
void switch_source_queue(struct switch_core *core,
                         struct switch_message *message);

/* Ends all messages of the port with ERR_PORT_BUSY. */
void switch_source_abandon(struct switch_core *core, unsigned port);

/* Sets a circuit up for the port's first message, if it is time for that. */
void switch_source_start(struct switch_core *core, unsigned port);

/* ACK, AGAIN or DONE came in at a source. */
void switch_source_answer(struct switch_core *core, unsigned port,
                          unsigned bytes);

/* Makes frames of the message as far as ring and window go. */
void switch_source_fill(struct switch_core *core, unsigned port);

/* The circuit of a message that is not done is gone. */
void switch_source_lost(struct switch_core *core, unsigned port,
                        unsigned reason);

/* Looks at the source's time limits. */
void switch_source_tick(struct switch_core *core, unsigned port);

/* A frame was damaged, and mended or not: this node's messages go out of the
   port in frames with parity. */
void switch_source_turn_bad(struct switch_port *at);

#endif
