/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/target.h"
#include "qemu/base/exit_status.h"

#include <inttypes.h>
#include <stdio.h>

#define SECONDS 10u

struct options {
    struct board_target target;
    uint64_t seconds;
};

static const struct option_row rows[] = {
    {"seconds", "N", 2, OPTION_COUNT, OPTION_AT(struct options, seconds),
     .help = "How long to blink: 1 to 3600 (default 10)", .least = 1,
     .most = PEEK_IDENTIFY_S_MAX},
    {"off", NULL, 2, OPTION_FIXED, OPTION_AT(struct options, seconds),
     .help = "Let the LED stop blinking"}};

static const struct option_command command = {
    .name = "identify",
    .words = "X,Y|all",
    .part = {{OPTION_TABLE(rows), 0},
             {&board_option_table, offsetof(struct options, target.options)}},
    .word = board_target_parse,
    .words_least = 1,
    .missing = "a node, X,Y or all",
    .text =
        "Lets the LED of a board blink, 4 times a second, so that it can be "
        "found; also if its program hangs."
        "\vThe exit status is 0 if all boards that are meant answered, else 1."
        "\n\nExample:\n"
        "  quincunx identify --port /dev/ttyUSB0 2,1"};

static int identify(struct options *options)
{
    struct board_target *target = &options->target;
    int status = board_target_open(target);
    unsigned told = 0;
    char seconds[24];

    snprintf(seconds, sizeof seconds, " %" PRIu64, options->seconds);
    for (uint32_t i = 0;
         status == 0 && i < torus_nodes(target->nodes.sweep.size); ++i) {
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
    struct options options = {.target.options.command = "identify",
                              .seconds = SECONDS};
    int status = option_parse(&command, argc, argv, &options);

    status = status == 0 ? board_target_check(&options.target) : status;
    return status == 0 ? identify(&options) : status;
}
