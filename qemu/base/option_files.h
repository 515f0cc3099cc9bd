/* SPDX-License-Identifier: Apache-2.0 */
/* The check of the files that a command line names. */
#ifndef QEMU_BASE_OPTION_FILES_H
#define QEMU_BASE_OPTION_FILES_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stddef.h>

#define OPTION_NAME_BYTES 48u

struct option_file {
    char option[OPTION_NAME_BYTES]; /* for messages: "--report" */
    const char *path;               /* as of file_output_name() */
    const char *suffixes;           /* as of struct option_row */
    bool written;                   /* else it is only read */
};

/*
 * Checks that a file with suffixes, or that is written, has a name, whose end,
 * whether capitals or not, does not tell another kind of file than it will be:
 * a WAV file must not be called x.flac, but may be called x or x.new; that none
 * that is written is the file of one before it in the list; that standard
 * output takes one outcome; and that files can be written. Result: 0, or an
 * exit status after a message.
 */
NODISCARD int option_files_check(const struct option_file file[], size_t files);

/* Whether one of them is standard output. */
bool option_files_standard(const struct option_file file[], size_t files);

#endif
