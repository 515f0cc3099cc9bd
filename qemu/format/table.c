/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/table.h"

#include <stddef.h>
#include <string.h>

const struct format *format_of(const char *kernel)
{
    for (size_t i = 0; format_table[i] != NULL; ++i) {
        if (strcmp(format_table[i]->kernel, kernel) == 0) {
            return format_table[i];
        }
    }
    return &format_raw;
}
