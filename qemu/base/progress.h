/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows the progress of long work on standard error. A terminal shows one line,
 * rewritten ten times a second and erased before other output to `stderr`.
 * Other outputs get plain lines, the first after 5 s (1 s if asked for), then
 * fewer and fewer. Work of less than a second shows nothing. The state is
 * global to this module, as there is one standard error.
 */
#ifndef QEMU_BASE_PROGRESS_H
#define QEMU_BASE_PROGRESS_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"

#include <stdbool.h>
#include <stdint.h>

enum progress_kind {
    /* PROGRESS_LINE on a terminal unless TERM is dumb, else plain lines */
    PROGRESS_AUTO,
    PROGRESS_LINE,
    PROGRESS_PLAIN,
    PROGRESS_NONE
};

/* Returns the enum progress_kind for a value of --progress; -1 if unknown. */
NODISCARD int progress_kind_of(const char *text);

/* The options --progress and --quiet, which start the display. The table's
   struct is an enum progress_kind. */
extern const struct option_table progress_option_table;

/* Starts to show progress; nothing is shown before. PROGRESS_AUTO obeys
   QUINCUNX_PROGRESS of the environment. */
void progress_start(enum progress_kind kind);

#define PROGRESS_LEVELS 2u

/* Names the larger work that the next steps belong to: "farm, 3 of 9". Level 0
   is the largest. An empty text removes the name. The format is printf()'s. */
__attribute__((format(printf, 2, 3))) void
progress_within(unsigned level, const char *format, ...);

/* Whether progress_show() would print now. Callers ask this before they compute
   expensive figures. */
bool progress_due(void);

/* One step of the work, and how far it has come. */
struct progress_step {
    const char *doing; /* "booting"; must stay valid */
    uint64_t done;
    uint64_t total;     /* 0: unknown */
    const char *things; /* unit of `done`, such as "boards"; NULL: bytes */
    /* further text for the line: "3 of 25 nodes done"; or NULL */
    const char *more;
};

/* Prints the step if a line is due: doing, done, total, percentage, rate, time
   left. Another `doing` than before begins a new rate. */
void progress_show(const struct progress_step *step);

/* Prints the last step again with the time of now. */
void progress_again(void);

/* Erases the progress line at the end of the work. */
void progress_end(void);

#endif
