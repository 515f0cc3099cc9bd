/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a real stm32flash: a serial port whose other end is a program,
 * in time of its own. Where PATH.port is a socket, PATH is such a port: what is
 * written goes there behind `w` and a length; `r` and a length ask for what
 * there is, which comes behind its length; `f` drops it. With nothing there a
 * read ends as after the half second that stm32flash waits, for which nobody
 * waits.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define SILENCE_US 500000u

static int port = -1; /* the socket; stm32flash has one */
static struct termios settings;
static uint64_t time_us;

int open(const char *path, int flags, ...)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    va_list more;
    mode_t mode;

    va_start(more, flags);
    mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    snprintf(at.sun_path, sizeof at.sun_path, "%s.port", path);
    if (access(at.sun_path, F_OK) != 0) {
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    }
    port = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(port, (struct sockaddr *)&at, sizeof at) != 0) {
        return -1;
    }
    return port;
}

static int send_head(char what, uint32_t bytes)
{
    uint8_t head[5] = {(uint8_t)what};

    memcpy(head + 1, &bytes, sizeof bytes);
    return syscall(SYS_write, port, head, sizeof head) == sizeof head ? 0 : -1;
}

/* That many bytes. Result: whether they came. */
static int take(void *data, uint32_t bytes)
{
    for (uint32_t done = 0; done < bytes;) {
        long count =
            syscall(SYS_read, port, (uint8_t *)data + done, bytes - done);

        if (count <= 0) {
            return -1;
        }
        done += (uint32_t)count;
    }
    return 0;
}

ssize_t write(int descriptor, const void *data, size_t bytes)
{
    if (descriptor == port && send_head('w', (uint32_t)bytes) != 0) {
        return -1;
    }
    return syscall(SYS_write, descriptor, data, bytes);
}

ssize_t read(int descriptor, void *data, size_t bytes)
{
    uint32_t count;

    if (descriptor != port) {
        return syscall(SYS_read, descriptor, data, bytes);
    }
    if (send_head('r', (uint32_t)bytes) != 0 ||
        take(&count, sizeof count) != 0 || take(data, count) != 0) {
        return -1;
    }
    time_us += count == 0 ? SILENCE_US : 0;
    return (ssize_t)count;
}

/* ---- what else there is to a terminal, and time ---- */

int tcgetattr(int descriptor, struct termios *out)
{
    (void)descriptor;
    *out = settings;
    return 0;
}

int tcsetattr(int descriptor, int when, const struct termios *wanted)
{
    (void)descriptor;
    (void)when;
    settings = *wanted;
    return 0;
}

int isatty(int descriptor)
{
    return descriptor == port;
}

int tcflush(int descriptor, int which)
{
    (void)descriptor;
    (void)which;
    return send_head('f', 0);
}

int ioctl(int descriptor, unsigned long request, ...)
{
    (void)descriptor;
    (void)request;
    return 0;
}

int lockf(int descriptor, int command, off_t bytes)
{
    (void)descriptor;
    (void)command;
    (void)bytes;
    return 0;
}

time_t time(time_t *out)
{
    time_t now = (time_t)(time_us / 1000000);

    if (out != NULL) {
        *out = now;
    }
    return now;
}

int usleep(useconds_t us)
{
    time_us += us;
    return 0;
}
