/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses the name that a mistyped word stands for. */
#ifndef QEMU_BASE_EDITS_H
#define QEMU_BASE_EDITS_H

#define EDITS_MAX 2u         /* most edits between a word and its guess */
#define EDITS_NAME_BYTES 32u /* longest name, bytes */

/* Of all names offered by edits_offer(), the one that needs the fewest edits:
   letters added, removed or changed. */
struct edits_nearest {
    const char *word;
    const char *name; /* NULL: no name is close */
    unsigned edits;
};

/* Stores the name in *nearest if it needs fewer edits than the names before, at
   most EDITS_MAX, and fewer than it has letters. */
void edits_offer(struct edits_nearest *nearest, const char *name);

#endif
