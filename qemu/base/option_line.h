/* SPDX-License-Identifier: Apache-2.0 */
/* The options and words of a command line, which option.c reads, and the checks
   that need all of them. */
#ifndef QEMU_BASE_OPTION_LINE_H
#define QEMU_BASE_OPTION_LINE_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"

#define OPTION_NAME_BYTES 48u

/* A row of the option tables, and the value that the command line gives it. */
struct option_entry {
    const struct option_row *row;
    const struct option_table *table;
    char *options; /* struct in which the fields of the table's rows lie */
    /* last value given; "": given without a value; NULL: not given */
    const char *text;
    const char **text_at;         /* where .text is stored, too; or NULL */
    char name[OPTION_NAME_BYTES]; /* for messages: "--report", "INPUT" */
};

/* An option with its value, or a word, as the command line gives it. */
struct option_given {
    struct option_entry *entry;
    const char *text;
};

struct option_line {
    const struct option_command *command;
    /* text before a name in messages: "--", or "" for keys of --arg */
    const char *mark;
    void *options;
    /* one entry for each row of all tables, then for each option that every
       command has */
    struct option_entry *entry;
    size_t rows; /* number of rows of all tables */
    /* entry of words that are no options; .row NULL: none allowed */
    struct option_entry word;
    struct option_given *given;
    size_t count;
    unsigned words;
};

static inline void *option_field(const struct option_entry *entry)
{
    return entry->options + entry->row->at;
}

/* Checks that required options are given, that given options suit each other
   and the kind of job, and that coordinates lie inside the mesh. Returns false
   after a message about the first conflict. */
bool option_agree(const struct option_line *line);

/* Checks the files of all given options and words. A file name must not have
   the suffix of another kind of file than the row's suffixes: a WAV file must
   not be called x.flac, but may be called x or x.new. Upper and lower case
   count alike. No output may be the same file as an input or another output.
   Only one output may go to standard output. All outputs must be writable. Sets
   the command's .people to stdout, or to stderr if stdout is an output. Returns
   0, or an exit status after a message. */
NODISCARD int option_files_check(const struct option_line *line);

/* Checks the stored values of all outputs: option_check_read(). */
NODISCARD int option_files_check_read(const struct option_line *line,
                                      const char *option, const char *path);

#endif
