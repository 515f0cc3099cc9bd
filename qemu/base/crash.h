/* SPDX-License-Identifier: Apache-2.0 */
/* Says which kernel crashed inside this process, in which function, and how to
   see more. The process then ends by the signal, as without this handler. If a
   sanitizer or MPI has a handler for the signal, nothing is printed. */
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

/* Installs the crash handler. `kernel` is named in messages and stays valid. */
void crash_begin(const char *kernel);

/* Tells the crash handler what this thread runs until crash_out(): a kernel's
   function ("begin") or a node's computation. `node` stays valid until then. */
void crash_in(const char *function);
void crash_on(const struct crash_node *node);
void crash_out(void);

#endif
