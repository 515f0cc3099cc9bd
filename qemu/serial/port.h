/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A serial port of this machine. A real port uses libserialport. A
 * pseudo-terminal uses termios. A simulated board uses a socket (model_port.h).
 * An open descriptor, such as one end of a socket pair, also works. Every wait
 * ends, by the port's clock.
 *
 * libserialport 0.1.1 cannot open pseudo-terminals: sp_get_port_by_name() needs
 * /sys/class/tty/NAME, which is missing for pts/N (ENOENT). If the name is
 * forced, sp_open() fails, because TIOCMGET returns ENOTTY.
 */
#ifndef QEMU_SERIAL_PORT_H
#define QEMU_SERIAL_PORT_H

#include "hal/nodiscard.h"

#include "qemu/base/host_clock.h"

#include <stdint.h>

#define CONSOLE_PORT_RATE 115200u
#define CONSOLE_PORT_WHY_BYTES 320u

struct console_port;

/* Opens a port with 8N1, no flow control and `rate` bit/s (ignored by a
   pseudo-terminal). Drops bytes received before. Locks the port with flock()
   and TIOCEXCL (pseudo-terminal: flock() only) while it is open. Returns NULL
   with `why`, a sentence that names the port. */
struct console_port *console_port_open(char why[CONSOLE_PORT_WHY_BYTES],
                                       const char *path, uint32_t rate);

/* Takes over an open descriptor and makes it non-blocking. */
struct console_port *console_port_attach(int descriptor, const char *name);

/* `port` may be NULL. */
void console_port_close(struct console_port *port);

const char *console_port_name(const struct console_port *port);

/* Returns the clock by which to wait for the boards behind the port: a
   simulation's clock or this machine's. */
const struct host_clock *console_port_clock(const struct console_port *port);

/* Waits for the first bytes. Returns the number of bytes read; 0: timeout; -1:
   the port is gone, with errno (0: the other end closed it). */
NODISCARD int console_port_read(struct console_port *port, uint8_t *data,
                                unsigned bytes, unsigned wait_ms);

/* Returns 0: all written; 1: timeout; -1: the port is gone. */
NODISCARD int console_port_write(struct console_port *port, const uint8_t *data,
                                 unsigned bytes, unsigned wait_ms);

#endif
