/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that a command line names, looked at before work of hours begins
 * whose outcome they are to take. Functions with a result give 0 or an exit
 * status, after a message on stderr.
 */
#ifndef QEMU_COMMAND_GIVEN_FILES_H
#define QEMU_COMMAND_GIVEN_FILES_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stdint.h>

struct given_file {
    const char *option; /* for messages: "--report" */
    const char *path;   /* as of file_output_name(); NULL: not given */
    /* What tells its kind at the end of its name, the one to use first: "html
       htm"; NULL: nothing is known of it, or it is only read. */
    const char *suffixes;
};

/*
 * Checks that a file that is given has a name, whose end, whether capitals or
 * not, does not tell another kind of file than it will be: a WAV file must not
 * be called x.flac, but may be called x or x.new. Result: 0, or EXIT_USAGE
 * after a message.
 */
NODISCARD int given_file_check_name(const struct given_file *file);

/*
 * Checks the suffixes, and that no file is given twice: else the work would end
 * by overwriting its input, or one outcome with another. The first `read_only`
 * of the files are only read, and may be given as often as one likes. Standard
 * output takes one outcome.
 */
NODISCARD int given_files_check(const struct given_file file[],
                                uint32_t read_only, uint32_t count);

/* Checks that all of the files can be written. */
NODISCARD int given_files_writable(const struct given_file file[],
                                   uint32_t count);

/* The option whose outcome goes to standard output; NULL: none does. */
const char *given_files_standard(const struct given_file file[],
                                 uint32_t count);

#endif
