/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node of the native build: a board like any other, whose processor is a
 * coroutine of the host process. It runs until it waits for its switch.
 * Several nodes may run at once, each in a thread.
 */
#ifndef HAL_HOST_HOST_H
#define HAL_HOST_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Bytes below each stack that nobody may touch: whole pages on every host. */
#define HOST_GUARD_BYTES ((size_t)64 * 1024)

struct host_node;
struct window; /* hal/window/window.h */

/*
 * A node that will call node_main(window) when first resumed. The window
 * outlives it. Result: the node, the caller's to free; NULL: no memory.
 */
struct host_node *host_node_new(struct window *window);
void host_node_free(struct host_node *node);

/* The first of the bytes below the node's stack. */
const void *host_node_guard(const struct host_node *node);

/* Makes the node 2^shift times slower from now on: clock_account() moves its
   clock by so much more. `shift` is 0 to 3, and 0 at first. */
void host_node_slow(struct host_node *node, unsigned shift);

/* Makes the node 2^shift times slower again from mesh time `from_ps` on.
   `shift` is 0 to 3, and 0 at first. */
void host_node_slow_from(struct host_node *node, unsigned shift,
                         uint64_t from_ps);

/* Runs the node, in the calling thread, until it waits or halts; each time in
   any thread, after the last time has ended. Not from within a node. */
void host_node_resume(struct host_node *node);

#endif
