/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into the command: stops it when half of a temporary file's first
 * bytes are written, until somebody has opened the FIFO $STOP_AT and closed it.
 * Without that variable, no file can be synced.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_temporary(int descriptor)
{
    char link[64];
    char path[4096];
    ssize_t bytes;

    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    bytes = readlink(link, path, sizeof path);
    return bytes > 4 && memcmp(path + bytes - 4, ".tmp", 4) == 0;
}

ssize_t write(int descriptor, const void *data, size_t bytes)
{
    static bool stopped;

    if (getenv("STOP_AT") != NULL && !stopped && bytes > 1 &&
        is_temporary(descriptor)) {
        char none;
        int fifo;

        stopped = true;
        bytes /= 2;
        syscall(SYS_write, descriptor, data, bytes);
        fifo = open(getenv("STOP_AT"), O_RDONLY);
        (void)!read(fifo, &none, 1);
        close(fifo);
        return (ssize_t)bytes;
    }
    return syscall(SYS_write, descriptor, data, bytes);
}

int fsync(int descriptor)
{
    if (getenv("STOP_AT") == NULL) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, descriptor);
}
