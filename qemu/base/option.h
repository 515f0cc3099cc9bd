/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of a subcommand as rows of tables: name, value, help, type, the field
 * that the value is stored in, its bounds, and which options it needs or
 * excludes. Parsing, --help, -h, man pages, completions, the guess at a
 * mistyped word and the messages come from the rows.
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

/*
 * Parses the command line into `options`, the subcommand's struct, which has
 * the defaults. Result: 0; EXIT_USAGE after a message. Does not return from
 * --help and -h.
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

#endif
