/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/given_files.h"

#include "qemu/support/exit_status.h"
#include "qemu/support/file.h"
#include "qemu/support/quote.h"

#include <stddef.h>
#include <stdio.h>

static bool is_standard(const struct given_file *file)
{
    return file->path != NULL && file_is_standard_output(file->path);
}

/* Whether two options name one file, after a message. */
static bool is_given_twice(const struct given_file *file,
                           const struct given_file *other)
{
    if (file->path == NULL || other->path == NULL) {
        return false;
    }
    if (is_standard(file) && is_standard(other)) {
        fprintf(stderr,
                "quincunx: %s -: standard output is taken by %s; must be a "
                "file\n",
                file->option, other->option);
        return true;
    }
    if (!file_same(file->path, other->path)) {
        return false;
    }
    fprintf(stderr,
            "quincunx: %s '%s': is the file of %s '%s', too; must be a file of "
            "its own\n",
            file->option, quote_shown(file->path), other->option,
            quote_shown(other->path));
    return true;
}

int given_files_check(const struct given_file file[], uint32_t read_only,
                      uint32_t count)
{
    for (uint32_t i = read_only; i < count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if (is_given_twice(&file[i], &file[j])) {
                return EXIT_USAGE;
            }
        }
    }
    return 0;
}

int given_files_writable(const struct given_file file[], uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (file[i].path != NULL &&
            file_output_check(file[i].path, file[i].option) != 0) {
            return EXIT_FAILED;
        }
    }
    return 0;
}

const char *given_files_standard(const struct given_file file[], uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (is_standard(&file[i])) {
            return file[i].option;
        }
    }
    return NULL;
}
