/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/table.h"

#include <stddef.h>
#include <string.h>

extern const struct format format_channels;
extern const struct format format_conv;
extern const struct format format_dictionary;
extern const struct format format_fir;
extern const struct format format_matvec;
extern const struct format format_raw;
extern const struct format format_records;
extern const struct format format_search;
extern const struct format format_stats;

static const struct format *const formats[] = {
    &format_raw,        &format_channels, &format_conv,
    &format_dictionary, &format_fir,      &format_matvec,
    &format_records,    &format_search,   &format_stats};

const struct format *format_of(const char *kernel)
{
    size_t count = sizeof formats / sizeof *formats;
    const struct format *found = &format_raw;

    for (size_t i = 0; i < count; ++i) {
        if (formats[i]->kernel != NULL &&
            strcmp(formats[i]->kernel, kernel) == 0) {
            found = formats[i];
        }
    }
    return found;
}
