/* SPDX-License-Identifier: Apache-2.0 */
/* Reads text files in which each line has words separated by blanks. Empty
   lines, and text behind a `#`, are skipped. */
#ifndef QEMU_THEORY_WORKERS_H
#define QEMU_THEORY_WORKERS_H

#include "hal/nodiscard.h"
#include "qemu/theory/number.h"

#include <stddef.h>

struct theory_line {
    const char *path;
    unsigned number; /* from 1 */
};

/* Prints on stderr what is wrong with a line of the file: the column's name,
   the word, and the allowed values. `column` NULL stands for the whole line.
   Returns false. */
bool theory_line_complain(const struct theory_line *line, const char *column,
                          const char *word, const char *allowed);

/* Reads a file and calls take() for each line with its words, one or more.
   take() must not keep the words. Words beyond the fifth are ignored. Returns
   0. Returns EXIT_USAGE after a message on stderr, which take() prints if it
   returns false. */
NODISCARD int
theory_lines_read(const char *path,
                  bool (*take)(void *own, const struct theory_line *line,
                               char *const word[], unsigned words),
                  void *own);

#define THEORY_WORKERS_MAX 1000
#define THEORY_COLUMNS_MAX 4

struct theory_form {
    const char *words; /* names of all columns, for messages: "g w [G [W]]" */
    const char *column[THEORY_COLUMNS_MAX]; /* "g", "w" .. */
    /* true: the number must be more than 0; false: 0 or more */
    bool positive[THEORY_COLUMNS_MAX];
    unsigned least; /* least number of columns that a line must have */
    unsigned most;  /* most columns that a line may have */
};

struct theory_workers {
    const char *path; /* path of the file; the string is the caller's */
    size_t count;
    /* numbers[i]: worker i's numbers; 0 for columns that the line lacks */
    quad numbers[THEORY_WORKERS_MAX][THEORY_COLUMNS_MAX];
    /* number of each worker's line in the file, from 1 */
    unsigned line[THEORY_WORKERS_MAX];
};

/*
 * Reads a file with at least one worker, one worker a line:
 *
 *     # g  w    G
 *     1    7/2  0.5
 *     2    4            # the last numbers of a line may be optional
 *
 * Returns 0; or EXIT_USAGE after a message on stderr that names the line.
 */
NODISCARD int theory_workers_read(struct theory_workers *workers,
                                  const char *path,
                                  const struct theory_form *form);

/* A worker, and the two numbers by which workers are sorted. */
struct theory_key {
    quad first, second;
    size_t worker;
};

/* Sorts by rising `first`, then rising `second`, then rising `worker`. */
void theory_keys_sort(struct theory_key *keys, size_t count);

/* Writes permutations of workers 0 .. count - 1 in lexical order.
   theory_order_first() writes the first one. theory_order_next() replaces one
   by the next and returns the first place that differs, or `count` if it was
   the last. */
void theory_order_first(size_t *order, size_t count);
size_t theory_order_next(size_t *order, size_t count);

#endif
