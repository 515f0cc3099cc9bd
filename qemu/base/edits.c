/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/edits.h"

#include <string.h>

static unsigned least_of(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;

    return least < c ? least : c;
}

/* Returns how many letters must be added, removed or changed to turn `word`
   into `name`. Time: the product of both lengths. */
static unsigned edits_between(const char *word, const char *name)
{
    unsigned row[EDITS_NAME_BYTES + 1];
    size_t length = strlen(name);

    for (unsigned j = 0; j <= length; ++j) {
        row[j] = j;
    }
    for (unsigned i = 1; word[i - 1] != '\0'; ++i) {
        unsigned corner = row[0];

        row[0] = i;
        for (unsigned j = 1; j <= length; ++j) {
            unsigned above = row[j];

            row[j] = least_of(above + 1, row[j - 1] + 1,
                              corner + (word[i - 1] != name[j - 1]));
            corner = above;
        }
    }
    return row[length];
}

void edits_offer(struct edits_nearest *nearest, const char *name)
{
    unsigned edits = edits_between(nearest->word, name);
    unsigned limit = nearest->name != NULL ? nearest->edits : EDITS_MAX + 1;

    if (edits < limit && edits < strlen(name)) {
        nearest->name = name;
        nearest->edits = edits;
    }
}
