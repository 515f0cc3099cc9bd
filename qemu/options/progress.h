/* SPDX-License-Identifier: Apache-2.0 */
/* The options --progress and --quiet. */
#ifndef QEMU_OPTIONS_PROGRESS_H
#define QEMU_OPTIONS_PROGRESS_H

#include "qemu/options/option.h"
#include "qemu/support/progress.h"

/* All zero at first: PROGRESS_AUTO. */
struct progress_options {
    enum progress_kind kind;
};

#define PROGRESS_OPTION_ROWS 2u
extern const struct option_row progress_option_rows[PROGRESS_OPTION_ROWS];

/* Starts to show progress as the options say: their table's done(). */
void progress_options_start(void *options);

/* Their table, of a struct progress_options at this offset. */
#define PROGRESS_OPTION_TABLE(table_at)                                        \
    {                                                                          \
        .row = progress_option_rows, .rows = PROGRESS_OPTION_ROWS,             \
        .at = table_at, .done = progress_options_start                         \
    }

#endif
