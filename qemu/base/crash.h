/* SPDX-License-Identifier: Apache-2.0 */
/* Catches signals such as SIGSEGV. Prints which kernel crashed in this process,
   in which function or on which node. The signal then ends the process. Signals
   that a sanitizer or MPI handles are left to it. */
#ifndef QEMU_BASE_CRASH_H
#define QEMU_BASE_CRASH_H

#include <stddef.h>
#include <stdint.h>

/* A node whose kernel runs in this process. `guard` is the inaccessible memory
   below the node's stack. */
struct crash_node {
    uint16_t x;
    uint16_t y;
    const void *guard;
    size_t guard_bytes;
};

/* Installs the crash handler. Messages name `kernel`, which must stay valid. */
void crash_begin(const char *kernel);

/* Tells the crash handler what this thread runs until crash_out(): a kernel's
   function ("begin"), or the kernel on a node, whose struct must stay valid. */
void crash_in(const char *function);
void crash_on(const struct crash_node *node);
void crash_out(void);

#endif
