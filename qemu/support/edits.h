/* SPDX-License-Identifier: Apache-2.0 */
/* How far a word is from a name that it may have been meant to be. */
#ifndef QEMU_SUPPORT_EDITS_H
#define QEMU_SUPPORT_EDITS_H

#define EDITS_MAX 2u         /* so near may a word be meant as the name */
#define EDITS_NAME_BYTES 32u /* of the longest name */

/* How many letters are to be put in, taken out or changed to turn one word into
   the other, a name. Pure; cost: the product of their lengths. */
unsigned edits_between(const char *word, const char *name);

#endif
