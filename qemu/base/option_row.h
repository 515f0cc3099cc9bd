/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the rows that describe options; see qemu/base/option.h. */
#ifndef QEMU_BASE_OPTION_ROW_H
#define QEMU_BASE_OPTION_ROW_H

#include "torus/torus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of an option's value, each with the C type of its field. */
enum option_type {
    OPTION_FLAG,   /* no value; bool: set to true */
    OPTION_FIXED,  /* no value; unsigned integer: set to .fixed */
    OPTION_TEXT,   /* const char *: a word of at least .least bytes */
    OPTION_INPUT,  /* const char *: a file to read */
    OPTION_PATH,   /* char [width]: a file to read; a longer name is cut */
    OPTION_OUTPUT, /* const char *: a file to write; see file_output_name() */
    OPTION_UPDATE, /* const char *: a file to read and write, not "-" */
    /* unsigned integer of .width bytes (0: 8), from .least to .most (0: no
       bound), or one of .choices */
    OPTION_COUNT,
    OPTION_SIZE,   /* like OPTION_COUNT, with a suffix such as k or MiB */
    OPTION_TIME,   /* like OPTION_COUNT, in ps; has a suffix such as us */
    OPTION_CHOICE, /* unsigned integer or bool: index of the word in .choices */
    OPTION_MESH,   /* struct torus_size: WxH; sides up to .most unless 0 */
    OPTION_SIDE,   /* struct torus_size: one side of a 5^k x 5^k torus */
    /* struct torus_coord: X,Y inside the command's OPTION_MESH or OPTION_SIDE
     */
    OPTION_COORD,
    OPTION_SET,                  /* any field: .set() stores the value */
    OPTION_LISTS,                /* options from here on may be repeated */
    OPTION_TEXTS = OPTION_LISTS, /* struct option_texts: words */
    OPTION_INPUTS,               /* struct option_texts: files to read */
    OPTION_OUTPUTS,              /* struct option_texts: files to write */
    /* struct option_places: up to .most coordinates X,Y. If .value is
       "X,Y=FILE", each has a file to read; "X,Y[=FILE]": or has none */
    OPTION_PLACES
};

/* Values of a repeatable option. option_free() frees them. */
struct option_texts {
    const char **text;
    uint32_t count;
};

struct option_place {
    struct torus_coord at;
    const char *more; /* text after the equals sign; NULL: none */
    const char *text; /* the whole value, for messages */
};

struct option_places {
    struct option_place *place;
    uint32_t count;
    bool word; /* the row's .word, such as "all", was given */
};

#define OPTION_PARTS 6u
#define OPTION_GROUPS 10u

/* Gives .at and .width of a row whose field is `member`. */
#define OPTION_AT(type, member)                                                \
    offsetof(type, member), sizeof((type *)0)->member
#define OPTION_ALL 0, 0 /* .at and .width if set() takes the whole struct */

/* Bounds of an option that takes a TCP port; 0 asks for a free port. */
#define OPTION_TCP_PORT                                                        \
    .most = UINT16_MAX,                                                        \
    .allowed = "must be a port from 1 to 65535, or 0: one that is free"

struct option_row {
    const char *name; /* "json" stands for --json */
    /* shown in the help: "FILE"; NULL: the option takes no value */
    const char *value;
    uint8_t group; /* sort key of the help: lower groups first */
    enum option_type type;
    size_t at;    /* offset of the field in the table's struct */
    size_t width; /* size of the field, bytes */
    const char *help;
    char letter;   /* 'q' stands for -q; '\0': none */
    bool optional; /* value may be left out; the field keeps its default */
    bool required;
    /* features, one of which is needed, as bits of .kinds; 0: none is needed */
    uint8_t of;
    /* offset of a const char *, which is set to the value as given, or to "" if
       the value is left out; offset 0: none */
    size_t text;
    uint64_t least;
    uint64_t most;
    uint64_t fixed;
    const char *word;    /* allowed in place of a number: "auto"; or NULL */
    uint64_t word_value; /* the number that .word stands for */
    const char *choices; /* allowed words, separated by blanks; or NULL */
    /* returns allowed word `index`, such as a kernel's name; then NULL */
    const char *(*choice)(size_t index);
    /* error text "must be ..."; NULL: built from bounds and choices */
    const char *allowed;
    /* Parses `text` and stores the value in the field. OPTION_SET needs it,
       OPTION_CHOICE may have it. `option` is the name for messages: "--count".
       Returns 0, or EXIT_USAGE after a message. */
    int (*set)(void *field, const char *option, const char *text);
    /* Returns the name of the file to read that the value `text` of .set()
       names, or NULL if it names none. NULL: a value never names a file. */
    const char *(*file)(const void *options, const char *text);
    /* value that counts as not given for .of, .needs and .without; or NULL */
    const char *usual;
    /* name of an option that can replace this required one; or NULL */
    const char *instead;
    /* name of another option that must be given too; or NULL */
    const char *needs;
    /* names of options that must not be given, separated by blanks; or NULL */
    const char *without;
    bool prints; /* a flag such as --json, whose output goes to stdout */
    /* File name suffixes that suit the file, the preferred first: "html htm".
       NULL: any name. If suffixes_of() is set, its result counts instead. */
    const char *suffixes;
    const char *(*suffixes_of)(const void *options);
};

/* A table of rows whose fields lie in one struct. */
struct option_table {
    const struct option_row *row;
    size_t rows;
    /* offset of `const char *text[rows]`, the values as given: "" for no value,
       NULL if not given; 0: the struct has no such array */
    size_t texts;
    void (*done)(
        void *options); /* called after all values are stored; or NULL */
    /* Names of features, for messages: "--schedule farm"; or NULL. Bit i of
       has() tells whether the command line has feature kinds[i]. */
    const char *const *kinds;
    unsigned (*has)(const void *options);
};

#define OPTION_ROWS(list) .row = list, .rows = sizeof(list) / sizeof *(list)

/* Makes a table of a single command's rows. */
#define OPTION_TABLE(list)                                                     \
    &(const struct option_table)                                               \
    {                                                                          \
        OPTION_ROWS(list)                                                      \
    }

struct option_command {
    const char *name;    /* name of the subcommand: "links" */
    const char *summary; /* line in the list of subcommands */
    /* words shown in the help: "X,Y|all"; NULL: options only */
    const char *words;
    /* help text before the options, "\v", help text after them */
    const char *text;
    /* line above each group of options, or NULL */
    const char *heading[OPTION_GROUPS];
    struct {
        const struct option_table *table;
        size_t at;        /* offset of the table's struct in the subcommand's */
    } part[OPTION_PARTS]; /* the first entry without a table ends the list */
    /* Row that stores the words that are no options, after all options. NULL:
       words are refused. If words are fewer than its .least, or lacks() returns
       true, a message names what is missing: the row's .help, such as "a node,
       X,Y or all". */
    const struct option_row *word;
    bool (*lacks)(const void *options);
    /* offset of a FILE * for readable lines: set to stdout, or to stderr if
       stdout is one of the command's output files; 0: none */
    size_t people;
    size_t bytes;      /* size of the subcommand's struct */
    const void *usual; /* defaults of the struct; NULL: all zero */
    /* Completes the defaults; or NULL. `line` is the quoted command line, valid
       until the program ends. */
    void (*begin)(void *options, const char *line);
    int (*run)(void *options);  /* Does the work. Returns the exit status. */
    void (*end)(void *options); /* frees the struct's memory; or NULL */
};

#endif
