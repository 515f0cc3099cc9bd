/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said when a kernel crashes inside this process: which one, where, and
 * how to see more. The process then ends by the signal, as it would have. Where
 * somebody else listens for such signals (a sanitizer, MPI), nothing is said.
 */
#ifndef QEMU_BASE_CRASH_H
#define QEMU_BASE_CRASH_H

#include <stddef.h>
#include <stdint.h>

/* A node whose kernel runs in this process, and the bytes below its stack that
   nobody may touch. */
struct crash_node {
    uint16_t x;
    uint16_t y;
    const void *guard;
    size_t guard_bytes;
};

/* From now on a crash is told, as one of this kernel; the name outlives it. */
void crash_begin(const char *kernel);

/* Names what this thread is about to run of the kernel, until crash_out(): one
   of its functions ("begin"), or a node's computation. The node outlives it. */
void crash_in(const char *function);
void crash_on(const struct crash_node *node);
void crash_out(void);

#endif
