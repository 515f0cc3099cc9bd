/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files with lines of words. Empty lines and text behind a `#` are
   skipped. */
#ifndef QEMU_THEORY_WORKERS_H
#define QEMU_THEORY_WORKERS_H

#include "hal/nodiscard.h"
#include "qemu/theory/number.h"

#include <stddef.h>

struct theory_line {
    const char *path;
    unsigned number; /* from 1 */
};

/* Prints what is wrong with a line, with the column and the word; NULL stands
   for the whole line. Returns false. */
bool theory_line_complain(const struct theory_line *line, const char *column,
                          const char *word, const char *allowed);

/*
 * Reads a file. take() gets each line's words, one or more, and must not keep
 * them. Words beyond the fifth are ignored. Returns 0; or EXIT_USAGE after a
 * message on stderr, which take() prints if it returns false.
 */
NODISCARD int
theory_lines_read(const char *path,
                  bool (*take)(void *own, const struct theory_line *line,
                               char *const word[], unsigned words),
                  void *own);

#define THEORY_WORKERS_MAX 1000
#define THEORY_COLUMNS_MAX 4

/* The columns of a worker's line. */
struct theory_form {
    const char *words;                      /* "g w [G [W]]", for messages */
    const char *column[THEORY_COLUMNS_MAX]; /* "g", "w" .. */
    bool positive[THEORY_COLUMNS_MAX];      /* more than 0; else 0 or more */
    unsigned least;                         /* least numbers of a line */
    unsigned most;                          /* most numbers of a line */
};

struct theory_workers {
    const char *path; /* the caller's */
    size_t count;
    /* numbers[i]: worker i's numbers; 0 where the line has ended. */
    quad numbers[THEORY_WORKERS_MAX][THEORY_COLUMNS_MAX];
    unsigned line[THEORY_WORKERS_MAX]; /* line of each worker, from 1 */
};

/*
 * Reads the workers of a platform, one a line, at least one:
 *
 *     # g  w    G
 *     1    7/2  0.5
 *     2    4            # the last numbers of a line may be optional
 *
 * Returns 0; or EXIT_USAGE after a message on stderr, with the line.
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

/* Permutations of workers 0 .. count - 1 in lexical order: theory_order_first()
   writes the first one. theory_order_next() writes the next one and returns the
   first place that differs, or `count` if there is none. */
void theory_order_first(size_t *order, size_t count);
size_t theory_order_next(size_t *order, size_t count);

#endif
