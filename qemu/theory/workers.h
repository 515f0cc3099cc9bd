/* SPDX-License-Identifier: Apache-2.0 */
/* Files of lines of words. Empty lines and what follows a `#` do not count. */
#ifndef QEMU_THEORY_WORKERS_H
#define QEMU_THEORY_WORKERS_H

#include "hal/nodiscard.h"
#include "qemu/theory/number.h"

#include <stddef.h>

/* A line of a file. */
struct theory_line {
    const char *path;
    unsigned number; /* from 1 */
};

/* Prints what is wrong with a line, in which column and word: NULL if it is
   the whole line. Result: false. */
bool theory_line_complain(const struct theory_line *line, const char *column,
                          const char *word, const char *allowed);

/*
 * Reads a file; take() gets each line's words, one or more, of which it keeps
 * nothing. Words beyond the fifth are left out. Result: 0; or EXIT_USAGE after
 * a message on stderr, which is take()'s where it returns false.
 */
NODISCARD int
theory_lines_read(const char *path,
                  bool (*take)(void *own, const struct theory_line *line,
                               char *const word[], unsigned words),
                  void *own);

#define THEORY_WORKERS_MAX 1000
#define THEORY_COLUMNS_MAX 4

/* The numbers of a worker's line. */
struct theory_form {
    const char *words;                      /* "g w [G [W]]", for messages */
    const char *column[THEORY_COLUMNS_MAX]; /* "g", "w" .. */
    bool positive[THEORY_COLUMNS_MAX];      /* more than 0; else 0 or more */
    unsigned least;                         /* numbers of a line: from .. */
    unsigned most;                          /* .. to */
};

struct theory_workers {
    const char *path; /* the caller's */
    size_t count;
    /* Each worker's line of numbers; 0 where the line ends. */
    quad numbers[THEORY_WORKERS_MAX][THEORY_COLUMNS_MAX];
    unsigned line[THEORY_WORKERS_MAX]; /* of each worker, from 1 */
};

/*
 * Reads the workers of a platform, a line each, one at least:
 *
 *     # g  w    G
 *     1    7/2  0.5
 *     2    4            # the last numbers of a line may be optional
 *
 * Result: 0; or EXIT_USAGE after a message on stderr, with the line.
 */
NODISCARD int theory_workers_read(struct theory_workers *workers,
                                  const char *path,
                                  const struct theory_form *form);

/* A worker and the numbers by which it is sorted. */
struct theory_key {
    quad first, second;
    size_t worker;
};

/* Sorts by rising keys, then by rising workers. */
void theory_keys_sort(struct theory_key *keys, size_t count);

/* The orders of workers 0 .. count - 1, as words are sorted: writes the first
   one; or the one that follows, and returns the first place that differs, or
   `count` if there is none. */
void theory_order_first(size_t *order, size_t count);
size_t theory_order_next(size_t *order, size_t count);

#endif
