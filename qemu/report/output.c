/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/output.h"

#include "qemu/support/file.h"

static int write_one(FILE *out, const char *path, const struct format *format,
                     const struct output_part *part)
{
    const struct kernel_result *result = part->result;

    if (format->write != NULL) {
        return format->write(out, part->load, path, result->output,
                             result->output_bytes);
    }
    fwrite(result->output, 1, result->output_bytes, out);
    return 0;
}

int output_write(const char *path, const struct format *format,
                 const struct output_part part[], uint32_t count)
{
    struct file_output file;
    int status = 0;

    if (file_output_open(&file, path) != 0) {
        return 1;
    }
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        status = write_one(file.stream, path, format, &part[i]);
    }
    return file_output_close(&file, status == 0) == 0 ? 0 : 1;
}
