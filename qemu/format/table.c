/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/table.h"

#include "qemu/format/keys.h"

#include <stddef.h>
#include <string.h>

/* Reads any file unchanged, or takes load->numbers, for kernels without a
   format. */
static int read_raw(struct format_load *load, const char *path,
                    const uint8_t *arg, uint32_t arg_bytes)
{
    int status = 0;

    if (load->kernel->keys != NULL) {
        status = keys_read(load, arg, arg_bytes);
    } else {
        format_copy_arg(load, arg, arg_bytes);
    }
    if (status != 0) {
        return status;
    }
    if (load->numbers > 0) {
        load->units = load->numbers;
        return 0;
    }
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
