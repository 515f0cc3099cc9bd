/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/bench/board_page.h"
#include "qemu/command/console_options.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/stay.h"
#include "qemu/serial/survey_table.h"

#include <stdio.h>

struct options {
    struct board_options board;
    const char *firmware;
    const char *page; /* file, or NULL */
    bool json;
    const char *serve;   /* the value of --serve; NULL: no page is served */
    uint16_t serve_port; /* 0: any free port */
    FILE *people;        /* stream for human-readable output */
};

static const struct option_row rows[] = {
    {"firmware", "FILE", 2, OPTION_INPUT, OPTION_AT(struct options, firmware),
     .help = "The boards' image as ELF file, in which faults are looked up "
             "(default: beside this program)"},
    {"html", "FILE", 2, OPTION_OUTPUT, OPTION_AT(struct options, page),
     .help = "File for a page of the mesh as it is now: a map, and every "
             "board's state, last job and link errors",
     .suffixes = "html htm xhtml"},
    {"json", NULL, 2, OPTION_FLAG, OPTION_AT(struct options, json),
     .help = "An array of objects, one for each node", .prints = true},
    {"serve", "PORT", 2, OPTION_COUNT, OPTION_AT(struct options, serve_port),
     .help = "Show a page instead, at 127.0.0.1 on this port (default: one "
             "that is free), with states, last jobs and link errors, asked for "
             "every few seconds while somebody looks, until Ctrl-C",
     .optional = true, .text = offsetof(struct options, serve), OPTION_TCP_PORT,
     .without = "json html"},
};

static int print(const struct options *options, const struct ps *ps)
{
    if (options->json) {
        return table_print_json(ps_json(ps), JSON_INDENT(2));
    }
    ps_print(options->people, ps);
    nodes_print_image(options->people, &ps->nodes, options->firmware);
    return 0;
}

static bool show(const struct options *options, struct ps *ps,
                 struct console *console)
{
    ps_explain(ps, options->firmware);
    if (ps->silent) {
        (void)board_options_fail(console);
    }
    return print(options, ps) == 0;
}

static bool look(const struct options *options, struct console *console)
{
    struct ps ps;
    bool well;

    ps_begin(&ps, console, options->board.size, options->board.originator);
    well = ps_read(&ps);
    well = show(options, &ps, console) && well;
    ps_end(&ps);
    console_close(console);
    return well;
}

static bool look_for_page(const struct options *options,
                          struct console *console)
{
    struct board_page *page =
        board_page_new(options->board.size, options->board.originator);
    bool well = board_page_ask(page, console) == 0 &&
                show(options, board_page_read(page), console);

    well = board_page_write(page, options->page) == 0 && well &&
           board_page_well(page);
    board_page_close(page);
    return well;
}

static bool serve(const struct options *options, struct console *console)
{
    struct board_page *page = board_page_serve(
        options->serve_port, options->board.size, options->board.originator);
    struct stay stay;
    bool well = false;

    if (page == NULL || stay_begin(&stay, stay_input()) != 0) {
        console_close(console);
        board_page_close(page);
        return false;
    }
    if (board_page_ask(page, console) == 0) {
        (void)stay_wait(&stay, -1);
        well = board_page_well(page);
    }
    board_page_close(page);
    stay_end(&stay);
    return well;
}

static int run(void *own)
{
    struct options *options = own;
    int status;
    struct console *console = board_options_open(&status, &options->board);
    bool well;

    if (console == NULL) {
        return status;
    }
    well = options->serve != NULL  ? serve(options, console)
           : options->page != NULL ? look_for_page(options, console)
                                   : look(options, console);
    return well ? 0 : EXIT_FAILED;
}

const struct option_command ps_command = {
    .name = "ps",
    .summary = "the state of every node of a mesh of boards, even if it hangs",
    .part = {{OPTION_TABLE(rows), 0},
             {&board_option_table, offsetof(struct options, board)}},
    .text = "Prints the state, waypoint (the last step that its program "
            "noted), last circuit and fault of every node of a mesh of boards, "
            "also of nodes whose program hangs."
            "\vA node is well if it answers, is in no job, and its last job "
            "went well; and if it has had no fault, or has done a job since. "
            "Nodes that have another image than the originator, or do not run "
            "by their crystal, are named below the table. The exit status is 0 "
            "if all nodes are well, else 1. What does not fit the terminal's "
            "width goes on in the next line."
            "\n\nExample:\n"
            "  quincunx ps --port /dev/ttyUSB0",
    .people = offsetof(struct options, people),
    .bytes = sizeof(struct options),
    .usual = &(const struct options){.board.command = "ps"},
    .run = run};
