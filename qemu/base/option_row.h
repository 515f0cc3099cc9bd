/* SPDX-License-Identifier: Apache-2.0 */
/* The rows and tables that describe the options of a subcommand;
   qemu/base/option.h parses by them. */
#ifndef QEMU_BASE_OPTION_ROW_H
#define QEMU_BASE_OPTION_ROW_H

#include "torus/torus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of an option's value, with the C type of the field that stores it. */
enum option_type {
    OPTION_FLAG,   /* bool: true; the option takes no value */
    OPTION_FIXED,  /* unsigned integer: .fixed; the option takes no value */
    OPTION_TEXT,   /* const char *: a word of at least .least bytes */
    OPTION_INPUT,  /* const char *: a file to read */
    OPTION_PATH,   /* char [.width]: a file to read; longer names are cut */
    OPTION_OUTPUT, /* const char *: a file to write, from file_output_name() */
    OPTION_UPDATE, /* const char *: a file to read and write, not "-" */
    /* unsigned integer of .width bytes (0: 8 bytes) from .least to .most (0: no
       bound), or one of .choices */
    OPTION_COUNT,
    /* signed integer of .width bytes from (int64_t).least to .most */
    OPTION_INTEGER,
    OPTION_SIZE,   /* like OPTION_COUNT; the value may end in k, MiB .. */
    OPTION_TIME,   /* like OPTION_COUNT, in ps; the value ends in us, ms .. */
    OPTION_CHOICE, /* unsigned integer or bool: index of a word in .choices */
    OPTION_MESH,   /* struct torus_size: WxH; sides up to .most, if not 0 */
    OPTION_SIDE,   /* struct torus_size: one side of a 5^k x 5^k torus */
    /* struct torus_coord: X,Y inside the mesh that OPTION_MESH or OPTION_SIDE
       gives */
    OPTION_COORD,
    OPTION_SET,   /* any field: .set() stores the value */
    OPTION_LISTS, /* options of this and later types may be repeated */
    OPTION_TEXTS = OPTION_LISTS, /* struct option_texts: words */
    OPTION_INPUTS,               /* struct option_texts: files to read */
    OPTION_OUTPUTS,              /* struct option_texts: files to write */
    /* struct option_places: up to .most coordinates X,Y. If .value is
       "X,Y=FILE", each has a file to read; if "X,Y[=FILE]", it may have one */
    OPTION_PLACES
};

/* Values of an option that may be repeated. option_free() frees them. */
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
    bool word; /* true: the row's .word, such as "all", was given */
};

#define OPTION_PARTS 6u
#define OPTION_GROUPS 10u

/* The .at and .width of a row that stores its value in `member` of struct
   `type`. */
#define OPTION_AT(type, member)                                                \
    offsetof(type, member), sizeof((type *)0)->member
#define OPTION_ALL 0, 0 /* .at and .width if .set() fills the whole struct */

/* Bounds of an option that takes a TCP port; 0 asks for a free port. */
#define OPTION_TCP_PORT                                                        \
    .most = UINT16_MAX,                                                        \
    .allowed = "must be a port from 1 to 65535, or 0: one that is free"

struct option_row {
    const char *name; /* "json" stands for --json */
    /* the value's name in the help: "FILE"; NULL: the option takes no value */
    const char *value;
    uint8_t group; /* lower groups come first in the help */
    enum option_type type;
    size_t at;    /* offset of the field in the struct of the table */
    size_t width; /* size of the field, bytes */
    const char *help;
    char letter; /* 'q' stands for -q; '\0': no letter */
    /* true: the value may be left out; the field keeps its default */
    bool optional;
    bool required;
    /* bits of the table's .kinds: the option is for jobs of these kinds only;
       0: for all jobs */
    uint8_t of;
    /* offset of a `const char *`, which is set to the value as given, or to ""
       if the value is left out; 0: the struct has none */
    size_t text;
    uint64_t least;
    uint64_t most;
    uint64_t fixed;
    const char *word;    /* word allowed instead of a number: "auto"; or NULL */
    uint64_t word_value; /* the number that .word stands for */
    const char *choices; /* allowed words, separated by blanks; or NULL */
    /* returns the allowed word `index`, such as a kernel's name, and NULL
       behind the last; NULL: .choices counts */
    const char *(*choice)(size_t index);
    /* error text, "must be ..."; NULL: made from bounds and choices */
    const char *allowed;
    /* Parses `text` and stores the value in the field. OPTION_SET needs this
       function, OPTION_CHOICE may have it. `option` is for messages: "--count".
       Returns 0, or EXIT_USAGE after a message. */
    int (*set)(void *field, const char *option, const char *text);
    /* Returns the name of the file to read that the value `text` of .set()
       names, or NULL if it names none. NULL: a value never names a file. */
    const char *(*file)(const void *options, const char *text);
    /* value with which the option counts as not given for .of, .needs and
       .without; or NULL */
    const char *usual;
    /* name of an option that may be given instead, if .required; or NULL */
    const char *instead;
    /* name of another option that must be given, too; or NULL */
    const char *needs;
    /* names of options that must not be given with this one, separated by
       blanks; or NULL */
    const char *without;
    bool prints; /* true: a flag such as --json, whose output goes to stdout */
    /* Suffixes of names that suit the file, the preferred one first: "html
       htm". NULL: any name. The result of suffixes_of(), if set, replaces
       them. */
    const char *suffixes;
    const char *(*suffixes_of)(const void *options);
};

/* A table of rows whose fields lie in one struct. */
struct option_table {
    const struct option_row *row;
    size_t rows;
    /* offset of `const char *text[rows]`, which is set to all values as given:
       "" without a value, NULL if not given; 0: the struct has no such array */
    size_t texts;
    void (*done)(
        void *options); /* called after all values are stored; or NULL */
    /* Names of kinds of jobs, for messages: "--schedule farm"; or NULL. Bit i
       of has() is set if the command line's job is of kinds[i]. */
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
    const char *name;    /* the subcommand's name: "links" */
    const char *summary; /* its line in the list of subcommands */
    /* words that are no options, for the help: "X,Y|all"; NULL: none are
       allowed */
    const char *words;
    /* help text above the options, then "\v", then the text below them */
    const char *text;
    /* line above each group of options; or NULL */
    const char *heading[OPTION_GROUPS];
    struct {
        const struct option_table *table;
        size_t at; /* offset of the table's struct in the subcommand's struct */
    } part[OPTION_PARTS]; /* the first entry without a table ends the list */
    /* Row for the words that are no options. NULL: words are refused. If there
       are fewer words than its .least, or lacks() returns true, a message says
       that its .help is missing: "a node, X,Y or all". */
    const struct option_row *word;
    bool (*lacks)(const void *options);
    /* offset of a FILE * for lines that people read: set to stdout, or to
       stderr if stdout is an output file; 0: none */
    size_t people;
    size_t bytes;      /* size of the subcommand's struct */
    const void *usual; /* defaults of the struct; NULL: zeros */
    /* Completes the defaults; or NULL. `line` is the quoted command line, which
       stays valid until the program ends. */
    void (*begin)(void *options, const char *line);
    int (*run)(void *options);  /* does the work and returns the exit status */
    void (*end)(void *options); /* frees the struct's memory; or NULL */
};

#endif
