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

#define PAPERS_COLUMNS_MAX 4

/* What a line has. All of it is constant. */
struct papers_line {
    const char *words;                 /* "g w [G [W]]", for messages */
    unsigned least;                    /* numbers of a line: from .. */
    unsigned most;                     /* .. to */
    bool positive[PAPERS_COLUMNS_MAX]; /* more than 0; else 0 or more */
    size_t workers_max;
};

struct papers_workers {
    const char *path; /* the caller's */
    size_t count;
    quad (*numbers)[PAPERS_COLUMNS_MAX]; /* of each worker, as in its line */
    unsigned *line; /* of the file, from 1, for each worker */
};

/*
 * Reads the file; at least one worker. Result: 0; or EXIT_USAGE after a message
 * on stderr, with the line. papers_workers_free() in any case.
 */
NODISCARD int papers_workers_read(struct papers_workers *workers,
                                  const char *path,
                                  const struct papers_line *line);
void papers_workers_free(struct papers_workers *workers);

#endif
