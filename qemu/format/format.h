/* SPDX-License-Identifier: Apache-2.0 */
/* How a kernel's input and output files are read and written. read() makes the
   load and the kernel's argument from an input file, write() makes a file from
   the output. A kernel without a format takes any file as it is. */
#ifndef QEMU_FORMAT_FORMAT_H
#define QEMU_FORMAT_FORMAT_H

#include "hal/nodiscard.h"
#include "kernels/kernel.h"
#include "qemu/base/file.h"
#include "qemu/base/option.h"
#include "qemu/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_result;
struct kernel_sink;

/* One of several files that form a load. */
struct format_file {
    const char *name; /* the caller's; outlives the load */
    uint64_t at;      /* offset of its first byte in the load */
    uint64_t bytes;   /* number of its bytes in the load */
};

/* How the files of a job were read: malloc'd arrays of malloc'd texts, each of
   which is there once. */
struct format_notes {
    char **text; /* sentences for the user */
    uint32_t count;
    char **file; /* names of the files that were opened */
    uint32_t files;
};

/* The size of an image, pixels. */
struct format_size {
    uint32_t width;
    uint32_t height;
};

/* A load, and what its format needs to know of it. format_free() frees the
   members that are malloc'd, and closes `file`. */
struct format_load {
    uint8_t *data; /* malloc'd: units * unit_bytes bytes; NULL: none */
    FILE *file;    /* open file that is the load, in place of `data`; or NULL */
    const char *path; /* path of `file`; outlives the load */
    /* malloc'd: the files in order; NULL: only one */
    struct format_file *files;
    uint32_t file_count;
    uint64_t units;
    uint32_t unit_bytes;
    uint64_t output_bytes; /* most bytes of output; set before check() */
    uint8_t *arg;          /* malloc'd: argument for the kernel */
    uint32_t arg_bytes;
    char *words;   /* malloc'd: the text of --arg, split into words; or NULL */
    void *context; /* malloc'd: data for write(), or NULL */
    /* The kernel's output marks some places too many; finish() takes them out
       of the output and the result. */
    bool candidates;
    /* The caller sets the fields below before read(). */
    bool wants_output; /* the user wants the output */
    const struct kernel *kernel;
    /* of the output, for kernels without a format (--size); 0: no image */
    struct format_size image;
    /* units of a load of numbers, which has no file (--load); else 0 */
    uint64_t numbers;
    bool as_is; /* read the file unchanged: no decompression, no parsing */
    struct format_notes *notes; /* outlives the load; NULL: no notes */
};

struct format {
    const char *kernel; /* the kernel; NULL: the format of all other kernels */
    const char *argument; /* what --arg means; NULL: the kernel says it */
    const char *example;  /* an example of --arg; NULL: --arg is not needed */
    const char *input;    /* kinds of input files, for people; NULL: no input */
    const char *output; /* kinds of output files, for people; NULL: no output */
    /* suffixes of output files, as in struct option_row; NULL: check()
       decides */
    const char *suffixes;
    const char *done;   /* what was done: "searched"; NULL: "computed" */
    const char *thing;  /* what the result counts: "match"; NULL: nothing */
    const char *things; /* plural of `thing`: "matches" */

    /* Reads the file `path` (NULL: none was given) and the text of --arg, which
       ends with a NUL. Returns 0; 1 if the file is unusable, 2 if the argument
       is wrong, both after a message on stderr that names file, place and
       reason. */
    int (*read)(struct format_load *load, const char *path, const uint8_t *arg,
                uint32_t arg_bytes);

    /* Reads `count` files, 2 or more, as one load, and sets load->files. What
       the kernel finds must not reach from one file into the next. Returns what
       read() returns. NULL: the kernel takes only one file. */
    int (*read_several)(struct format_load *load, const char *const path[],
                        uint32_t count, const uint8_t *arg, uint32_t arg_bytes);

    /* Checks before the run whether a file of this name can hold the load's
       output. Returns 0, or 1 after a message on stderr. NULL: any file can. */
    int (*check)(const struct format_load *load, const char *path);

