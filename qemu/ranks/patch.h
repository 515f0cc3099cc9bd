/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is new in a window: rank 0 has a copy of all that it has been told of
 * the windows of all ranks, and each other rank a copy of rank 0's copy. At a
 * doorbell the parts that the fabric looks at are compared with it, word by
 * word, and what differs is sent as runs: a word that says where and how many,
 *
 *    bits 0 to 21   offset of the first word, divided by 4
 *        22 to 31   number of words, 1 to 1023
 *
 * and the words. What rank 0 knows already is not sent again.
 */
#ifndef QEMU_RANKS_PATCH_H
#define QEMU_RANKS_PATCH_H

#include "hal/window/window.h"

#include <stdbool.h>
#include <stddef.h>

/* Of a message's first and second piece so much is known to rank 0, which
   reads labels and tables there: a row's head and shared segment lie within. */
#define PATCH_KNOWN_BYTES 512u

/* Runs, which grow; begin with zeros, and free `data` at the end. */
struct patch {
    uint8_t *data;
    size_t bytes;
    size_t room;
};

/*
 * Appends what of a window differs from the copy, and brings the copy up to
 * date: status, request, log, and what was queued since the copy was, with what
 * of the bytes named there rank 0 is to know. The node waits, or has ended.
 */
void patch_make(struct patch *patch, const struct window *window,
                struct window *copy);

/* Writes runs into a copy. Result: false if they make no sense, or name what is
   not a node's to write; then some may have been written. */
bool patch_apply(struct window *copy, const uint8_t *data, size_t bytes);

#endif
