/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A serial port of this machine: a real one by libserialport, a pseudo-terminal
 * by termios, or a simulated board by a socket (model_port.h). A port may also
 * be made of an open descriptor, such as one of a socket pair. Every wait ends,
 * by the port's clock.
 *
 * libserialport 0.1.1 cannot open pseudo-terminals: sp_get_port_by_name() needs
 * /sys/class/tty/NAME, which pts/N does not have (ENOENT). If the name is
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

/* Opens a port with 8N1, no flow control and `rate` bit/s, which a
   pseudo-terminal ignores. Drops bytes received before. While it is open, the
   port is locked by flock() and, except a pseudo-terminal, TIOCEXCL. Returns
   NULL with `why`, a sentence that names the port. */
struct console_port *console_port_open(char why[CONSOLE_PORT_WHY_BYTES],
                                       const char *path, uint32_t rate);

/* Makes a port of an open descriptor, which becomes non-blocking and is closed
   with the port. */
struct console_port *console_port_attach(int descriptor, const char *name);

void console_port_close(struct console_port *port);

const char *console_port_name(const struct console_port *port);

/* Returns the clock by which to wait for boards behind the port: a
   simulation's, or this machine's. */
const struct host_clock *console_port_clock(const struct console_port *port);

/* Waits for bytes at most wait_ms. Returns the number of bytes read; 0 if none
   came; -1 with errno if the port is gone (0: the other end closed it). */
NODISCARD int console_port_read(struct console_port *port, uint8_t *data,
                                unsigned bytes, unsigned wait_ms);

/* Writes bytes. Returns 0 if all are written, 1 if they are not within wait_ms,
   or -1 if the port is gone. */
NODISCARD int console_port_write(struct console_port *port, const uint8_t *data,
                                 unsigned bytes, unsigned wait_ms);

#endif
