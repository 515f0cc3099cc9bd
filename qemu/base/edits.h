/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses the name that a mistyped word stands for. */
#ifndef QEMU_BASE_EDITS_H
#define QEMU_BASE_EDITS_H

#define EDITS_MAX 2u         /* a name further away is no guess */
#define EDITS_NAME_BYTES 32u /* longest name, bytes */

/* The name closest to a word, among the names offered so far. */
struct edits_nearest {
    const char *word;
    const char *name; /* NULL: no name is close */
    unsigned edits;
};

/* Keeps the name if it is closer than the earlier names, at most EDITS_MAX
   edits away, and by fewer edits than it has letters. */
void edits_offer(struct edits_nearest *nearest, const char *name);

#endif
