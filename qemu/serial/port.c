/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/port.h"

#include "qemu/serial/model_port.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <libserialport.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

/* Major device numbers of Unix98 pseudo-terminals (Linux,
   Documentation/admin-guide/devices.txt). */
#define PTY_MAJOR_FIRST 136u
#define PTY_MAJOR_LAST 143u

struct console_port {
    int descriptor;
    bool is_socket;
    struct sp_port *sp; /* NULL: a port that libserialport has not opened */
    struct model_port model;
    /* model.clock of a simulated port, else this machine's clock */
    const struct host_clock *clock;
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
    port->model.descriptor = -1;
    port->clock = host_clock();
    memcpy(port->name, name, bytes);
    return port;
}

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

/* Opens a pseudo-terminal. TIOCEXCL is not set: it would stay after the last
   close while the other end is open. Returns 0 or an errno. */
static int open_pty(struct console_port *port)
{
    struct termios raw;

    port->descriptor =
        open(port->name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (port->descriptor < 0 ||
        flock(port->descriptor, LOCK_EX | LOCK_NB) != 0 ||
        tcgetattr(port->descriptor, &raw) != 0) {
        return errno;
    }
    cfmakeraw(&raw);
    cfsetspeed(&raw, B115200);
    if (tcsetattr(port->descriptor, TCSANOW, &raw) != 0) {
        return errno;
    }
    tcflush(port->descriptor, TCIFLUSH);
    return 0;
}

static int set_up(struct sp_port *port, uint32_t rate)
{
    if (sp_set_baudrate(port, (int)rate) != SP_OK ||
        sp_set_bits(port, 8) != SP_OK ||
        sp_set_parity(port, SP_PARITY_NONE) != SP_OK ||
        sp_set_stopbits(port, 1) != SP_OK ||
        sp_set_flowcontrol(port, SP_FLOWCONTROL_NONE) != SP_OK) {
        return SP_ERR_FAIL;
    }
    return sp_flush(port, SP_BUF_INPUT);
}

static int errno_of(enum sp_return result)
{
    switch (result) {
    case SP_OK:
        return 0;
    case SP_ERR_MEM:
        return ENOMEM;
    case SP_ERR_SUPP:
        return EOPNOTSUPP;
    default:
        return errno != 0 ? errno : EINVAL;
    }
}

/* Finds a port for libserialport by the real path of its device. Debian's
   version accepts no symbolic links, such as those in /dev/serial/by-id. */
static enum sp_return find_port(struct console_port *port)
{
    char *path = realpath(port->name, NULL);
    enum sp_return result =
        path != NULL ? sp_get_port_by_name(path, &port->sp) : SP_ERR_FAIL;

    free(path);
    return result;
}

static int open_port(struct console_port *port, uint32_t rate)
{
    enum sp_return result;

    errno = 0;
    if (find_port(port) != SP_OK) {
        return errno == ENOMEM ? ENOMEM : ENOTTY;
    }
    result = sp_open(port->sp, SP_MODE_READ_WRITE);
    if (result != SP_OK) {
        int error = errno_of(result);

        sp_free_port(port->sp);
        port->sp = NULL;
        return error;
    }
    if (sp_get_port_handle(port->sp, &port->descriptor) != SP_OK) {
        return errno_of(SP_ERR_FAIL);
    }
    if (flock(port->descriptor, LOCK_EX | LOCK_NB) != 0 ||
        ioctl(port->descriptor, TIOCEXCL) != 0) {
        return errno;
    }
    if (set_up(port->sp, rate) != SP_OK) {
        return errno_of(SP_ERR_FAIL);
    }
    fcntl(port->descriptor, F_SETFL, O_RDWR | O_NONBLOCK);
    fcntl(port->descriptor, F_SETFD, FD_CLOEXEC);
    return 0;
}

static int open_any(struct console_port *port, uint32_t rate)
{
    struct stat status;
    unsigned kind;

    if (stat(port->name, &status) != 0) {
        return errno;
    }
    if (S_ISSOCK(status.st_mode)) {
        port->clock = &port->model.clock;
        return model_port_open(&port->model, port->name);
    }
    if (!S_ISCHR(status.st_mode)) {
        return ENOTTY;
    }
    kind = major(status.st_rdev);
    return kind >= PTY_MAJOR_FIRST && kind <= PTY_MAJOR_LAST
               ? open_pty(port)
               : open_port(port, rate);
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
    if (port == NULL) {
        return;
    }
    if (is_model(port)) {
        close(port->model.descriptor);
    } else if (port->sp != NULL) {
        sp_close(port->sp);
        sp_free_port(port->sp);
    } else if (port->descriptor >= 0) {
        close(port->descriptor);
    }
    free(port);
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

/* Waits until a deadline for one of poll()'s `events`. Returns the events that
   have come; POLLERR if poll() failed; 0 at the deadline. */
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

/* If a terminal is ready without having bytes, its other end was closed: the
   port is gone. */
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
