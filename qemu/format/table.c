/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/table.h"

#include <stddef.h>
#include <string.h>

/* Reads any file unchanged, for kernels without a format. */
static int read_raw(struct format_load *load, const char *path,
                    const uint8_t *arg, uint32_t arg_bytes)
{
    format_copy_arg(load, arg, arg_bytes);
    return format_open(load, path);
}

static const struct format format_raw = {
    .input = "any file, as it is", .suffixes = "bin txt", .read = read_raw};

const struct format *format_of(const char *kernel)
{
    for (size_t i = 0; format_table[i] != NULL; ++i) {
        if (strcmp(format_table[i]->kernel, kernel) == 0) {
            return format_table[i];
        }
    }
    return &format_raw;
}
