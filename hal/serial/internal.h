/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of ports.c that only serial_circuit.c uses. */
#ifndef HAL_SERIAL_INTERNAL_H
#define HAL_SERIAL_INTERNAL_H

#include "hal/serial/board.h"
#include "hal/serial/state.h"

/* Gives sends to the switch, serves the console, sleeps until an interrupt.
   Result: 0; an error ends the caller's wait. */
NODISCARD int serial_wait_a_little(struct circuit *circuit);

/* Queues a message at one port, with `job` in its header. `row`: bytes to send
   in place of message->head, CIRCUIT_ROW_BYTES; NULL: none. */
NODISCARD int serial_send_on_port(struct circuit *circuit, unsigned port,
                                  const struct circuit_message *message,
                                  const uint8_t *row, uint16_t job);

/* Receives as circuit_receive_until() does, but not on the host's port.
   Precondition: serial_is_buffer(). */
NODISCARD int serial_receive_until(struct circuit *circuit,
                                   struct circuit_delivery *delivery,
                                   unsigned ports, uint8_t *buffer,
                                   uint32_t capacity_bytes,
                                   uint64_t deadline_ps);

/* Whether a message may be received into this buffer. */
bool serial_is_buffer(const struct circuit *circuit, const uint8_t *buffer,
                      uint32_t capacity_bytes);

/* Whether a received message is to set the node's clock: the first message of
   each job, and after each discovery. Records that the clock was set. */
bool serial_sets_clock(struct serial_circuit *serial,
                       const struct circuit_delivery *delivery);

/* Takes back all receives that have not ended. */
void serial_take_back(struct serial_circuit *serial);

#endif
