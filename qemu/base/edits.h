/* SPDX-License-Identifier: Apache-2.0 */
/* How far a word is from a name that it may have been meant to be. */
#ifndef QEMU_BASE_EDITS_H
#define QEMU_BASE_EDITS_H

#define EDITS_MAX 2u         /* so near may a word be meant as the name */
#define EDITS_NAME_BYTES 32u /* of the longest name */

/* The name, of those offered so far, that a word is nearest to. */
struct edits_nearest {
    const char *word;
    const char *name; /* NULL: none is near */
    unsigned edits;
};

/* Takes the name if it is nearer than those before, no more than EDITS_MAX
   edits away, and not another word altogether. */
void edits_offer(struct edits_nearest *nearest, const char *name);

#endif
