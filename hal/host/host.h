/* SPDX-License-Identifier: Apache-2.0 */
/* A node of the native build: a board whose processor is a coroutine of the
   host's process. The coroutine runs until the node waits for its switch.
   Several nodes may run at once, each in a thread. */
#ifndef HAL_HOST_HOST_H
#define HAL_HOST_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Size of the guard, bytes: memory without access below each stack. It is a
   multiple of every host's page size. */
#define HOST_GUARD_BYTES ((size_t)64 * 1024)

struct host_node;
struct window; /* hal/window/window.h */

/* Creates a node that calls node_main(window) when it is first resumed. The
   window outlives the node. Result: a node that host_node_free() frees; NULL:
   no memory. */
struct host_node *host_node_new(struct window *window);
void host_node_free(struct host_node *node);

/* Returns the first byte of the guard below the node's stack. */
const void *host_node_guard(const struct host_node *node);

/* Makes the node 2^shift times slower from now on: clock_account() multiplies
   its time by 2^shift. `shift`: 0 to 3; default: 0. */
void host_node_slow(struct host_node *node, unsigned shift);

/* Makes the node 2^shift times slower from mesh time from_ps on; this shift is
   added to that of host_node_slow(). `shift`: 0 to 3; default: 0. */
void host_node_slow_from(struct host_node *node, unsigned shift,
                         uint64_t from_ps);

/* Runs the node in the calling thread until the node waits or halts. Each call
   may come from another thread, but only after the node's previous call has
   returned, and not from within a node. */
void host_node_resume(struct host_node *node);

#endif
