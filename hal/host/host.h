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

/* Below each stack, so many bytes that nobody may touch: whole pages of every
   host. */
#define HOST_GUARD_BYTES ((size_t)64 * 1024)

struct host_node;
struct window; /* hal/window/window.h */

/*
 * A node that will call node_main(window) when first resumed. The window
 * outlives it. Result: the node, the caller's to free; NULL: no memory.
 */
struct host_node *host_node_new(struct window *window);
void host_node_free(struct host_node *node);

/* Where those bytes begin. */
const void *host_node_guard(const struct host_node *node);

/* What the node accounts for takes 2^shift times as long from now on, as on a
   slower board; 0 at first. `shift` is 0 to 3. */
void host_node_slow(struct host_node *node, unsigned shift);

/* The same from mesh time `from_ps` on, on top of that; `shift` is 0 at
   first. */
void host_node_slow_from(struct host_node *node, unsigned shift,
                         uint64_t from_ps);

/* Runs the node, in the calling thread, until it waits or halts; each time in
   any thread, after the last time has ended. Not from within a node. */
void host_node_resume(struct host_node *node);

#endif
