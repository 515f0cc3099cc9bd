/* SPDX-License-Identifier: Apache-2.0 */
/* A node of the native build: its processor is a coroutine. The coroutine runs
   until the node waits for its switch. */
#ifndef HAL_HOST_HOST_H
#define HAL_HOST_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Bytes without access below each stack: a multiple of every page size. */
#define HOST_GUARD_BYTES ((size_t)64 * 1024)

struct host_node;
struct window; /* hal/window/window.h */

/* A node's program. */
struct host_program {
    void (*main)(struct window *window); /* never returns */
    uint64_t call_ps; /* time of a kernel's run() beside its units */
};

/* Creates a node that calls program->main(window) when first resumed; a program
   of NULL: node_main(). Window and program outlive the node. Result: NULL: no
   memory. */
struct host_node *host_node_new(struct window *window,
                                const struct host_program *program);
void host_node_free(struct host_node *node);

/* Returns the first byte of the guard below the node's stack. */
const void *host_node_guard(const struct host_node *node);

/* Multiplies the time of clock_account() by 2^shift. `shift`: 0 to 3. */
void host_node_slow(struct host_node *node, unsigned shift);

/* Adds `shift`, 0 to 3, to that of host_node_slow() from from_ps on. */
void host_node_slow_from(struct host_node *node, unsigned shift,
                         uint64_t from_ps);

/* Runs the node until it waits or halts. Any thread may call this function, but
   no node; calls for one node never overlap. */
void host_node_resume(struct host_node *node);

#endif
