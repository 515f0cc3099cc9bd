/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/identify.h"

#include "qemu/options/guess.h"
#include "qemu/options/target.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/parse.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>

#define SECONDS 10u

enum key {
    KEY_SECONDS = 0x300,
    KEY_OFF
};

static const struct argp_option descriptions[] = {
    {"seconds", KEY_SECONDS, "N", 0,
     "How long to blink: 1 to 3600 (default 10)", 2},
    {"off", KEY_OFF, NULL, 0, "Let the LED stop blinking", 2},
    {0}};

static const char description[] =
    "Lets the LED of a board blink, 4 times a second, so that it can be found; "
    "also if its program hangs."
    "\vThe exit status is 0 if all boards that are meant answered, else 1."
    "\n\nExample:\n"
    "  quincunx identify --port /dev/ttyUSB0 2,1";

struct options {
    struct board_target target;
    uint64_t seconds;
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    const char *allowed;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->target.options;
        return 0;
    case ARGP_KEY_ARG:
        return board_target_parse(&options->target, text);
    case KEY_SECONDS:
        allowed = parse_count(text, &options->seconds);
        if (allowed == NULL &&
            (options->seconds == 0 || options->seconds > PEEK_IDENTIFY_S_MAX)) {
            allowed = "must be 1 to 3600";
        }
        return parse_report("--seconds", text, allowed);
    case KEY_OFF:
        options->seconds = 0;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int identify(struct options *options)
{
    struct board_target *target = &options->target;
    int status = board_target_open(target);
    unsigned told = 0;
    char seconds[24];

    snprintf(seconds, sizeof seconds, " %" PRIu64, options->seconds);
    for (uint32_t i = 0; status == 0 && i < torus_nodes(target->sweep.size);
         ++i) {
        told += board_target_has(target, i) &&
                board_target_command(target, i, "identify", seconds);
    }
    if (told > 0 && options->seconds > 0) {
        printf("%u board%s for %" PRIu64 " s\n", told,
               told == 1 ? " blinks" : "s blink", options->seconds);
    } else if (told > 0) {
        printf("%u board%s no longer\n", told,
               told == 1 ? " blinks" : "s blink");
    }
    board_target_close(target);
    return status == 0 && target->failed > 0 ? EXIT_FAILED : status;
}

int identify_command(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&board_options_argp, 0, NULL, 1}, {NULL, 0, NULL, 0}};
    struct options options = {.target.options.command = "identify",
                              .seconds = SECONDS};
    struct argp argp = {descriptions, parse_option, "X,Y|all", description,
                        children,     NULL,         NULL};
    int status;

    if (guess_parse(&argp, argc, argv, &options) != 0) {
        return EXIT_USAGE;
    }
    status = board_target_check(&options.target);
    return status == 0 ? identify(&options) : status;
}
