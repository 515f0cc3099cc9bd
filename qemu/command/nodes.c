/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/console_options.h"
#include "qemu/base/exit_status.h"
#include "qemu/serial/nodes.h"
#include "qemu/serial/survey_table.h"

#include <stdio.h>

struct options {
    struct board_options board;
    bool json;
};

static const struct option_row rows[] = {
    {"json", NULL, 2, OPTION_FLAG, OPTION_AT(struct options, json),
     .help = "An array of objects, one for each node"}};

static const struct option_command command = {
    .name = "nodes",
    .part = {{OPTION_TABLE(rows), 0},
             {&board_option_table, offsetof(struct options, board)}},
    .text =
        "Prints the unique number, image, clock, crystal, reset cause, uptime, "
        "memory for a batch, supply and temperature of every node of a mesh of "
        "boards, also of nodes whose program hangs."
        "\vA * marks values that differ from those of most nodes, and nodes "
        "that were started by their watchdog or had a fault. The exit status "
        "is 0 if all nodes answer and nothing is marked, else 1. What does not "
        "fit the terminal's width goes on in the next line."
        "\n\nExample:\n"
        "  quincunx nodes --port /dev/ttyUSB0"};

static int print(const struct options *options, const struct nodes *nodes)
{
    if (options->json) {
        return table_print_json(nodes_json(nodes), JSON_INDENT(2));
    }
    nodes_print(stdout, nodes);
    nodes_print_image(stdout, nodes, NULL);
    return 0;
}

static int run(struct options *options)
{
    int status;
    struct console *console = board_options_open(&status, &options->board);
    struct nodes nodes;
    int found;

    if (console == NULL) {
        return status;
    }
    nodes_begin(&nodes, console, options->board.size,
                options->board.originator);
    found = nodes_compare(&nodes);
    if (found < 0) {
        (void)board_options_fail(console);
    }
    status = print(options, &nodes) == 0 && found == 0 ? 0 : EXIT_FAILED;
    nodes_end(&nodes);
    console_close(console);
    return status;
}

int nodes_command(int argc, char **argv)
{
    struct options options = {.board = {.command = "nodes"}};
    int status = option_parse(&command, argc, argv, &options);

    status = status == 0 ? board_options_check(&options.board) : status;
    return status == 0 ? run(&options) : status;
}
