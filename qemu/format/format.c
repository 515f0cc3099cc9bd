/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/format.h"

#include "qemu/support/exit_status.h"
#include "qemu/support/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void format_free(struct format_load *load)
{
    free(load->data);
    if (load->file != NULL) {
        fclose(load->file);
    }
    free(load->arg);
    free(load->context);
    *load = (struct format_load){.data = NULL};
}

struct file_piece format_piece(const struct format_load *load, uint64_t at)
{
    return (struct file_piece){.data =
                                   load->data == NULL ? NULL : load->data + at,
                               .file = load->file,
                               .path = load->path,
                               .at = at};
}

int format_open(struct format_load *load, const char *path)
{
    load->unit_bytes = 1;
    load->path = path;
    return file_open(&load->file, &load->units, path);
}

void format_copy_arg(struct format_load *load, const void *arg, size_t bytes)
{
    load->arg = memory_or_exit(malloc(bytes + 1));
    load->arg_bytes = (uint32_t)bytes;
    memcpy(load->arg, arg, bytes);
}

int format_arg_error(const char *arg, const char *format, ...)
{
    va_list list;

    fprintf(stderr, "quincunx: --arg '%s': ", arg);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

int format_key_error(const char *key, const char *value, const char *allowed)
{
    fprintf(stderr, "quincunx: --arg: %s '%.60s': %s\n", key,
            value != NULL ? value : "", allowed);
    return EXIT_USAGE;
}
