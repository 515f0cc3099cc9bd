/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system calls of newlib. There are no allocations and no files; text goes
 * to boot_write(). Compiled without link-time optimization, since the linker
 * learns too late which of these functions the library calls.
 */
#include "boot/boot.h"

#include <errno.h>
#include <stddef.h>

int _write(int file, const char *text, int bytes);
void *_sbrk(ptrdiff_t bytes);
int _close(int file);
int _read(int file, char *text, int bytes);
_Noreturn void _exit(int status);

int _write(int file, const char *text, int bytes)
{
    (void)file;
    boot_write(text, (size_t)bytes);
    return bytes;
}

/* Fails always: there is no heap. */
void *_sbrk(ptrdiff_t bytes)
{
    (void)bytes;
    errno = ENOMEM;
    return (void *)-1;
}

int _close(int file)
{
    (void)file;
    return -1;
}

int _read(int file, char *text, int bytes)
{
    (void)file;
    (void)text;
    (void)bytes;
    return 0;
}

_Noreturn void _exit(int status)
{
    (void)status;
    boot_halt();
}
