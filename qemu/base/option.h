/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables describe the options of a subcommand, one row an option: name, value,
 * help, type, field, bounds, and the options that it needs or excludes. The
 * parser works by the rows; --help, man pages and completions are made from
 * them.
 *
 *     static const struct option_row rows[] = {
 *         {"count", "N", 2, OPTION_COUNT, OPTION_AT(struct options, count),
 *          .help = "End after N more readings", .least = 1, .most = 100,
 *          .needs = "watch"}};
 *
 * Options shared by several subcommands have a table of their own. The fields
 * of its rows lie in a struct inside the subcommand's struct.
 */
#ifndef QEMU_BASE_OPTION_H
#define QEMU_BASE_OPTION_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"

/* Runs a subcommand: fills its struct with defaults, parses the command line,
   calls run(), then end(). Returns the exit status. */
NODISCARD int option_run(const struct option_command *command, int argc,
                         char **argv);

/* Parses the command line into `options`, the subcommand's struct, which must
   hold the defaults. Checks files by option_files_check(). --help and -h do not
   return. Returns 0, or an exit status after a message. The caller calls
   option_free() in any case. */
NODISCARD int option_parse(const struct option_command *command, int argc,
                           char **argv, void *options);

/* Parses the text "KEY=VALUE,KEY=VALUE" of the option `name` ("--arg") by the
   rows of a table, at most OPTION_KEYS. In a value, a backslash escapes a comma
   or a backslash. If the table has one row, its value takes the rest of the
   text, commas included. `text` is cut into words, to which fields of type
   OPTION_TEXT point. Each key may be given once. Returns 0, or EXIT_USAGE after
   a message. */
#define OPTION_KEYS 16u
NODISCARD int option_parse_list(const struct option_table *table,
                                const char *name, char *text, void *options);

/* Checks that no output of a parsed command line is the file `path`, to which
   the value of `option` ("--arg") led. Returns 0, or EXIT_USAGE after a
   message. */
NODISCARD int option_check_read(const struct option_command *command,
                                void *options, const char *option,
                                const char *path);

/* Frees the values of options that may be repeated. */
void option_free(const struct option_command *command, void *options);

#endif
