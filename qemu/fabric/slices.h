/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs compute slices of native nodes in threads. A slice is what a node
 * computes between an answer of its switch and its next request. Slices that
 * are due together are independent, since a running node reads nothing that
 * another node writes (hal/window/window.h). Threads run them in any order;
 * slices_next() returns them in the order in which they were added.
 *
 *   added        5 6 7 8 9 ->
 *   finished     5 - 7 - -        6 and 8 run, 9 is due
 *   slices_next  5, then 6 when it ends, then 7
 *
 * Only the caller's thread adds slices and asks for them. It runs slices, too,
 * instead of waiting.
 */
#ifndef QEMU_FABRIC_SLICES_H
#define QEMU_FABRIC_SLICES_H

#include <stdbool.h>
#include <stdint.h>

struct slices;

/* Runs the next slice of a node. Any thread may call it, but no two at once for
   the same node. */
typedef void slices_run(void *context, uint32_t node);

unsigned slices_processors(void);

/* Prepares for `nodes` nodes that run in `threads` threads, 1 or more, the
   caller's included. If the system starts no further thread, the caller's runs
   all slices. The caller frees the result by slices_free(). */
struct slices *slices_new(uint32_t nodes, unsigned threads, slices_run *run,
                          void *context);

/* Adds the next slice of a node. slices_next() must have returned the node's
   last slice. */
void slices_add(struct slices *slices, uint32_t node);

/* Waits until the slice that was added first has run. Sets *node to its node
   and removes it. Returns false if there is no slice. */
bool slices_next(struct slices *slices, uint32_t *node);

/* Waits for slices that run, and drops those that have not begun. */
void slices_free(struct slices *slices);

#endif
