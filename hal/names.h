/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names as one string, a NUL after each: "reset\0waiting\0done". */
#ifndef HAL_NAMES_H
#define HAL_NAMES_H

#include <string.h>

/* Returns the name at `index`, which is less than the number of names. */
static inline const char *names_at(const char *names, unsigned index)
{
    while (index-- > 0) {
        names += strlen(names) + 1;
    }
    return names;
}

#endif
