/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/progress.h"

#include "qemu/support/parse.h"

static int set_progress(void *options, const char *text)
{
    struct progress_options *progress = options;
    int kind = progress_kind_of(text);

    progress->kind = kind >= 0 ? (enum progress_kind)kind : PROGRESS_AUTO;
    return parse_report("--progress", text,
                        kind >= 0 ? NULL : "must be auto, line, plain or none");
}

static int set_quiet(void *options, const char *text)
{
    (void)text;
    ((struct progress_options *)options)->kind = PROGRESS_NONE;
    return 0;
}

const struct option_row progress_option_rows[PROGRESS_OPTION_ROWS] = {
    {.name = "progress",
     .value = "auto|line|plain|none",
     .group = 8,
     .type = OPTION_SET,
     .set = set_progress,
     .help = "Show on stderr how far the work is, if it takes more than a "
             "second: a line that is written anew, or plain lines; auto "
             "(default): a line on a terminal, else plain ones, from 5 s on"},
    {.name = "quiet",
     .letter = 'q',
     .group = 8,
     .type = OPTION_SET,
     .set = set_quiet,
     .help = "Show no progress"}};

void progress_options_start(void *options)
{
    progress_start(((struct progress_options *)options)->kind);
}
