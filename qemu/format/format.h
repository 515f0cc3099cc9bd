/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file formats of a kernel: its read() makes a load and the kernel's
 * argument of an input file, and its write() makes a file of the output. A
 * kernel that has no format of its own takes any file as it is.
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

/* One of several files that are a load together. */
struct format_file {
    const char *name; /* outlives the load */
    uint64_t at;      /* place of the file's first byte in the load */
    uint64_t bytes;   /* number of the file's bytes in the load */
};

/* Sentences for the user on how the files of a job's loads were read. */
struct format_notes {
    char **text; /* malloc'd, and so is each */
    uint32_t count;
};

/* A load, and whatever else its format keeps; format_free() frees it. */
struct format_load {
    uint8_t *data; /* malloc'd: units * unit_bytes, or NULL if these are 0 */
    FILE *file;    /* in place of data: an open file that is the load; or NULL
                    */
    const char *path;          /* of `file`: outlives the load */
    struct format_file *files; /* malloc'd: of a load of several files, in
                                  order; or NULL */
    uint32_t file_count;
    uint64_t units;
    uint32_t unit_bytes;
    uint8_t *arg; /* malloc'd: the kernel's argument */
    uint32_t arg_bytes;
    char *words;   /* malloc'd: the text of --arg, cut into words; or NULL */
    void *context; /* malloc'd: what write() must know, or NULL */
    /* Filled in before read(): */
    bool wants_output;          /* whether the output is wanted */
    bool as_is;                 /* nothing is decompressed or taken apart */
    struct format_notes *notes; /* outlives the load; NULL: none are wanted */
};

struct format {
    const char *kernel;   /* name of the kernel; NULL: every other kernel */
    const char *argument; /* what --arg means; NULL: as the kernel says */
    const char *example;  /* such an argument; NULL: it may be left out, or only
                             the kernel knows */
    const char *input;    /* kinds of input file, for people; NULL: none */
    const char *output;   /* kinds of output file, for people; NULL: none */
    const char *suffixes; /* of the output's name, as of struct option_row;
                             NULL: check() looks at them */
    const char *done;     /* what was done to the load: "searched"; NULL:
                             "computed" */
    const char *thing;    /* what `count` of the result counts: "match"; NULL:
                             no result has a count */
    const char *things;   /* its plural: "matches" */

    /*
     * Reads `path` (NULL if none was given) and the text of --arg, which a 0
     * follows. Result: 0; 1 for a file that cannot be used, 2 for a bad
     * argument, after a message on stderr that names file, place and reason.
     */
    int (*read)(struct format_load *load, const char *path, const uint8_t *arg,
                uint32_t arg_bytes);

    /* Reads several files as one load, in which nothing is found that lies in
       two of them, and fills load->files. `path` has `count` names, 2 or more.
       Result: as of read(). NULL: the kernel takes one file. */
    int (*read_several)(struct format_load *load, const char *const path[],
                        uint32_t count, const uint8_t *arg, uint32_t arg_bytes);

    /* Whether a file of that name can hold the output of this load; asked
       before the run. Result: 0 or 1, after a message on stderr. NULL: any can.
     */
    int (*check)(const struct format_load *load, const char *path);

    /* Writes the output, whole, to `out`; its `path` is for messages, and says
       by its end which kind of file it is to be. Result: 0 or 1, as above; a
       write that fails leaves its mark on the stream. NULL: the bytes as they
       are. */
    int (*write)(FILE *out, const struct format_load *load, const char *path,
                 const uint8_t *output, uint64_t bytes);
};

/* Frees what the load holds, and empties it. */
void format_free(struct format_load *load);

/* Adds a sentence to the load's notes, as printf() does; each is told once. */
__attribute__((format(printf, 2, 3))) void format_note(struct format_load *load,
                                                       const char *format, ...);

void format_notes_free(struct format_notes *notes);

/* Opens or reads a whole file that INPUT or an argument names, as file_open()
   and file_read() do. One that is compressed is decompressed, with a note,
   unless the load is to be as it is. */
NODISCARD int format_open_file(struct format_load *load, FILE **file,
                               uint64_t *bytes, const char *path);
NODISCARD int format_read_file(struct format_load *load, uint8_t **data,
                               uint64_t *bytes, const char *path);

/* Bytes of a file's name without a last suffix such as .gz, which says that the
   file is compressed. */
size_t format_name_bytes(const char *path);

/* Reads a file, and decodes its text by text_decode(), unless the load is to
   be as it is. Result: 0; or 1 and no data, after a message. */
NODISCARD int format_read_text(struct format_load *load, struct text *text,
                               const char *path);

/* Notes what has become of line ends, marks before lines and a ^Z; `converted`
   is the end of a sentence on text that became UTF-8, `wide` the middle of one
   on text that seems to have several bytes a character; NULL: without it. */
void format_note_text(struct format_load *load, const struct text *text,
                      const char *path, const char *converted,
                      const char *wide);

/* The place where the load's bytes from `at` on lie; it holds as long as the
   load. */
struct file_piece format_piece(const struct format_load *load, uint64_t at);

/* Makes a whole file the load: units of one byte. Result: 0, or 1 after a
   message on stderr. `path` outlives the load. */
NODISCARD int format_open(struct format_load *load, const char *path);

/* Makes several whole files the load, with the byte `between` between them:
   units of one byte. Result: as of format_open(). */
NODISCARD int format_open_several(struct format_load *load,
                                  const char *const path[], uint32_t count,
                                  uint8_t between);

/* Makes room for `count` files of the load, whose names and places the caller
   fills in. */
void format_list_files(struct format_load *load, const char *const path[],
                       uint32_t count);

/* Stores the values of --arg, "KEY=VALUE,KEY=VALUE", in the struct `values`, by
   option_parse_list(). Fields of type OPTION_TEXT hold as long as the load.
   Result: 0, or 2 after a message. */
NODISCARD int format_parse_arg(struct format_load *load,
                               const struct option_table *table,
                               const uint8_t *arg, uint32_t arg_bytes,
                               void *values);

/* Takes `bytes` of an argument over into the load, as they are. */
void format_copy_arg(struct format_load *load, const void *arg, size_t bytes);

#endif
