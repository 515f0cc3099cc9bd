/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/console_options.h"
#include "qemu/base/exit_status.h"
#include "qemu/serial/links.h"
#include "qemu/serial/survey_table.h"

#include <stdio.h>

struct options {
    struct board_options board;
    uint64_t watch_s; /* time between two readings, s; 0: only one */
    uint64_t count;   /* number of readings; 0: no end */
    bool json;
    bool prometheus;
};

static const struct option_row rows[] = {
    {"watch", "SECONDS", 2, OPTION_COUNT, OPTION_AT(struct options, watch_s),
     .help = "Read again every 1 to 3600 seconds, and print counts a second, "
             "until Ctrl-C",
     .least = 1, .most = 3600, .allowed = "must be 1 to 3600 seconds"},
    {"count", "N", 2, OPTION_COUNT, OPTION_AT(struct options, count),
     .help = "With --watch, end after N more readings", .least = 1,
     .most = 1000000, .needs = "watch"},
    {"json", NULL, 2, OPTION_FLAG, OPTION_AT(struct options, json),
     .help = "An array of objects, one for each node; with --watch one array a "
             "line"},
    {"prometheus", NULL, 2, OPTION_FLAG, OPTION_AT(struct options, prometheus),
     .help = "All counters in the text format that Prometheus reads",
     .without = "json watch"}};

/* Prints a reading of the counters: the first one as totals, later ones as
   counts a second since the reading before. */
static int print(const struct options *options, const struct links *links,
                 bool first)
{
    bool watch = options->watch_s > 0;
    int error = 0;

    if (options->json) {
        error = table_print_json(links_json(links, watch),
                                 watch ? JSON_COMPACT : JSON_INDENT(2));
    } else if (options->prometheus) {
        links_print_prometheus(stdout, links);
    } else {
        links_print(stdout, links, !first);
    }
    return fflush(stdout) != 0 ? -1 : error;
}

/* Waits until the next reading is due. Readings are timed from the first one,
   so that delays do not add up. */
static void wait_for_next(const struct options *options,
                          const struct host_clock *clock, uint64_t since_ns,
                          uint64_t readings)
{
    (void)clock->wait(clock->context, NULL, 0,
                      since_ns + readings * options->watch_s * HOST_CLOCK_S_NS);
}

static int read_all(const struct options *options, struct links *links)
{
    const struct host_clock *clock = console_clock(links->sweep->console);
    uint64_t since_ns = host_clock_ns(clock);
    uint64_t readings = 0;
    int missing;

    do {
        if (readings > 0) {
            wait_for_next(options, clock, since_ns, readings);
            sweep_forgive(links->sweep);
        }
        missing = links_read(links);
        if (missing < 0) {
            return board_options_fail(links->sweep->console);
        }
        if (print(options, links, readings == 0) != 0) {
            return EXIT_FAILED;
        }
        readings += 1;
    } while (options->watch_s > 0 &&
             (options->count == 0 || readings <= options->count));
    return missing == 0 ? 0 : EXIT_FAILED;
}

static int survey(void *own, struct console *console)
{
    const struct options *options = own;
    struct sweep sweep;
    struct links links;
    int status;

    sweep_begin(&sweep, console, options->board.size,
                options->board.originator);
    links_begin(&links, &sweep);
    status = read_all(options, &links);
    links_end(&links);
    sweep_end(&sweep);
    return status;
}

const struct option_command links_command = {
    .name = "links",
    .summary =
        "every port's counters: bytes, damage, losses; once or repeatedly",
    .part = {{OPTION_TABLE(rows), 0},
             {&board_option_table, offsetof(struct options, board)}},
    .text =
        "Prints, for every port of every node of a mesh of boards, the bytes "
        "that went over it, and the failures: frames that came in damaged, or "
        "damaged and mended; losses (bytes that overran, frames without room); "
        "set-ups that were tried again; messages that went back to send again; "
        "and the UART's overruns, framing and noise errors."
        "\verrors/MB are the damaged frames, mended frames and losses in a "
        "million bytes that came in. Counters begin at a board's start, or at "
        "its console's `counters clear'. The exit status is 0 if all nodes "
        "answer, else 1. What does not fit the terminal's width goes on in the "
        "next line."
        "\n\nExample:\n"
        "  quincunx links --port /dev/ttyUSB0",
    .bytes = sizeof(struct options),
    .usual = &(const struct options){.board = {"links", survey}},
    .run = board_options_run};
