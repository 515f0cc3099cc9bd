/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/progress.h"

#include "qemu/support/parse.h"
#include "qemu/support/progress.h"

#include <stdint.h>

#define KEY_PROGRESS 0x500

static const struct argp_option descriptions[] = {
    {"progress", KEY_PROGRESS, "auto|line|plain|none", 0,
     "Show on stderr how far the work is, if it takes more than a second: a "
     "line that is written anew, or plain lines; auto (default): a line on a "
     "terminal, else plain ones, from 5 s on",
     8},
    {"quiet", 'q', NULL, 0, "Show no progress", 8},
    {0}};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    int kind;

    switch (key) {
    case ARGP_KEY_INIT:
        state->hook = (void *)(intptr_t)PROGRESS_AUTO;
        return 0;
    case KEY_PROGRESS:
        kind = progress_kind_of(text);
        state->hook = (void *)(intptr_t)kind;
        return parse_report("--progress", text,
                            kind >= 0 ? NULL
                                      : "must be auto, line, plain or none");
    case 'q':
        state->hook = (void *)(intptr_t)PROGRESS_NONE;
        return 0;
    case ARGP_KEY_SUCCESS:
        progress_start((enum progress_kind)(intptr_t)state->hook);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp progress_options_argp = {
    descriptions, parse_option, NULL, NULL, NULL, NULL, NULL};
