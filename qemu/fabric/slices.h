/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compute slices of native nodes in threads. A slice is what a node computes
 * from one answer of its switch to its next request. Slices that are due at
 * the same time do not depend on each other, since a running node reads nothing
 * that another one writes (hal/window/window.h): so threads carry them out in
 * any order, and slices_next() hands them back in the order in which they were
 * added. Whoever calls it sees the same with any number of threads.
 *
 *   added       5 6 7 8 9 ->
 *   carried out 5 - 7 - -        6 and 8 are being carried out, 9 is due
 *   next        5, then 6 when it ends, then 7
 *
 * One thread, the caller's, adds and asks; it carries slices out, too, while
 * it would have to wait.
 */
#ifndef QEMU_FABRIC_SLICES_H
#define QEMU_FABRIC_SLICES_H

#include <stdbool.h>
#include <stdint.h>

struct slices;

/* Carries out the next slice of a node; called in any thread, never for one
   node in two of them at once. */
typedef void slices_run(void *context, uint32_t node);

/* The number of processors that this process may use. */
unsigned slices_processors(void);

/*
 * Slices of `nodes` nodes in `threads` threads, 1 or more, the caller's
 * counted. With 1, or if the system starts no thread, the caller's carries out
 * all of them. Result: to be freed with slices_free().
 */
struct slices *slices_new(uint32_t nodes, unsigned threads, slices_run *run,
                          void *context);

/* The node's slice is due; its last one has been handed back. */
void slices_add(struct slices *slices, uint32_t node);

/* Waits until the slice that was added first has been carried out, and hands
   it back; false: there is none. */
bool slices_next(struct slices *slices, uint32_t *node);

/* Waits for the slices that are being carried out, and drops the rest. */
void slices_free(struct slices *slices);

#endif
