/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/nodes.h"

#include "qemu/options/console.h"
#include "qemu/options/guess.h"
#include "qemu/support/exit_status.h"
#include "qemu/survey/nodes.h"

#include <argp.h>
#include <stdio.h>

#define KEY_JSON 0x300

static const struct argp_option descriptions[] = {
    {"json", KEY_JSON, NULL, 0, "An array of objects, one for each node", 2},
    {0}};

static const char description[] =
    "Prints the unique number, image, clock, crystal, reset cause, uptime, "
    "memory for a batch, supply and temperature of every node of a mesh of "
    "boards, also of nodes whose program hangs."
    "\vA * marks values that differ from those of most nodes, and nodes that "
    "were started by their watchdog or had a fault. The exit status is 0 if "
    "all nodes answer and nothing is marked, else 1."
    "\n\nExample:\n"
    "  quincunx nodes --port /dev/ttyUSB0";

struct options {
    struct board_options board;
    bool json;
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    (void)text;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->board;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print(const struct options *options, const struct nodes *nodes)
{
    json_t *json;
    int error;

    if (!options->json) {
        nodes_print(stdout, nodes);
        identity_print_image(stdout, nodes->identity, &nodes->sweep, "");
        return 0;
    }
    json = nodes_json(nodes);
    error = json_dumpf(json, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(json);
    return error;
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
    found = nodes_read(&nodes);
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
    static const struct argp_child children[] = {
        {&board_options_argp, 0, NULL, 1}, {NULL, 0, NULL, 0}};
    struct options options = {.board = {.command = "nodes"}};
    struct argp argp = {descriptions, parse_option, NULL, description,
                        children,     NULL,         NULL};
    int status;

    if (guess_parse(&argp, argc, argv, &options) != 0) {
        return EXIT_USAGE;
    }
    status = board_options_check(&options.board);
    return status == 0 ? run(&options) : status;
}
