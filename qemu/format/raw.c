/* SPDX-License-Identifier: Apache-2.0 */
/* Any file, as it is: of kernels without a format of their own. */
#include "qemu/format/format.h"

static int read_raw(struct format_load *load, const char *path,
                    const uint8_t *arg, uint32_t arg_bytes)
{
    format_copy_arg(load, arg, arg_bytes);
    return format_open(load, path);
}

const struct format format_raw = {
    .input = "any file, as it is", .suffixes = "bin txt", .read = read_raw};
