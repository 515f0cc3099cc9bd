/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workers of a platform, from a file with a line of numbers for each:
 *
 *     # g  w    G
 *     1    7/2  0.5
 *     2    4            # the last numbers of a line may be optional: 0
 *
 * Empty lines and what follows a `#` do not count.
 */
#ifndef QEMU_THEORY_WORKERS_H
#define QEMU_THEORY_WORKERS_H

#include "hal/nodiscard.h"
#include "qemu/theory/number.h"

#include <stddef.h>

#define THEORY_COLUMNS_MAX 4

/* What a line has. All of it is constant. */
struct theory_line {
    const char *words;                 /* "g w [G [W]]", for messages */
    unsigned least;                    /* numbers of a line: from .. */
    unsigned most;                     /* .. to */
    bool positive[THEORY_COLUMNS_MAX]; /* more than 0; else 0 or more */
    size_t workers_max;
};

struct theory_workers {
    const char *path; /* the caller's */
    size_t count;
    quad (*numbers)[THEORY_COLUMNS_MAX]; /* of each worker, as in its line */
    unsigned *line; /* of the file, from 1, for each worker */
};

/*
 * Reads the file; at least one worker. Result: 0; or EXIT_USAGE after a message
 * on stderr, with the line. theory_workers_free() in any case.
 */
NODISCARD int theory_workers_read(struct theory_workers *workers,
                                  const char *path,
                                  const struct theory_line *line);
void theory_workers_free(struct theory_workers *workers);

#endif
