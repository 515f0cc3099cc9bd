/* SPDX-License-Identifier: Apache-2.0 */
/* Any file, as it is: of kernels without a format of their own. */
#include "qemu/format/format.h"
#include "qemu/support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_raw(struct format_load *load, const char *path,
                    const uint8_t *arg, uint32_t arg_bytes)
{
    load->arg = malloc(arg_bytes + 1u);
    if (load->arg == NULL) {
        return file_error(path, strerror(ENOMEM));
    }
    memcpy(load->arg, arg, arg_bytes);
    load->arg_bytes = arg_bytes;
    load->unit_bytes = 1;
    return file_read(&load->data, &load->units, path);
}

const struct format format_raw = {.input = "any file, as it is",
                                  .read = read_raw};
