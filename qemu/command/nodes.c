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

static int print(void *own, struct console *console)
{
    const struct options *options = own;
    struct nodes nodes;
    int failed;

    nodes_begin(&nodes, console, options->board.size,
                options->board.originator);
    failed = nodes_compare(&nodes);
    if (failed < 0) {
        (void)board_options_fail(console);
    }
    if (options->json) {
        failed |= table_print_json(nodes_json(&nodes), JSON_INDENT(2));
    } else {
        nodes_print(stdout, &nodes);
        nodes_print_image(stdout, &nodes, NULL);
    }
    nodes_end(&nodes);
    return failed == 0 ? 0 : EXIT_FAILED;
}

const struct option_command nodes_command = {
    .name = "nodes",
    .summary = "every node's number, image, clock, supply, temperature",
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
        "  quincunx nodes --port /dev/ttyUSB0",
    .bytes = sizeof(struct options),
    .usual = &(const struct options){.board = {"nodes", print}},
    .run = board_options_run};
