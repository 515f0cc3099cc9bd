/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console of a simulated board (test/boards/chip), over a socket. Its
 * packets also carry the boards' time, which advances only while the host
 * waits. So a run has the same result each time, however busy the machine is.
 *
 *   to the simulation   until, ns (8 bytes) | most (2) | bytes for the board
 *   to the host         now, ns (8 bytes)   | bytes of the board
 *
 * The simulation answers each packet with one packet. Numbers are
 * little-endian. The boards run until time `until`. If most > 0, they stop
 * earlier, once the board has sent bytes; the answer then has at most `most` of
 * them.
 */
#ifndef QEMU_SERIAL_MODEL_PORT_H
#define QEMU_SERIAL_MODEL_PORT_H

#include "hal/nodiscard.h"
#include "qemu/base/host_clock.h"

#include <stdint.h>

#define MODEL_PORT_TYPED 1024u /* most bytes for the board in a packet */
#define MODEL_PORT_HEARD 4096u /* most bytes of the board in a packet */

struct model_port {
    int descriptor;
    struct host_clock clock;
};

/* Connects to the simulation's socket at `path` and drops bytes that came
   before. Returns 0 or an errno. *port must not be moved afterwards. */
NODISCARD int model_port_open(struct model_port *port, const char *path);

/* Read and write as console_port_read() and console_port_write() do. The
   simulation accepts all bytes at once, so writing has no deadline. */
NODISCARD int model_port_read(struct model_port *port, uint8_t *data,
                              unsigned bytes, uint64_t until_ns);
NODISCARD int model_port_write(struct model_port *port, const uint8_t *data,
                               unsigned bytes);

#endif
