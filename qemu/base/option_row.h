/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that describe the options of subcommands: qemu/base/option.h. */
#ifndef QEMU_BASE_OPTION_ROW_H
#define QEMU_BASE_OPTION_ROW_H

#include "torus/torus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of an option's value, and the type of the field that takes it. */
enum option_type {
    OPTION_FLAG,   /* no value; bool: true once it is given */
    OPTION_FIXED,  /* no value; unsigned integer: .fixed */
    OPTION_TEXT,   /* const char *: the word, of .least bytes or more */
    OPTION_INPUT,  /* const char *: a file to read */
    OPTION_PATH,   /* char [width]: a file to read, its name cut to fit */
    OPTION_OUTPUT, /* const char *: a file to write, by file_output_name() */
    OPTION_UPDATE, /* const char *: a file to read and to write, not "-" */
    OPTION_COUNT,  /* unsigned integer of .width bytes (0: 8): digits, from
                      .least to .most, any if .most is 0; one of .choices */
    OPTION_SIZE,   /* as OPTION_COUNT, with a suffix: k, MiB */
    OPTION_TIME,   /* as OPTION_COUNT, picoseconds, with a suffix: us */
    OPTION_CHOICE, /* unsigned integer or bool: the place in .choices */
    OPTION_MESH,   /* struct torus_size: WxH, sides up to .most, if not 0 */
    OPTION_SIDE,   /* struct torus_size: the side of a 5^k x 5^k torus */
    OPTION_COORD,  /* struct torus_coord: X,Y, inside the OPTION_MESH or
                      OPTION_SIDE of the same command if that is given */
    OPTION_SET,    /* any field: .set() stores the value */
    OPTION_LISTS,  /* below: options that may be repeated */
    OPTION_TEXTS = OPTION_LISTS, /* struct option_texts: the words */
    OPTION_INPUTS,               /* struct option_texts: files to read */
    OPTION_OUTPUTS,              /* struct option_texts: files to write */
    OPTION_PLACES /* struct option_places: X,Y as of OPTION_COORD, at most .most
                     times; as .value says it may stand before more: "X,Y=FILE",
                     a file to read, or "X,Y[=FILE]" */
};

/* Values of an option that may be repeated; freed by option_free(). */
struct option_texts {
    const char **text;
    uint32_t count;
};

struct option_place {
    struct torus_coord at;
    const char *more; /* behind the equals sign; NULL: none was given */
    const char *text; /* the whole value, for messages */
};

struct option_places {
    struct option_place *place;
    uint32_t count;
    bool word; /* the row's .word was given: "all" */
};

#define OPTION_PARTS 6u
#define OPTION_GROUPS 10u

/* A row's field: OPTION_AT(struct options, count). */
#define OPTION_AT(type, member)                                                \
    offsetof(type, member), sizeof((type *)0)->member
#define OPTION_ALL 0, 0 /* the whole struct is the field of OPTION_SET */

/* The bounds of a TCP port; 0 asks for a free one. */
#define OPTION_TCP_PORT                                                        \
    .most = UINT16_MAX,                                                        \
    .allowed = "must be a port from 1 to 65535, or 0: one that is free"

struct option_row {
    const char *name;  /* "json" of --json */
    const char *value; /* in the help: "FILE"; NULL: it takes none */
    uint8_t group;     /* lines of lower groups come first in the help */
    enum option_type type;
    size_t at;    /* offset of the field in the table's struct */
    size_t width; /* bytes of the field */
    const char *help;
    char letter;   /* 'q' of -q; '\0': it has none */
    bool optional; /* the value may be left out: the field keeps its default */
    bool required;
    uint8_t of;  /* bits of the table's kinds that have the option; 0: all */
    size_t text; /* offset of a const char *: the value as given, "" for none,
                    NULL: not given; offset 0: the text is not kept */
    uint64_t least;
    uint64_t most;
    uint64_t fixed;
    const char *word;    /* a word in place of a number: "auto"; or NULL */
    uint64_t word_value; /* the number that the word stands for */
    const char *choices; /* words with blanks between them; or NULL */
    /* The choices of a table that another file has: NULL behind the last. */
    const char *(*choice)(size_t index);
    const char *allowed; /* "must be ..."; NULL: told by bounds and choices */
    /* Stores the value in the field: of OPTION_SET any; of OPTION_CHOICE, where
       it may be NULL, one of the choices. `option` is the option's name in
       messages: "--count". Result: 0, or EXIT_USAGE after a message. */
    int (*set)(void *field, const char *option, const char *text);
    const char *usual;   /* with this value .of, .needs and .without do not
                            count; or NULL */
    const char *instead; /* name of an option that replaces a required one; or
                            NULL */
    const char *needs; /* name of an option that must be given, too; or NULL */
    const char *without; /* names of options that must not be given, with blanks
                            between them; or NULL */
    bool prints;         /* with this flag an outcome goes to standard output */
    /* What tells the kind of a file to write at the end of its name, the one to
       use first: "html htm"; NULL: nothing is known of it. Or a function of the
       table's struct that says so. */
    const char *suffixes;
    const char *(*suffixes_of)(const void *options);
};

/* Rows whose fields lie in one struct. */
struct option_table {
    const struct option_row *row;
    size_t rows;
    size_t texts; /* offset in its struct of `const char *text[rows]`: the
                     values as given, "" for none, NULL: not given; 0: none */
    void (*done)(
        void *options); /* called once all values are stored; or NULL */
    /* Names of features that only some command lines have, for messages:
       "--schedule farm"; or NULL. has() returns the bits of a command line's
       features. */
    const char *const *kinds;
    unsigned (*has)(const void *options);
};

#define OPTION_ROWS(list) .row = list, .rows = sizeof(list) / sizeof *(list)

/* A table that is one command's alone. */
#define OPTION_TABLE(list)                                                     \
    &(const struct option_table)                                               \
    {                                                                          \
        OPTION_ROWS(list)                                                      \
    }

struct option_command {
    const char *name;    /* of the subcommand: "links" */
    const char *summary; /* in the list of subcommands */
    const char *words; /* in the help: "X,Y|all"; NULL: it takes only options */
    const char *text;  /* of --help: before the options, "\v", and behind */
    const char *heading[OPTION_GROUPS]; /* a line above each group, or NULL */
    struct {
        const struct option_table *table;
        size_t at;        /* offset of the table's struct in the subcommand's */
    } part[OPTION_PARTS]; /* the first without a table ends */
    /* Where words go that are no options, after all options, in the
       subcommand's struct; NULL: they are refused. The row's name is that in
       messages, its help what is missing if there are less than .least or
       lacks() says so: "a node, X,Y or all". */
    const struct option_row *word;
    bool (*lacks)(const void *options);
    size_t people;     /* offset of a FILE *, the stream of lines for people:
                          stdout,     or stderr if an outcome goes there; 0: none */
    size_t bytes;      /* of the subcommand's struct */
    const void *usual; /* its defaults; NULL: all zero */
    /* Completes the defaults; or NULL. `line` is the command line as a shell
       takes it, which lasts until the end. */
    void (*begin)(void *options, const char *line);
    int (*run)(void *options);  /* does the work. Result: the exit status */
    void (*end)(void *options); /* frees what the struct has; or NULL */
};

#endif