    /* Completes the result and output of a load with .candidates. NULL: there
       is no such load. */
    void (*finish)(const struct format_load *load,
                   struct kernel_result *result);

    /* Writes the whole output to `out`. The suffix of `path` tells the kind of
       file; messages name it. Returns 0, or 1 after a message on stderr. The
       caller checks the stream for errors. NULL: the bytes are written as they
       are. */
    int (*write)(FILE *out, const struct format_load *load, const char *path,
                 const uint8_t *output, uint64_t bytes);

    /* Tells `sink` values of a result that the kernel's own report() leaves
       out, as they need the load's context. NULL: there are none. */
    void (*report)(const struct format_load *load,
                   const struct kernel_result *result,
                   const struct kernel_sink *sink);
};

/* Frees what the load holds, and makes it empty. */
void format_free(struct format_load *load);

/* Adds a sentence to the load's notes, as printf() does. A repeated sentence is
   dropped. */
__attribute__((format(printf, 2, 3))) void format_note(struct format_load *load,
                                                       const char *format, ...);

void format_notes_free(struct format_notes *notes);

/* Open or read a whole file that INPUT or an argument names, as file_open() and
   file_read() do, and note its name. A compressed file is decompressed, with a
   note, unless load->as_is is true. */
NODISCARD int format_open_file(struct format_load *load, FILE **file,
                               uint64_t *bytes, const char *path);
NODISCARD int format_read_file(struct format_load *load, uint8_t **data,
                               uint64_t *bytes, const char *path);

/* Returns the kind of an image or a sound that is not read, or with `sounds`
   of a sound, by the file's first bytes: "GIF"; NULL: it is none. */
const char *format_kind(const uint8_t *file, uint64_t bytes, bool sounds);

/* Returns the length of a file's name without a final suffix of compression,
   such as ".gz". */
size_t format_name_bytes(const char *path);

/* Reads a file and decodes its text by text_decode(), unless load->as_is is
   true. Returns 0; or 1 after a message, with no data. */
NODISCARD int format_read_text(struct format_load *load, struct text *text,
                               const char *path);

/* Adds notes on what was changed in a text: line ends, byte order marks, a
   final ^Z. `converted` is the end of a note on text that became UTF-8. `wide`
   is the middle of a note on text that seems to have several bytes a character.
   If one is NULL, its note is left out. */
void format_note_text(struct format_load *load, const struct text *text,
                      const char *path, const char *converted,
                      const char *wide);

/* Returns the bytes of the load from byte `at` on. They are valid as long as
   the load. */
struct file_piece format_piece(const struct format_load *load, uint64_t at);

/* Returns the least number from `from` on whose bit is set in an output of
   bits, or `end`. */
uint64_t format_next_bit(const uint8_t *output, uint64_t from, uint64_t end);

/* Makes a whole file the load, with units of one byte. `path` must outlive the
   load. Returns 0, or 1 after a message on stderr. */
NODISCARD int format_open(struct format_load *load, const char *path);

/* Makes several whole files the load, with the byte `between` between two of
   them, and units of one byte. Returns 0, or 1 after a message on stderr. */
NODISCARD int format_open_several(struct format_load *load,
                                  const char *const path[], uint32_t count,
                                  uint8_t between);

/* Makes load->files with their names. The caller sets where each lies. */
void format_list_files(struct format_load *load, const char *const path[],
                       uint32_t count);

/* Parses --arg, "KEY=VALUE,KEY=VALUE", into the struct `values` by
   option_parse_list(). Texts are valid as long as the load. Returns 0, or 2
   after a message. */
NODISCARD int format_parse_arg(struct format_load *load,
                               const struct option_table *table,
                               const uint8_t *arg, uint32_t arg_bytes,
                               void *values);

/* Makes a copy of `bytes` bytes the kernel's argument. */
void format_copy_arg(struct format_load *load, const void *arg, size_t bytes);

#endif
