/* SPDX-License-Identifier: Apache-2.0 */
/* The host's port of a serial circuit: the console, and errands
   (hal/serial/errand.h). */
#ifndef HAL_SERIAL_HOST_PORT_H
#define HAL_SERIAL_HOST_PORT_H

#include "hal/serial/state.h"

/* circuit_receive() on the host's port, into a buffer that is one: errands that
   come before the order are carried out. */
NODISCARD int serial_receive_from_host(struct circuit *circuit,
                                       struct circuit_delivery *delivery,
                                       uint8_t *buffer,
                                       uint32_t capacity_bytes);

/* circuit_send() to the host, by the way that its order came. */
NODISCARD int serial_send_to_host(struct circuit *circuit,
                                  const struct circuit_message *message);

#endif
