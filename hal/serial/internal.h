/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the files of serial circuits share, and no others use. Each
 * file calls only those above it:
 *
 *   ports.c           messages over the four ports to other nodes
 *   host_port.c       the console, and errands (hal/serial/errand.h)
 *   serial_circuit.c  opened, closed, and which way a message goes
 */
#ifndef HAL_SERIAL_INTERNAL_H
#define HAL_SERIAL_INTERNAL_H

#include "hal/serial/board.h"
#include "hal/serial/state.h"

/* ---- ports.c ---- */

/* One turn of every wait. Result: 0: wait on; an error ends the wait. */
NODISCARD int serial_wait_a_little(struct circuit *circuit);

/* Queues a message of a job at a port, as circuit_send() does. `row`: the first
   CIRCUIT_ROW_BYTES of a row's message, or NULL. */
NODISCARD int serial_send_on_port(struct circuit *circuit, unsigned port,
                                  const struct circuit_message *message,
                                  const uint8_t *row, uint16_t job);

/* Receives on ports of the mesh, as circuit_receive_until() does, into a buffer
   for which serial_is_buffer() holds. */
NODISCARD int serial_receive_until(struct circuit *circuit,
                                   struct circuit_delivery *delivery,
                                   unsigned ports, uint8_t *buffer,
                                   uint32_t capacity_bytes,
                                   uint64_t deadline_ps);

/* Whether a message may be received into this buffer. */
bool serial_is_buffer(const struct circuit *circuit, const uint8_t *buffer,
                      uint32_t capacity_bytes);

/* Whether a message sets the clock, and notes that it did: crystals differ, so
   the first message of each job does, and the first of any after the mesh was
   told anew. */
bool serial_sets_clock(struct serial_circuit *serial,
                       const struct circuit_delivery *delivery);

/* Takes all receives back that have not ended. */
void serial_take_back(struct serial_circuit *serial);

/* ---- host_port.c ---- */

/* Receives on the host's port, as circuit_receive() does, into a buffer for
   which serial_is_buffer() holds; carries out errands that come before the
   order. */
NODISCARD int serial_receive_from_host(struct circuit *circuit,
                                       struct circuit_delivery *delivery,
                                       uint8_t *buffer,
                                       uint32_t capacity_bytes);

/* Sends to the host, as circuit_send() does, the way that its order came. */
NODISCARD int serial_send_to_host(struct circuit *circuit,
                                  const struct circuit_message *message);

#endif
