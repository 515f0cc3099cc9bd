/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system call that the C library's exit() makes. Compiled without link-time
 * optimization, since the linker learns too late that exit() calls it. Other
 * system calls do not exist: printf() and malloc() cannot be linked.
 */
#include "boot/boot.h"

_Noreturn void _exit(int status);

_Noreturn void _exit(int status)
{
    (void)status;
    boot_halt();
}
