/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What newlib asks of the system. Nothing here allocates or opens files; text
 * goes where the board puts it. The library's calls come after the compiler
 * has seen the whole program: it must not leave anything out.
 */
#include "boot/boot.h"

#include <errno.h>
#include <stddef.h>

int _write(int file, const char *text, int bytes);
void *_sbrk(ptrdiff_t bytes);
int _close(int file);
int _read(int file, char *text, int bytes);
_Noreturn void _exit(int status);

__attribute__((used)) int _write(int file, const char *text, int bytes)
{
    (void)file;
    boot_write(text, (size_t)bytes);
    return bytes;
}

/* No heap: an allocation is a mistake that shows at once. */
__attribute__((used)) void *_sbrk(ptrdiff_t bytes)
{
    (void)bytes;
    errno = ENOMEM;
    return (void *)-1;
}

__attribute__((used)) int _close(int file)
{
    (void)file;
    return -1;
}

__attribute__((used)) int _read(int file, char *text, int bytes)
{
    (void)file;
    (void)text;
    (void)bytes;
    return 0;
}

__attribute__((used)) _Noreturn void _exit(int status)
{
    (void)status;
    boot_halt();
}
