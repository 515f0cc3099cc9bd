/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches: the changed words of a window. Rank 0 has a copy of the reported
 * parts of every window, and each other rank a copy of rank 0's copy. At a
 * doorbell a rank compares the parts that the fabric reads with its copy, word
 * by word, and sends the difference as runs: a head word and the changed words.
 *
 *    bits 0 to 21 of the head   offset of the first word, divided by 4
 *         22 to 31              number of words, 1 to 1023
 */
#ifndef QEMU_RANKS_PATCH_H
#define QEMU_RANKS_PATCH_H

#include "hal/window/window.h"

#include <stdbool.h>
#include <stddef.h>

/* Leading bytes of a message's first and second piece that rank 0 gets, since
   the fabric reads labels and tables there. */
#define PATCH_KNOWN_BYTES 512u

/* A growing array of runs. Initialise with zeros, and free `data` at the
   end. */
struct patch {
    uint8_t *data;
    size_t bytes;
    size_t room;
};

/* Appends the parts of a window that differ from the copy, and updates the
   copy: status, request, log, newly queued sends, and the bytes they name that
   rank 0 needs. The node must wait or have ended. */
void patch_make(struct patch *patch, const struct window *window,
                struct window *copy);

/* Writes runs into a copy. Returns false if they are invalid, or would change
   what a node may not write; some runs may be written then. */
bool patch_apply(struct window *copy, const uint8_t *data, size_t bytes);

#endif
