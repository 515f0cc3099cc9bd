/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/table.h"

#include <stddef.h>
#include <string.h>

extern const struct format format_channels;
extern const struct format format_conv;
extern const struct format format_dictionary;
extern const struct format format_fir;
extern const struct format format_matvec;
extern const struct format format_records;
extern const struct format format_search;
extern const struct format format_stats;

/* Reads any file as it is, for kernels without a format. */
static int read_raw(struct format_load *load, const char *path,
                    const uint8_t *arg, uint32_t arg_bytes)
{
    format_copy_arg(load, arg, arg_bytes);
    return format_open(load, path);
}

static const struct format format_raw = {
    .input = "any file, as it is", .suffixes = "bin txt", .read = read_raw};

static const struct format *const formats[] = {
    &format_channels, &format_conv,    &format_dictionary, &format_fir,
    &format_matvec,   &format_records, &format_search,     &format_stats};

const struct format *format_of(const char *kernel)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        if (strcmp(formats[i]->kernel, kernel) == 0) {
            return formats[i];
        }
    }
    return &format_raw;
}
