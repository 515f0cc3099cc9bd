/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far work has come, on standard error, for whoever waits for it.
 *
 * On a terminal it is one line that is written anew ten times a second, and
 * removed before anything else is written to `stderr`; else plain lines, one
 * after 5 s (after 1 s where they were asked for), and then ever fewer. Work
 * that is done within a second shows nothing. There is one standard error, so
 * there is one state, which is this module's.
 */
#ifndef QEMU_BASE_PROGRESS_H
#define QEMU_BASE_PROGRESS_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"

#include <stdbool.h>
#include <stdint.h>

enum progress_kind {
    PROGRESS_AUTO, /* a line on a terminal (unless TERM is dumb), else plain */
    PROGRESS_LINE,
    PROGRESS_PLAIN,
    PROGRESS_NONE
};

/* Result: the enum progress_kind of a value of --progress; -1: it is none. */
NODISCARD int progress_kind_of(const char *text);

/* The options --progress and --quiet, which start to show progress; the table's
   struct is an enum progress_kind. */
extern const struct option_table progress_option_table;

/* From now on progress is shown so. Before, nothing is. With PROGRESS_AUTO the
   environment's QUINCUNX_PROGRESS may say another kind. */
void progress_start(enum progress_kind kind);

#define PROGRESS_LEVELS 2u

/* Names the whole that the next steps are a part of, as printf() writes it:
   "farm, 3 of 9"; level 0 is the larger whole. "": they are part of nothing. */
__attribute__((format(printf, 2, 3))) void
progress_within(unsigned level, const char *format, ...);

/* Whether progress_show() would show something now: ask before figures that
   cost something to compute. */
bool progress_due(void);

/* How far one step of the work is. */
struct progress_step {
    const char *doing;  /* "booting"; stays */
    uint64_t done;      /* of `total` */
    uint64_t total;     /* 0: not known */
    const char *things; /* "boards"; NULL: bytes */
    const char *more;   /* behind it, for example "3 of 25 nodes done"; or
                           NULL */
};

/* Shows it, if it is time: doing, done, total, percentage, rate, time left. A
   step that has another `doing` than the one before begins a new rate. */
void progress_show(const struct progress_step *step);

/* The last step again, as it was but for the time: while nothing happens. */
void progress_again(void);

/* Removes the line: the work is done. */
void progress_end(void);

#endif
