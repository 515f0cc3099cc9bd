/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files: read at once, or written so that a reader of the name finds the
 * old contents or all of the new. Every function that fails has printed
 * `quincunx: <path>: <reason>` on stderr.
 */
#ifndef QEMU_BASE_FILE_H
#define QEMU_BASE_FILE_H

#include "hal/nodiscard.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The path of what lies beside this program, or in a folder there: `name` is
   "zygote.so" or "mps2_an385/firmware.elf"; "", after a message, if /proc does
   not tell where this program is. */
void file_beside_program(char path[PATH_MAX], const char *name);

/* A path as messages name it: "standard input" for "-", "standard output" for
   what file_output_name() makes of it, else as quote_shown() has it, and holds
   it. */
const char *file_name(const char *path);

/* Prints what is wrong with a file on stderr, as printf() does. Result: 1. */
__attribute__((format(printf, 2, 3))) int file_error(const char *path,
                                                     const char *format, ...);

/*
 * Whether two names stand for one regular file, or would if the one that is
 * missing were created: by device and inode where both exist (links included),
 * else by folder and last part. A pipe, a device such as /dev/null or anything
 * else that is no regular file is never the same: writing to it destroys
 * nothing.
 */
bool file_same(const char *one, const char *other);

/* Reads a whole file, as file_open() opens it, with one byte of room behind it.
   Result: 0 and *data, malloc'd, the caller's to free; or 1 and NULL. */
NODISCARD int file_read(uint8_t **data, uint64_t *bytes, const char *path);

/* Reads the first `bytes` of an open file, likewise; `path` is for messages. */
NODISCARD int file_read_open(uint8_t **data, FILE *file, uint64_t bytes,
                             const char *path);

/* Opens a file and tells its size: what reading gives. Of standard input, "-",
   of pipes, and of files of /proc and /sys, whose size is not known before, a
   copy without a name is taken, once all has come. Result: 0 and *file, the
   caller's to fclose(); or 1 and NULL. */
NODISCARD int file_open(FILE **file, uint64_t *bytes, const char *path);

/* Opens a file without a name, which is gone when it is closed. Result: the
   caller's to fclose(); NULL after a message that names `path`, whose contents
   it is to take. */
FILE *file_scratch(const char *path);

/* Appends an open file of that many bytes to what a stream has; `path` is for
   messages. Result: 0 or 1. */
NODISCARD int file_append(FILE *to, FILE *file, uint64_t bytes,
                          const char *path);

/* Bytes of a load: in memory, or in an open file that is read when they are
   needed. All of it is the caller's. */
struct file_piece {
    const uint8_t *data; /* or NULL: in the file */
    FILE *file;
    const char *path; /* of the file */
    uint64_t at;      /* of the first byte in it */
};

/* Copies bytes; a file's position stays as it is. Result: 0; 1 if the file has
   become shorter or cannot be read. */
NODISCARD int file_piece_copy(uint8_t *to, const struct file_piece *piece,
                              uint64_t bytes);

/* The path that an option's text means: "-" stands for standard output, as
   "/dev/stdout", which all functions here write by its descriptor. */
const char *file_output_name(const char *text);

bool file_is_standard_output(const char *path);

/*
 * A file that takes its name only when it is complete: until then it lies next
 * to it, and signals that would end this program wait. One that is replaced
 * leaves its mode. Standard output, another descriptor (/dev/stderr,
 * /dev/fd/3), and a name that stands for no regular file (a pipe, /dev/null),
 * is written directly.
 */
struct file_output {
    FILE *stream;     /* for the caller to write to, not to close; it writes by
                         the struct, which must stay where it is */
    const char *path; /* as given: must stay valid until the end */
    const char *option; /* that named it, for messages; or NULL */
    char *target;       /* own: `path` with its symbolic links resolved */
    char *temporary;    /* own: NULL if written directly */
    bool held;          /* signals are held back ... */
    sigset_t signals;   /* ... which were not, or were, before */
    int descriptor;
    int error; /* of the first write that failed, or 0 */
};

/* Whether a file can be made or replaced, before work of hours whose outcome it
   is to take: what is there stays. A pipe or a device is not tried. `option`,
   such as "--report", named it: messages do so, too. Result: 0 or 1. */
NODISCARD int file_output_check(const char *path, const char *option);

/* Result: 0; -1, and nothing is to be closed. Of several open ones the last is
   closed first. */
NODISCARD int file_output_open(struct file_output *file, const char *path);

/*
 * Ends the file: gives it its name if `complete` and all was written, else
 * removes it. Result: 0; -1 if it is not there, with a message unless the
 * caller said that it is not complete.
 */
NODISCARD int file_output_close(struct file_output *file, bool complete);

#endif
