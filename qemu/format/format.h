/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel's file format. read() makes the load and the kernel's argument of an
 * input file; write() makes a file of the output. A kernel without a format
 * takes any file unchanged.
 */
#ifndef QEMU_FORMAT_FORMAT_H
#define QEMU_FORMAT_FORMAT_H

#include "hal/nodiscard.h"
#include "qemu/base/file.h"
#include "qemu/base/option.h"
#include "qemu/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One of several files that form a load. */
struct format_file {
    const char *name; /* outlives the load */
    uint64_t at;      /* offset of the file's first byte in the load */
    uint64_t bytes;   /* number of the file's bytes in the load */
};

/* Sentences for the user on how the files of a job's loads were read. */
struct format_notes {
    char **text; /* malloc'd array of malloc'd texts */
    uint32_t count;
};

/* A load and its format's own data; format_free() frees them. */
struct format_load {
    uint8_t *data; /* malloc'd: units * unit_bytes bytes; NULL if empty */
    FILE *file;    /* open file that holds the load, instead of data; or NULL */
    const char *path;          /* name of `file`; outlives the load */
    struct format_file *files; /* malloc'd: files in order; or NULL */
    uint32_t file_count;
    uint64_t units;
    uint32_t unit_bytes;
    uint8_t *arg; /* malloc'd: the kernel's argument */
    uint32_t arg_bytes;
    char *words;   /* malloc'd: the text of --arg, split into words; or NULL */
    void *context; /* malloc'd: data for write(), or NULL */
    /* The caller sets the fields below before read(). */
    bool wants_output; /* the user wants the output */
    bool as_is; /* read the file unchanged: no decompression, no parsing */
    struct format_notes *notes; /* outlives the load; NULL: no notes */
};

struct format {
    const char *kernel;   /* name of the kernel; NULL: every other kernel */
    const char *argument; /* what --arg means; NULL: as the kernel says */
    const char *example;  /* example of --arg; NULL: --arg is not required */
    const char *arg_file; /* "vector=": a file's name follows; NULL: none */
    const char *input;    /* kinds of input file, for people; NULL: none */
    const char *output;   /* kinds of output file, for people; NULL: none */
    const char *suffixes; /* output suffixes as in struct option_row; NULL: use
                             check() */
    const char *done;     /* what was done: "searched"; NULL: "computed" */
    const char *thing;    /* counted thing: "match"; NULL: no result counts */
    const char *things;   /* plural of the counted thing: "matches" */

    /*
     * Reads `path` (NULL if none was given) and the text of --arg, which a 0
     * follows. Returns 0; 1 for an unusable file or 2 for a bad argument, after
     * a message on stderr that names file, place and reason.
     */
    int (*read)(struct format_load *load, const char *path, const uint8_t *arg,
                uint32_t arg_bytes);

    /* Reads `count` files, 2 or more, as one load, and fills in load->files. No
       result of the kernel may span two files. Returns as read() does. NULL:
       the kernel takes one file only. */
    int (*read_several)(struct format_load *load, const char *const path[],
                        uint32_t count, const uint8_t *arg, uint32_t arg_bytes);

    /* Checks before the run whether a file of this name can hold the load's
       output. Returns 0, or 1 after a message on stderr. NULL: any file can. */
    int (*check)(const struct format_load *load, const char *path);

    /* Writes the whole output to `out`. `path` is for messages, and its suffix
       selects the kind of file. Returns 0, or 1 after a message on stderr; the
       caller checks the stream for write errors. NULL: writes the bytes
       unchanged. */
    int (*write)(FILE *out, const struct format_load *load, const char *path,
                 const uint8_t *output, uint64_t bytes);
};

/* Frees all that the load holds, and empties the load. */
void format_free(struct format_load *load);

/* Adds a sentence to the load's notes, as printf() does; repeated ones are
   dropped. */
__attribute__((format(printf, 2, 3))) void format_note(struct format_load *load,
                                                       const char *format, ...);

void format_notes_free(struct format_notes *notes);

/* Opens or reads a whole file that INPUT or an argument names, as file_open()
   and file_read() do. A compressed file is decompressed, with a note, unless
   load->as_is is set. */
NODISCARD int format_open_file(struct format_load *load, FILE **file,
                               uint64_t *bytes, const char *path);
NODISCARD int format_read_file(struct format_load *load, uint8_t **data,
                               uint64_t *bytes, const char *path);

/* Returns the length of a file's name without a last suffix of compression,
   such as .gz. */
size_t format_name_bytes(const char *path);

/* Reads a file and decodes its text by text_decode(), unless load->as_is is
   set. Returns 0; or 1 and no data, after a message. */
NODISCARD int format_read_text(struct format_load *load, struct text *text,
                               const char *path);

/* Adds notes on changed line ends, removed byte order marks and a removed ^Z.
   `converted` ends a note on text that became UTF-8. `wide` is the middle of a
   note on text that seems to have several bytes a character. NULL leaves out
   the note. */
void format_note_text(struct format_load *load, const struct text *text,
                      const char *path, const char *converted,
                      const char *wide);

/* Returns the load from byte `at` on, valid as long as the load. */
struct file_piece format_piece(const struct format_load *load, uint64_t at);

/* Makes a whole file the load, with units of one byte. `path` must outlive the
   load. Returns 0, or 1 after a message on stderr. */
NODISCARD int format_open(struct format_load *load, const char *path);

/* Makes several whole files the load, separated by the byte `between`, with
   units of one byte. Returns 0, or 1 after a message on stderr. */
NODISCARD int format_open_several(struct format_load *load,
                                  const char *const path[], uint32_t count,
                                  uint8_t between);

/* Makes load->files, with the names; the caller fills in the files' places. */
void format_list_files(struct format_load *load, const char *const path[],
                       uint32_t count);

/* Parses --arg, "KEY=VALUE,KEY=VALUE", into the struct `values` by
   option_parse_list(). Fields of type OPTION_TEXT are valid as long as the
   load. Returns 0, or 2 after a message. */
NODISCARD int format_parse_arg(struct format_load *load,
                               const struct option_table *table,
                               const uint8_t *arg, uint32_t arg_bytes,
                               void *values);

/* Copies `bytes` bytes of an argument into the load. */
void format_copy_arg(struct format_load *load, const void *arg, size_t bytes);

#endif
