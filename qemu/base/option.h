/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of a subcommand as rows of tables: name, value, help, type, the field
 * that the value is stored in, its bounds, and which options it needs or
 * excludes. Parsing, --help, -h, man pages, completions, the guess at a
 * mistyped word, the check of the files that are named and the messages come
 * from the rows.
 *
 *     static const struct option_row rows[] = {
 *         {"count", "N", 2, OPTION_COUNT, OPTION_AT(struct options, count),
 *          .help = "End after N more readings", .least = 1, .most = 100,
 *          .needs = "watch"}};
 *
 * Options that several subcommands share are a table of their own, whose fields
 * are those of a struct inside the subcommand's.
 */
#ifndef QEMU_BASE_OPTION_H
#define QEMU_BASE_OPTION_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"

/* Runs a subcommand: its struct with the defaults, the command line parsed into
   it, run(), end(). Result: the exit status. */
NODISCARD int option_run(const struct option_command *command, int argc,
                         char **argv);

/*
 * Parses the command line into `options`, the subcommand's struct, which has
 * the defaults. Files are checked before work of hours begins whose outcome
 * they are to take: that their names do not tell another kind of file, that
 * none is given twice or is one that is read, that all can be written. Result:
 * 0; an exit status after a message. option_free() in any case. Does not return
 * from --help and -h.
 */
NODISCARD int option_parse(const struct option_command *command, int argc,
                           char **argv, void *options);

/*
 * Parses "KEY=VALUE,KEY=VALUE", the value of the option `name`, "--arg", by the
 * rows of a table of at most OPTION_KEYS. A comma or backslash that belongs to
 * a value has a backslash before it; but the value of a table's only row is all
 * that is left. `text` is cut into words, to which fields of type OPTION_TEXT
 * then point. Each key may be given once. Result: 0, or EXIT_USAGE after a
 * message.
 */
#define OPTION_KEYS 16u
NODISCARD int option_parse_list(const struct option_table *table,
                                const char *name, char *text, void *options);

/* Frees the values of options that may be repeated. */
void option_free(const struct option_command *command, void *options);

#endif
