/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/ps.h"

#include "qemu/live/standing.h"
#include "qemu/options/console.h"
#include "qemu/options/guess.h"
#include "qemu/options/serve.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/stay.h"
#include "qemu/survey/ps.h"

#include <argp.h>
#include <stdio.h>

enum key {
    KEY_JSON = 0x300,
    KEY_FIRMWARE,
    KEY_SERVE
};

static const struct argp_option descriptions[] = {
    {"firmware", KEY_FIRMWARE, "FILE", 0,
     "The boards' image as ELF file, in which faults are looked up (default: "
     "beside this program)",
     2},
    {"json", KEY_JSON, NULL, 0, "An array of objects, one for each node", 2},
    {"serve", KEY_SERVE, "PORT", OPTION_ARG_OPTIONAL,
     "Show a page instead, at 127.0.0.1 on this port (default: one that is "
     "free), with states, last jobs and link errors, asked for every few "
     "seconds while somebody looks, until Ctrl-C",
     2},
    {0}};

static const char description[] =
    "Prints the state, waypoint (the last step that its program noted), last "
    "circuit and fault of every node of a mesh of boards, also of nodes whose "
    "program hangs."
    "\vA node is well if it answers, is in no job, and its last job went well; "
    "and if it has had no fault, or has done a job since. Nodes that have "
    "another image than the originator, or do not run by their crystal, are "
    "named below the table. The exit status is 0 if all nodes are well, else "
    "1."
    "\n\nExample:\n"
    "  quincunx ps --port /dev/ttyUSB0";

struct options {
    struct board_options board;
    const char *firmware;
    bool json;
    struct serve_options serve;
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->board;
        return 0;
    case KEY_FIRMWARE:
        options->firmware = text;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_SERVE:
        return serve_options_set(&options->serve, text);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print(const struct options *options, const struct ps *ps)
{
    json_t *json;
    int error;

    if (!options->json) {
        ps_print(stdout, ps);
        return 0;
    }
    json = ps_json(ps);
    error = json_dumpf(json, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(json);
    return error;
}

/* The page, until the user ends it; takes the console over. */
static int serve(struct options *options, struct console *console)
{
    struct standing *page = standing_open(
        options->serve.port, options->board.size, options->board.originator);
    struct stay stay;
    bool well = false;

    if (page == NULL || stay_begin(&stay, stay_input()) != 0) {
        console_close(console);
        standing_close(page);
        return EXIT_FAILED;
    }
    if (standing_ask(page, console) == 0) {
        (void)stay_wait(&stay, -1);
        well = standing_well(page);
    }
    standing_close(page);
    stay_end(&stay);
    return well ? 0 : EXIT_FAILED;
}

static int run(struct options *options)
{
    int status;
    struct console *console = board_options_open(&status, &options->board);
    struct ps ps;
    bool well;

    if (console == NULL) {
        return status;
    }
    if (options->serve.given) {
        return serve(options, console);
    }
    ps_begin(&ps, console, options->board.size, options->board.originator);
    well = ps_read(&ps);
    ps_explain(&ps, options->firmware);
    if (ps.why[0] != '\0') {
        (void)board_options_fail(console);
    }
    if (print(options, &ps) != 0) {
        well = false;
    }
    ps_end(&ps);
    console_close(console);
    return well ? 0 : EXIT_FAILED;
}

int ps_command(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&board_options_argp, 0, NULL, 1}, {NULL, 0, NULL, 0}};
    struct options options = {.board = {.command = "ps"}};
    struct argp argp = {descriptions, parse_option, NULL, description,
                        children,     NULL,         NULL};
    int status;

    if (guess_parse(&argp, argc, argv, &options) != 0) {
        return EXIT_USAGE;
    }
    status = board_options_check(&options.board);
    if (status == 0 && options.json && options.serve.given) {
        fputs("quincunx: ps: --serve goes without --json\n", stderr);
        status = EXIT_USAGE;
    }
    return status == 0 ? run(&options) : status;
}
