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
    const char *path; /* an output's comes from file_output_name() */
    /* suffixes that suit the file, "html htm"; NULL: all */
    const char *suffixes;
    bool written; /* false: the file is only read */
};

/* Checks the files of a command line. A file name must not have the suffix of
   another kind of file than .suffixes lists: a WAV file must not be called
   x.flac, but may be called x or x.new. Upper and lower case count alike. No
   output may be the same file as an earlier element of file[]. Only one output
   may go to standard output. All outputs must be writable. Returns 0, or an
   exit status after a message. */
NODISCARD int option_files_check(const struct option_file file[], size_t files);

/* Returns whether an output of file[] is standard output. */
bool option_files_standard(const struct option_file file[], size_t files);

#endif
