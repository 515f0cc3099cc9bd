/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of a subcommand as rows of tables: name, value, help, type, the field
 * that the value is stored in, its bounds, and which options it needs or
 * excludes. Parsing, --help, the guess at a mistyped name and the messages come
 * from the rows.
 *
 *     static const struct option_row rows[] = {
 *         {.name = "count", .value = "N", .type = OPTION_COUNT,
 *          .at = offsetof(struct options, count), .least = 1, .most = 100,
 *          .needs = "watch", .help = "End after N more readings"}};
 *
 * Options that several subcommands share are a table of their own, whose fields
 * are those of a struct inside the subcommand's.
 */
#ifndef QEMU_OPTIONS_OPTION_H
#define QEMU_OPTIONS_OPTION_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an option's value is, and the type of its field. */
enum option_type {
    OPTION_FLAG,   /* no value; bool: true once it is given */
    OPTION_TEXT,   /* const char *: the word */
    OPTION_OUTPUT, /* const char *: a file to write, by file_output_name() */
    OPTION_COUNT,  /* unsigned integer of .width bytes (0: 8): digits, from
                      .least to .most; any if .most is 0 */
    OPTION_SIZE,   /* the same, with a suffix such as k or MiB */
    OPTION_CHOICE, /* unsigned integer or bool: the place in .choices */
    OPTION_MESH,   /* struct torus_size: WxH */
    OPTION_SIDE,   /* struct torus_size: the side of a 5^k x 5^k torus */
    OPTION_COORD,  /* struct torus_coord: X,Y */
    OPTION_SET     /* any: .set() stores it */
};

#define OPTION_TABLES 6u

/* Sets a row's field: OPTION_FIELD(struct options, count). */
#define OPTION_FIELD(type, member)                                             \
    .at = offsetof(type, member), .width = sizeof((type *)0)->member

struct option_row {
    const char *name;  /* "json" of --json; NULL: a heading, .help and .group */
    char letter;       /* 'q' of -q; '\0': it has none */
    const char *value; /* in the help: "FILE"; NULL: it takes none */
    const char *help;
    uint8_t group; /* of lines in the help: lower ones come first */
    bool optional; /* it may be given without a value */
    bool required;
    enum option_type type;
    size_t at;    /* offset of the field in the table's struct */
    size_t width; /* of the field, bytes */
    size_t given; /* offset of a bool that tells that it was given; 0: none */
    uint64_t least;
    uint64_t most;
    const char *word;    /* "auto", which a number may be, too; or NULL */
    uint64_t word_value; /* what it stands for */
    const char *choices; /* OPTION_CHOICE: words with blanks between them */
    const char *allowed; /* "must be ..."; NULL: told by the bounds */
    /* OPTION_SET: stores the value, NULL if it was given without one, in the
       table's struct. Result: 0, or EINVAL after a message. */
    int (*set)(void *options, const char *text);
    const char *needs; /* name of an option that must be given, too; or NULL */
    const char *without; /* names of options that must not, with blanks between
                            them; or NULL */
};

/* A table, and where its struct lies in the subcommand's. */
struct option_table {
    const struct option_row *row;
    size_t rows;
    size_t at;
    void (*done)(void *options); /* called when all options fit; or NULL */
};

#define OPTION_TABLE(table_rows, table_at)                                     \
    {                                                                          \
        .row = table_rows, .rows = sizeof(table_rows) / sizeof *(table_rows),  \
        .at = table_at                                                         \
    }

struct option_command {
    const char *name;  /* of the subcommand: "links" */
    const char *words; /* in the help: "X,Y|all"; NULL: it takes only options */
    const char *text;  /* of --help: before the options, "\v", and behind */
    struct option_table table[OPTION_TABLES]; /* the first without a row ends */
    /* Takes a word that is no option. Result: 0, or EINVAL after a message. */
    int (*word)(void *options, const char *text);
    bool options_first; /* all behind the first word are words */
};

/*
 * Parses the command line into `options`, the subcommand's struct, which has
 * the defaults. Result: 0; EXIT_USAGE after a message. Does not return from
 * --help and from words that getopt refuses.
 */
NODISCARD int option_parse(const struct option_command *command, int argc,
                           char **argv, void *options);

#endif
