/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/format.h"

#include "qemu/support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void format_free(struct format_load *load)
{
    free(load->data);
    free(load->arg);
    free(load->context);
    *load = (struct format_load){.data = NULL};
}

/* ---- any file, as it is ---- */

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

static const struct format raw = {.input = "any file, as it is",
                                  .read = read_raw};

/* ---- all formats ---- */

extern const struct format format_channels;
extern const struct format format_conv;
extern const struct format format_dictionary;
extern const struct format format_fir;
extern const struct format format_matvec;
extern const struct format format_records;
extern const struct format format_search;
extern const struct format format_stats;

static const struct format *const formats[] = {
    &raw,         &format_channels, &format_conv,    &format_dictionary,
    &format_fir,  &format_matvec,   &format_records, &format_search,
    &format_stats};

const struct format *format_of(const char *kernel)
{
    size_t count = sizeof formats / sizeof *formats;
    const struct format *found = &raw;

    for (size_t i = 0; i < count; ++i) {
        if (formats[i]->kernel != NULL &&
            strcmp(formats[i]->kernel, kernel) == 0) {
            found = formats[i];
        }
    }
    return found;
}
