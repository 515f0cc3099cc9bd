/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/port.h"

#include "qemu/serial/model_port.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Linux, Documentation/admin-guide/devices.txt: Unix98 pseudo-terminals. */
#define PTY_MAJOR_FIRST 136u
#define PTY_MAJOR_LAST 143u

struct console_port {
    int descriptor;
    bool is_socket;
    struct model_port model;
    const struct host_clock *clock; /* the model's: it is a model's console */
    char name[];
};

static bool is_model(const struct console_port *port)
{
    return port->clock == &port->model.clock;
}

/* ---- opening ---- */

static struct console_port *port_new(const char *name)
{
    size_t bytes = strlen(name) + 1;
    struct console_port *port = memory_or_exit(calloc(1, sizeof *port + bytes));

    port->descriptor = -1;
    port->clock = host_clock();
    memcpy(port->name, name, bytes);
    return port;
}

/* The meaning of an error of open() for a serial port. */
static const char *meaning(int error)
{
    switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
        return "there is no such port";
    case EBUSY:
    case EWOULDBLOCK:
        return "the port is busy: another program has it";
    case EACCES:
    case EPERM:
        return "no permission (is this user in the group dialout?)";
    case ENOTTY:
        return "that is no serial port";
    default:
        return strerror(error);
    }
}

/* Makes a terminal raw: 8N1, no flow control, any rate (termios.h has only some
   of them). What else it is set to, such as HUPCL, stays. */
static int set_up(int terminal, uint32_t rate)
{
    struct termios2 raw;

    if (ioctl(terminal, TCGETS2, &raw) != 0) {
        return -1;
    }
    raw.c_iflag = raw.c_oflag = raw.c_lflag = 0;
    raw.c_cflag = (raw.c_cflag & HUPCL) | BOTHER | CS8 | CREAD | CLOCAL;
    raw.c_ispeed = raw.c_ospeed = rate;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return ioctl(terminal, TCSETS2, &raw) == 0
               ? ioctl(terminal, TCFLSH, TCIFLUSH)
               : -1;
}

/* Only a real port is made exclusive: a pseudo-terminal stays so after its last
   close, as long as its other end is open. Result: 0 or an errno. */
static int open_terminal(struct console_port *port, bool is_pty, uint32_t rate)
{
    int fd = open(port->name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

    port->descriptor = fd;
    return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
                   (is_pty || ioctl(fd, TIOCEXCL) == 0) && set_up(fd, rate) == 0
               ? 0
               : errno;
}

/* Result: 0 or an errno. */
static int open_any(struct console_port *port, uint32_t rate)
{
    struct stat status;
    unsigned kind;
    int error;

    if (stat(port->name, &status) != 0) {
        return errno;
    }
    if (S_ISSOCK(status.st_mode)) {
        port->clock = &port->model.clock;
        error = model_port_open(&port->model, port->name);
        port->descriptor = port->model.descriptor;
        return error;
    }
    if (!S_ISCHR(status.st_mode)) {
        return ENOTTY;
    }
    kind = major(status.st_rdev);
    return open_terminal(
        port, kind >= PTY_MAJOR_FIRST && kind <= PTY_MAJOR_LAST, rate);
}

struct console_port *console_port_open(char why[CONSOLE_PORT_WHY_BYTES],
                                       const char *path, uint32_t rate)
{
    struct console_port *port = port_new(path);
    int error = open_any(port, rate);

    if (error != 0) {
        snprintf(why, CONSOLE_PORT_WHY_BYTES, "%.200s: %s", quote_shown(path),
                 meaning(error));
        console_port_close(port);
        return NULL;
    }
    return port;
}

struct console_port *console_port_attach(int descriptor, const char *name)
{
    struct console_port *port = port_new(name);
    struct stat status;

    port->descriptor = descriptor;
    port->is_socket =
        fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    return port;
}

void console_port_close(struct console_port *port)
{
    if (port != NULL) {
        if (port->descriptor >= 0) {
            close(port->descriptor);
        }
        free(port);
    }
}

const char *console_port_name(const struct console_port *port)
{
    return port->name;
}

const struct host_clock *console_port_clock(const struct console_port *port)
{
    return port->clock;
}

/* ---- bytes ---- */

static uint64_t deadline_ns(const struct console_port *port, unsigned wait_ms)
{
    return host_clock_ns(port->clock) + wait_ms * HOST_CLOCK_MS_NS;
}

/* Waits for one of the events until the deadline. Result: those that poll()
   reports, POLLERR if it fails; 0: none in time. */
static int wait_for(const struct console_port *port, short events,
                    uint64_t until_ns)
{
    const struct host_clock *clock = port->clock;
    struct pollfd asked = {port->descriptor, events, 0};
    int count = 0;

    if (host_clock_ns(clock) <= until_ns) {
        count = clock->wait(clock->context, &asked, 1, until_ns);
    }
    return count < 0 ? POLLERR : count > 0 ? asked.revents : 0;
}

static bool again(int error)
{
    return error == EAGAIN || error == EINTR;
}

/* A terminal that is ready may give no bytes; once its other end is closed,
   that means that the port has gone. */
int console_port_read(struct console_port *port, uint8_t *data, unsigned bytes,
                      unsigned wait_ms)
{
    uint64_t until_ns = deadline_ns(port, wait_ms);
    int ready;

    if (is_model(port)) {
        return model_port_read(&port->model, data, bytes, until_ns);
    }
    while ((ready = wait_for(port, POLLIN, until_ns)) != 0) {
        ssize_t count = read(port->descriptor, data, bytes);

        if (count > 0) {
            return (int)count;
        }
        if (count == 0 && (port->is_socket || (ready & POLLHUP) != 0)) {
            errno = 0;
            return -1;
        }
        if (count < 0 && !again(errno)) {
            return -1;
        }
    }
    return 0;
}

int console_port_write(struct console_port *port, const uint8_t *data,
                       unsigned bytes, unsigned wait_ms)
{
    uint64_t until_ns = deadline_ns(port, wait_ms);
    unsigned done = 0;

    if (is_model(port)) {
        return model_port_write(&port->model, data, bytes);
    }
    while (done < bytes) {
        ssize_t count;

        if (wait_for(port, POLLOUT, until_ns) == 0) {
            return 1;
        }
        count = port->is_socket
                    ? send(port->descriptor, data + done, bytes - done,
                           MSG_NOSIGNAL)
                    : write(port->descriptor, data + done, bytes - done);
        if (count < 0 && !again(errno)) {
            return -1;
        }
        done += count > 0 ? (unsigned)count : 0u;
    }
    return 0;
}
