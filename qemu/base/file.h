/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole files, and writes files atomically: a reader sees either the old
   contents or all of the new. Every function that fails has printed `quincunx:
   <path>: <reason>` on stderr. */
#ifndef QEMU_BASE_FILE_H
#define QEMU_BASE_FILE_H

#include "hal/nodiscard.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Returns in `path` the path of a file in this program's folder; `name` is
   "zygote.so" or "mps2_an385/firmware.elf". Returns "" after a message if /proc
   does not tell the program's folder. */
void file_beside_program(char path[PATH_MAX], const char *name);

/* Returns a path as messages show it: "standard input" for "-", "standard
   output" for what file_output_name("-") returns, else quote_shown(path). The
   text is valid as long as a text of quote_shown(). */
const char *file_name(const char *path);

/* Prints an error about a file on stderr, as printf() does. Returns 1. */
__attribute__((format(printf, 2, 3))) int file_error(const char *path,
                                                     const char *format, ...);

/* Returns whether two paths name one regular file, or would if a missing file
   were created. Existing files are compared by device and inode, missing ones
   by folder and last component. Returns false for pipes, devices and other
   files whose contents writing does not destroy. */
bool file_same(const char *one, const char *other);

/* Reads a whole file by file_open(). The buffer has one spare byte at the end.
   Returns 0 and *data, malloc'd, which the caller frees; or 1 and NULL. */
NODISCARD int file_read(uint8_t **data, uint64_t *bytes, const char *path);

/* Reads the first `bytes` of an open file. Returns what file_read() returns.
   Messages name `path`. */
NODISCARD int file_read_open(uint8_t **data, FILE *file, uint64_t bytes,
                             const char *path);

/* Opens a file and measures it. Standard input ("-"), pipes, and files of /proc
   and /sys are first copied to a temporary file. Returns 0 and *file, which the
   caller closes by fclose(), or returns 1 and sets it to NULL. */
NODISCARD int file_open(FILE **file, uint64_t *bytes, const char *path);

/* Opens a temporary file, which vanishes when it is closed. `path` names the
   final file in messages. Returns a file that the caller closes by fclose(), or
   NULL after a message. */
FILE *file_scratch(const char *path);

/* Appends the first `bytes` bytes of `file` to the stream `to`. Returns 0, or 1
   after a message that names `path`. */
NODISCARD int file_append(FILE *to, FILE *file, uint64_t bytes,
                          const char *path);

/* Bytes in memory or in an open file. The caller owns all members. */
struct file_piece {
    const uint8_t *data; /* NULL: the bytes are in `file` */
    FILE *file;
    const char *path;
    uint64_t at; /* offset of the first byte in `file` */
};

/* Copies the first `bytes` of the piece. The position of an open file stays.
   Returns 0, or 1 after a message if the file is shorter or cannot be read. */
NODISCARD int file_piece_copy(uint8_t *to, const struct file_piece *piece,
                              uint64_t bytes);

/* Returns the path for an output option's text: "-" becomes "/dev/stdout", any
   other text stays. All functions of this header write "/dev/stdout" by its
   descriptor. */
const char *file_output_name(const char *text);

bool file_is_standard_output(const char *path);

/* A file that is written under a temporary name and renamed when it is
   complete. Signals that would end this program are blocked until then. The
   file gets the mode of the file that it replaces. Standard output, other
   descriptors (/dev/stderr, /dev/fd/3), pipes and devices are written
   directly. */
struct file_output {
    /* the caller writes to it but does not close it; the struct must not
       move */
    FILE *stream;
    const char *path;   /* the caller's; must stay valid until the close */
    const char *option; /* name of the option, for messages; NULL: none */
    char *target;       /* owned: `path` with its symbolic links resolved */
    char *temporary;    /* owned; NULL if the file is written directly */
    bool again;         /* true: opened by file_output_open_again() */
    bool held;          /* true: signals are blocked */
    sigset_t signals;   /* signal mask before the open */
    int descriptor;
    int error; /* errno of the first failure, or 0 */
};

/* Checks before long work that a file can be created or replaced. Leaves the
   contents of an existing file. Does not try pipes and devices. Messages name
   `option`, such as "--report". Returns 0, or 1 after a message. */
NODISCARD int file_output_check(const char *path, const char *option);

/* Opens an output file. Returns 0, or -1 after a message with nothing to close.
   Files that are open at the same time must be closed in reverse order. */
NODISCARD int file_output_open(struct file_output *file, const char *path);

/* Opens an output file that one process alone writes, again and again. Prints
   no message, nor does its close: .error has the errno. Its temporary file has
   always the same name, so that a killed process leaves none behind for
   long. */
NODISCARD int file_output_open_again(struct file_output *file,
                                     const char *path);

/* Closes the file. If `complete` is true and no write failed, renames it to its
   final name; else removes it. Returns 0, or -1 if the file is not in place.
   Prints why, unless `complete` is false. */
NODISCARD int file_output_close(struct file_output *file, bool complete);

#endif
