/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches: the changed words of a window (memory that a node shares with its
 * emulated switch). Rank 0 has a copy of those parts of all windows that the
 * fabric reads. Each other rank has a copy of rank 0's copy, for its own nodes.
 * When a node rings its doorbell, its rank compares these parts with its copy,
 * word by word. It sends what differs as runs, each a head word and the changed
 * words:
 *
 *    bits 0 to 21 of the head   offset of the first word, divided by 4
 *         22 to 31              number of words, 1 to 1023
 */
#ifndef QEMU_RANKS_PATCH_H
#define QEMU_RANKS_PATCH_H

#include "hal/window/window.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes that rank 0 gets of a message's first and second piece. The fabric
   reads labels and tables in them. */
#define PATCH_KNOWN_BYTES 512u

/* Runs, in an array that grows. Zeros at first; the caller frees `data` at the
   end. */
struct patch {
    uint8_t *data;
    size_t bytes;
    size_t room;
};

/* Appends what differs between a window and its copy, and updates the copy:
   status, request, log, newly queued sends, and bytes of theirs that rank 0
   needs. The node must wait, or have ended. */
void patch_make(struct patch *patch, const struct window *window,
                struct window *copy);

/* Writes runs into a copy of a window. Returns false if they are invalid, or
   would change what a node may not write; some of them may have been written
   then. */
bool patch_apply(struct window *copy, const uint8_t *data, size_t bytes);

#endif
