/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses the name that a mistyped word stands for. */
#ifndef QEMU_BASE_EDITS_H
#define QEMU_BASE_EDITS_H

#define EDITS_MAX 2u         /* most edits between a word and its guess */
#define EDITS_NAME_BYTES 32u /* longest name, bytes */

/* The offered name with the fewest edits: letters added, removed or changed. */
struct edits_nearest {
    const char *word;
    const char *name; /* NULL: no name is close */
    unsigned edits;
};

/* Keeps the name if its edits are fewer than those of earlier names, at most
   EDITS_MAX, and fewer than its letters. */
void edits_offer(struct edits_nearest *nearest, const char *name);

#endif
