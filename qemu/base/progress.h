/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows the progress of long work on standard error. A terminal shows one line,
 * rewritten ten times a second and erased before other output to `stderr`.
 * Other outputs get plain lines: the first after 5 s, or 1 s with --progress
 * plain, then fewer and fewer. Work of less than a second shows nothing.
 */
#ifndef QEMU_BASE_PROGRESS_H
#define QEMU_BASE_PROGRESS_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"

#include <stdbool.h>
#include <stdint.h>

enum progress_kind {
    /* PROGRESS_LINE on a terminal whose TERM is not "dumb", else
       PROGRESS_PLAIN */
    PROGRESS_AUTO,
    PROGRESS_LINE,
    PROGRESS_PLAIN,
    PROGRESS_NONE
};

/* Returns the enum progress_kind for a value of --progress; -1 if unknown. */
NODISCARD int progress_kind_of(const char *text);

/* The options --progress and --quiet. Their struct is an enum progress_kind.
   After parsing, the table calls progress_start(). */
extern const struct option_table progress_option_table;

/* Begins to show progress; before, nothing is shown. With PROGRESS_AUTO the
   environment variable QUINCUNX_PROGRESS, if set, chooses the kind. */
void progress_start(enum progress_kind kind);

#define PROGRESS_LEVELS 2u

/* Names the larger work that later steps belong to: "farm, 3 of 9". Of several
   levels, level 0 is the largest work. An empty text removes the name.
   Arguments are printf()'s. */
__attribute__((format(printf, 2, 3))) void
progress_within(unsigned level, const char *format, ...);

/* Returns whether progress_show() would print now. Callers ask before they
   compute figures for it. */
bool progress_due(void);

/* One step of a long work, and how much of it is done. */
struct progress_step {
    const char *doing; /* "booting"; must stay valid */
    uint64_t done;
    uint64_t total;     /* 0: unknown */
    const char *things; /* what `done` counts, such as "boards"; NULL: bytes */
    /* further text of the line, "3 of 25 nodes done"; or NULL */
    const char *more;
};

/* Prints a step if progress_due(): its name, done, total, percentage, rate and
   time left. The rate is measured anew when `doing` changes. */
void progress_show(const struct progress_step *step);

/* Prints the last step again with the present time, if progress_due(). */
void progress_again(void);

/* Erases the progress line at the end of the work. */
void progress_end(void);

#endif
