/* SPDX-License-Identifier: Apache-2.0 */
/* Catches signals of a crash, such as SIGSEGV. Prints which kernel crashed in
   this process, and in which function or on which node; the signal then ends
   the process. Signals that a sanitizer or MPI handles are left to it. */
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

/* Installs the signal handlers. Messages name `kernel`, whose string must stay
   valid. */
void crash_begin(const char *kernel);

/* Between crash_in() or crash_on() and crash_out() this thread runs a kernel:
   its function of this name, such as "begin", or the kernel of a node, whose
   struct must stay valid. A crash's message says so. */
void crash_in(const char *function);
void crash_on(const struct crash_node *node);
void crash_out(void);

#endif
