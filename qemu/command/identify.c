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

static int identify(void *own, struct console *console)
{
    struct options *options = own;
    struct board_target *target = &options->target;
    int status = board_target_find(target, console);
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
    return status;
}

const struct option_command identify_command = {
    .name = "identify",
    .summary = "lets a board's LED blink, so that it can be found",
    .words = "X,Y|all",
    .part = {{OPTION_TABLE(rows), 0},
             {&board_option_table, offsetof(struct options, target.options)}},
    .text =
        "Lets the LED of a board blink, 4 times a second, so that it can be "
        "found; also if its program hangs."
        "\vThe exit status is 0 if all boards that are meant answered, else 1."
        "\n\nExample:\n"
        "  quincunx identify --port /dev/ttyUSB0 2,1",
    .word = &board_target_word,
    .bytes = sizeof(struct options),
    .usual = &(const struct options){.target.options = {"identify", identify},
                                     .seconds = SECONDS},
    .run = board_target_run};
