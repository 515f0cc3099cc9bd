/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A serial port of this machine: a real one by libserialport; a pseudo-terminal
 * (QEMU's, a test's) by termios; the socket of a modelled board (model_port.h);
 * or a descriptor that is open already (one end of a socket pair). Every wait
 * ends, by the port's clock.
 *
 * Why pseudo-terminals are on their own: libserialport 0.1.1 opens none. Its
 * sp_get_port_by_name() wants /sys/class/tty/NAME, which there is none of for
 * pts/N (ENOENT); and with a name put in by force its sp_open() fails too,
 * since TIOCMGET is ENOTTY there.
 */
#ifndef QEMU_SERIAL_PORT_H
#define QEMU_SERIAL_PORT_H

#include "hal/nodiscard.h"

#include "qemu/base/host_clock.h"

#include <stdint.h>

#define CONSOLE_PORT_RATE 115200u
#define CONSOLE_PORT_WHY_BYTES 320u

struct console_port;

/*
 * Opens a port: 8N1, no flow control, so many bits a second (a pseudo-terminal
 * has no rate). Bytes that it had received before are dropped. While it is
 * open, no other program that respects flock() or TIOCEXCL (the latter not on a
 * pseudo-terminal) can open it or change its settings. Result: NULL with `why`,
 * a sentence that names the port.
 */
struct console_port *console_port_open(char why[CONSOLE_PORT_WHY_BYTES],
                                       const char *path, uint32_t rate);

/* Takes over a descriptor, which becomes non-blocking. */
struct console_port *console_port_attach(int descriptor, const char *name);

/* NULL is fine. */
void console_port_close(struct console_port *port);

const char *console_port_name(const struct console_port *port);

/* The clock of whatever is behind the port: a model's, or this machine's.
   Whoever waits for boards waits by it. */
const struct host_clock *console_port_clock(const struct console_port *port);

/* Waits for the first bytes. Result: how many came, at most `bytes`; 0: none in
   time; -1: the port has gone, errno tells why (0: the other end closed it). */
NODISCARD int console_port_read(struct console_port *port, uint8_t *data,
                                unsigned bytes, unsigned wait_ms);

/* Result: 0: all is written; 1: not in time; -1: the port has gone. */
NODISCARD int console_port_write(struct console_port *port, const uint8_t *data,
                                 unsigned bytes, unsigned wait_ms);

#endif
