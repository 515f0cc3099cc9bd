/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/format.h"

#include "qemu/report/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int format_file_error(const char *path, const char *reason)
{
    fprintf(stderr, "quincunx: %s: %s\n", path, reason);
    return 1;
}

static int read_open_file(uint8_t **data, uint64_t *bytes, FILE *file,
                          const char *path)
{
    struct stat is;

    if (fstat(fileno(file), &is) != 0) {
        return format_file_error(path, strerror(errno));
    }
    if (S_ISDIR(is.st_mode)) {
        return format_file_error(path, strerror(EISDIR));
    }
    if (!S_ISREG(is.st_mode)) {
        return format_file_error(path, "must be a regular file");
    }
    *bytes = (uint64_t)is.st_size;
    *data = malloc((size_t)*bytes + 1);
    if (*data == NULL) {
        return format_file_error(path, strerror(ENOMEM));
    }
    if (fread(*data, 1, (size_t)*bytes, file) != *bytes) {
        free(*data);
        *data = NULL;
        return format_file_error(path, "could not be read to its end");
    }
    return 0;
}

int format_read_file(uint8_t **data, uint64_t *bytes, const char *path)
{
    /* A pipe without a writer must be refused, not waited for. */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    int status;

    *data = NULL;
    if (file == NULL) {
        return format_file_error(path, strerror(errno));
    }
    status = read_open_file(data, bytes, file, path);
    fclose(file);
    return status;
}

int format_write_file(const char *path, const void *data, uint64_t bytes)
{
    struct report_file file;
    bool written;

    if (report_file_open(&file, path) != 0) {
        return 1;
    }
    written = fwrite(data, 1, (size_t)bytes, file.stream) == bytes;
    if (!written) {
        format_file_error(path, strerror(errno));
    }
    return report_file_close(&file, written) == 0 ? 0 : 1;
}

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
        return format_file_error(path, strerror(ENOMEM));
    }
    memcpy(load->arg, arg, arg_bytes);
    load->arg_bytes = arg_bytes;
    load->unit_bytes = 1;
    return format_read_file(&load->data, &load->units, path);
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
