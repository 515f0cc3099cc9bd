/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console of a modelled board (test/boards/chip), by a socket on which the
 * boards' time is asked for, too: it goes on only while the host waits for
 * them, so a run does the same each time, whatever else the machine does.
 *
 *   to the model    until, ns (8 bytes) | most (2) | bytes for the board ...
 *   to the host     now, ns (8 bytes)   | bytes of the board ...
 *
 * One packet for each of the host's, numbers little-endian. The boards live on
 * until the time is `until`; if most > 0, at most so long: until the board has
 * said something, which is in the answer, at most so many bytes of it.
 */
#ifndef QEMU_SERIAL_MODEL_PORT_H
#define QEMU_SERIAL_MODEL_PORT_H

#include "hal/nodiscard.h"
#include "qemu/base/host_clock.h"

#include <stdint.h>

#define MODEL_PORT_TYPED 1024u /* bytes of a packet for the board, at most */
#define MODEL_PORT_HEARD 4096u /* and of one for the host */

struct model_port {
    int descriptor;
    struct host_clock clock; /* the boards' */
};

/* Connects with the socket of that name. Bytes that came before are dropped.
   Result: 0 or an errno. The structure must stay where it is. */
NODISCARD int model_port_open(struct model_port *port, const char *path);

/* The same as console_port_read() and console_port_write() of a model's port.
   The model takes all bytes at once, so that writing has no deadline. */
NODISCARD int model_port_read(struct model_port *port, uint8_t *data,
                              unsigned bytes, uint64_t until_ns);
NODISCARD int model_port_write(struct model_port *port, const uint8_t *data,
                               unsigned bytes);

#endif
