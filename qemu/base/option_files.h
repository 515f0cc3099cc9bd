/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the files that a command line names. */
#ifndef QEMU_BASE_OPTION_FILES_H
#define QEMU_BASE_OPTION_FILES_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stddef.h>

#define OPTION_NAME_BYTES 48u

struct option_file {
    char option[OPTION_NAME_BYTES]; /* name for messages: "--report" */
    const char *path;     /* outputs are converted by file_output_name() */
    const char *suffixes; /* endings that suit the file: "html htm"; or NULL */
    bool written;         /* false: the file is only read */
};

/*
 * Checks the files of a command line. A name must not end in the suffix, in
 * upper or lower case, of a kind of file that .suffixes lacks: a WAV file must
 * not be called x.flac, but may be called x or x.new. No output may be the same
 * file as an earlier element of file[]. Only one output may go to standard
 * output. All outputs must be writable. Returns 0, or an exit status after a
 * message.
 */
NODISCARD int option_files_check(const struct option_file file[], size_t files);

/* Whether an output of file[] is standard output. */
bool option_files_standard(const struct option_file file[], size_t files);

#endif
