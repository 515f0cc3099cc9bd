/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into the command: with each look at the clock $LOOK_S more seconds
 * have passed. Calls that change a file (bytes of a temporary one, bytes at an
 * offset, sync, rename, remove) are counted. At number $DIE_AT the command gets
 * the signal $DIE_BY: in the midst of a write, behind a rename, before any
 * other. From number $FULL_AT on, until $FULL_END, there is no space.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;
static atomic_long looks;

static void die(void)
{
    syscall(SYS_kill, getpid(), atoi(getenv("DIE_BY")));
}

static long number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL ? atol(text) : 0;
}

/* Counts a call. Returns whether it must fail; *dies: it must kill. */
static bool fails(bool *dies)
{
    long number = ++calls;
    bool full =
        number >= number_of("FULL_AT") && number < number_of("FULL_END");

    *dies = number == number_of("DIE_AT");
    if (full) {
        errno = ENOSPC;
    }
    return full;
}

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
    bool dies = false;

    if (is_temporary(descriptor) && fails(&dies)) {
        return -1;
    }
    if (dies) {
        syscall(SYS_write, descriptor, data, bytes / 2);
        die();
    }
    return syscall(SYS_write, descriptor, data, bytes);
}

ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t at)
{
    bool dies;

    if (fails(&dies)) {
        return -1;
    }
    if (dies) {
        syscall(SYS_pwrite64, descriptor, data, bytes / 2, at);
        die();
    }
    return syscall(SYS_pwrite64, descriptor, data, bytes, at);
}

static int done(long call, long one, long other, bool after)
{
    bool dies;
    int result;

    if (fails(&dies) && call != SYS_unlink) {
        return -1;
    }
    if (dies && !after) {
        die();
    }
    result = (int)syscall(call, one, other);
    if (dies && after) {
        die();
    }
    return result;
}

int fsync(int descriptor)
{
    return done(SYS_fsync, descriptor, 0, false);
}

int fdatasync(int descriptor)
{
    return done(SYS_fdatasync, descriptor, 0, false);
}

int rename(const char *from, const char *to)
{
    return done(SYS_rename, (long)from, (long)to, true);
}

int unlink(const char *path)
{
    return done(SYS_unlink, (long)path, 0, false);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){.tv_sec = 1 + looks++ * number_of("LOOK_S")};
    return 0;
}
