/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that describe the options of subcommands: qemu/support/option.h. */
#ifndef QEMU_SUPPORT_OPTION_ROW_H
#define QEMU_SUPPORT_OPTION_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an option's value is, and the type of its field. */
enum option_type {
    OPTION_FLAG,   /* no value; bool: true once it is given */
    OPTION_FIXED,  /* no value; unsigned integer: .fixed */
    OPTION_TEXT,   /* const char *: the word */
    OPTION_PATH,   /* char [width]: the word, cut to fit */
    OPTION_OUTPUT, /* const char *: a file to write, by file_output_name() */
    OPTION_COUNT,  /* unsigned integer of .width bytes (0: 8): digits, from
                      .least to .most, any if .most is 0; one of .choices */
    OPTION_SIZE,   /* the same, with a suffix such as k or MiB */
    OPTION_TIME,   /* the same in picoseconds, with a suffix such as us */
    OPTION_CHOICE, /* unsigned integer or bool: the place in .choices */
    OPTION_MESH,   /* struct torus_size: WxH, sides up to .most, if not 0 */
    OPTION_SIDE,   /* struct torus_size: the side of a 5^k x 5^k torus */
    OPTION_COORD,  /* struct torus_coord: X,Y */
    OPTION_SET     /* any: .set() stores it */
};

#define OPTION_PARTS 6u
#define OPTION_GROUPS 10u

/* A row's field: OPTION_AT(struct options, count). */
#define OPTION_AT(type, member)                                                \
    offsetof(type, member), sizeof((type *)0)->member
#define OPTION_ALL 0, 0 /* of OPTION_SET: the whole struct */

/* The bounds of a port of TCP, 0 for one that is free. */
#define OPTION_TCP_PORT                                                        \
    .most = UINT16_MAX,                                                        \
    .allowed = "must be a port from 1 to 65535, or 0: one that is free"

struct option_row {
    const char *name;  /* "json" of --json */
    const char *value; /* in the help: "FILE"; NULL: it takes none */
    uint8_t group;     /* of lines in the help: lower ones come first */
    enum option_type type;
    size_t at;    /* offset of the field in the table's struct */
    size_t width; /* of the field, bytes */
    const char *help;
    char letter;   /* 'q' of -q; '\0': it has none */
    bool optional; /* without a value the field keeps its default */
    bool required;
    uint8_t of;  /* bits of the table's kinds that have it; 0: all */
    size_t text; /* offset of a const char *: the value as given, "" for none,
                    NULL: not given; 0: it is not kept */
    uint64_t least;
    uint64_t most;
    uint64_t fixed;
    const char *word;    /* "auto", which the value may be, too; or NULL */
    uint64_t word_value; /* what it stands for */
    const char *choices; /* words with blanks between them; or NULL */
    /* The choices of a table that another file has: NULL behind the last. */
    const char *(*choice)(size_t index);
    const char *allowed; /* "must be ..."; NULL: told by bounds and choices */
    /* OPTION_SET: stores the value in the field; OPTION_CHOICE: a value that is
       among the choices, or NULL. `option` is the name for messages: "--count".
       Result: 0, or EXIT_USAGE after a message. */
    int (*set)(void *field, const char *option, const char *text);
    const char *usual;   /* a value that counts as not given in what follows */
    const char *instead; /* name of an option that takes a required one's place;
                            or NULL */
    const char *needs; /* name of an option that must be given, too; or NULL */
    const char *without; /* names of options that must not, with blanks between
                            them; or NULL */
};

/* Rows, and what goes for all of them. */
struct option_table {
    const struct option_row *row;
    size_t rows;
    size_t texts; /* offset in its struct of `const char *text[rows]`: the
                     values as given, "" for none, NULL: not given; 0: none */
    void (*done)(void *options); /* called when all are stored; or NULL */
    const char *const *kinds;    /* what only some commands have; or NULL */
    unsigned (*has)(const void *options); /* bits of those that this one has */
};

#define OPTION_ROWS(list) .row = list, .rows = sizeof(list) / sizeof *(list)

/* A table that is one command's alone. */
#define OPTION_TABLE(list)                                                     \
    &(const struct option_table)                                               \
    {                                                                          \
        OPTION_ROWS(list)                                                      \
    }

struct option_command {
    const char *name;  /* of the subcommand: "links" */
    const char *words; /* in the help: "X,Y|all"; NULL: it takes only options */
    const char *text;  /* of --help: before the options, "\v", and behind */
    const char *heading[OPTION_GROUPS]; /* of the groups in the help, or NULL */
    struct {
        const struct option_table *table;
        size_t at;        /* where its struct lies in the subcommand's */
    } part[OPTION_PARTS]; /* the first without a table ends */
    /* Takes a word that is no option, after all options. Result: 0, or
       EXIT_USAGE after a message. */
    int (*word)(void *options, const char *text);
    unsigned words_least;               /* fewer words are refused */
    bool (*lacks)(const void *options); /* whether words are missing; or NULL */
    const char *missing; /* what they are: "a node, X,Y or all" */
};

#endif
