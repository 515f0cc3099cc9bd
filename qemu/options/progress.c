/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/progress.h"

const struct option_row progress_option_rows[PROGRESS_OPTION_ROWS] = {
    {"progress", "auto|line|plain|none", 8, OPTION_CHOICE,
     OPTION_AT(struct progress_options, kind),
     .help = "Show on stderr how far the work is, if it takes more than a "
             "second: a line that is written anew, or plain lines; auto "
             "(default): a line on a terminal, else plain ones, from 5 s on",
     .choices = "auto line plain none"},
    {"quiet", NULL, 8, OPTION_FIXED, OPTION_AT(struct progress_options, kind),
     .help = "Show no progress", .letter = 'q', .fixed = PROGRESS_NONE}};

void progress_options_start(void *options)
{
    progress_start(((struct progress_options *)options)->kind);
}
