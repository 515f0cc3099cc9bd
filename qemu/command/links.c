/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/links.h"

#include "qemu/options/console.h"
#include "qemu/options/guess.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/parse.h"
#include "qemu/survey/links.h"

#include <argp.h>
#include <stdio.h>

#define WATCH_MAX 3600u
#define COUNT_MAX 1000000u

enum key {
    KEY_JSON = 0x300,
    KEY_PROMETHEUS,
    KEY_WATCH,
    KEY_COUNT
};

static const struct argp_option descriptions[] = {
    {"watch", KEY_WATCH, "SECONDS", 0,
     "Read again every 1 to 3600 seconds, and print counts a second, until "
     "Ctrl-C",
     2},
    {"count", KEY_COUNT, "N", 0, "With --watch, end after N more readings", 2},
    {"json", KEY_JSON, NULL, 0,
     "An array of objects, one for each node; with --watch one array a line",
     2},
    {"prometheus", KEY_PROMETHEUS, NULL, 0,
     "All counters in the text format that Prometheus reads", 2},
    {0}};

static const char description[] =
    "Prints, for every port of every node of a mesh of boards, the bytes that "
    "went over it, and the failures: frames that came in damaged, or damaged "
    "and mended; losses (bytes that overran, frames without room); set-ups "
    "that were tried again; messages that went back to send again; and the "
    "UART's overruns, framing and noise errors."
    "\verrors/MB are the damaged frames, mended frames and losses in a million "
    "bytes that came in. Counters begin at a board's start, or at its "
    "console's `counters clear'. The exit status is 0 if all nodes answer, "
    "else 1."
    "\n\nExample:\n"
    "  quincunx links --port /dev/ttyUSB0";

struct options {
    struct board_options board;
    uint64_t watch_s; /* 0: once */
    uint64_t count;   /* 0: for ever */
    bool json;
    bool prometheus;
};

static int set_number(uint64_t *number, const char *option, const char *text,
                      uint64_t most, const char *allowed)
{
    bool good =
        parse_count(text, number) == NULL && *number > 0 && *number <= most;

    return parse_report(option, text, good ? NULL : allowed);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->board;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_PROMETHEUS:
        options->prometheus = true;
        return 0;
    case KEY_WATCH:
        return set_number(&options->watch_s, "--watch", text, WATCH_MAX,
                          "must be 1 to 3600 seconds");
    case KEY_COUNT:
        return set_number(&options->count, "--count", text, COUNT_MAX,
                          "must be 1 to 1000000");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int check(const struct options *options)
{
    if (options->prometheus && (options->json || options->watch_s > 0)) {
        fputs("quincunx: links: --prometheus goes without --json and --watch\n",
              stderr);
        return EXIT_USAGE;
    }
    if (options->count > 0 && options->watch_s == 0) {
        fputs("quincunx: links: --count needs --watch\n", stderr);
        return EXIT_USAGE;
    }
    return board_options_check(&options->board);
}

static int print_json(const struct links *links, bool watch)
{
    json_t *json = links_json(links, watch);
    int error = json_dumpf(json, stdout, watch ? JSON_COMPACT : JSON_INDENT(2));

    putchar('\n');
    json_decref(json);
    return error;
}

/* Prints a reading: the first one's totals, of later ones the counts a second
   since the one before. */
static int print(const struct options *options, const struct links *links,
                 bool first)
{
    int error = 0;

    if (options->json) {
        error = print_json(links, options->watch_s > 0);
    } else if (options->prometheus) {
        links_print_prometheus(stdout, links);
    } else if (first) {
        links_print(stdout, links);
    } else {
        links_print_rates(stdout, links);
    }
    return fflush(stdout) != 0 ? -1 : error;
}

/* Waits for the time of the next reading, counted from the first one, so that
   delays do not add up. */
static void wait_for_next(const struct options *options,
                          const struct host_clock *clock, uint64_t since_ns,
                          uint64_t readings)
{
    (void)clock->wait(clock->context, NULL, 0,
                      since_ns + readings * options->watch_s * HOST_CLOCK_S_NS,
                      NULL);
}

static int read_all(const struct options *options, struct links *links)
{
    const struct host_clock *clock = console_clock(links->sweep.console);
    uint64_t since_ns = host_clock_ns(clock);
    uint64_t readings = 0;
    int missing;

    do {
        if (readings > 0) {
            wait_for_next(options, clock, since_ns, readings);
            sweep_forgive(&links->sweep);
        }
        missing = links_read(links);
        if (missing < 0) {
            return board_options_fail(links->sweep.console);
        }
        if (print(options, links, readings == 0) != 0) {
            return EXIT_FAILED;
        }
        readings += 1;
    } while (options->watch_s > 0 &&
             (options->count == 0 || readings <= options->count));
    return missing == 0 ? 0 : EXIT_FAILED;
}

static int run(struct options *options)
{
    int status;
    struct console *console = board_options_open(&status, &options->board);
    struct links links;

    if (console == NULL) {
        return status;
    }
    links_begin(&links, console, options->board.size,
                options->board.originator);
    status = read_all(options, &links);
    links_end(&links);
    console_close(console);
    return status;
}

int links_command(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&board_options_argp, 0, NULL, 1}, {NULL, 0, NULL, 0}};
    struct options options = {.board = {.command = "links"}};
    struct argp argp = {descriptions, parse_option, NULL, description,
                        children,     NULL,         NULL};
    int status;

    if (guess_parse(&argp, argc, argv, &options) != 0) {
        return EXIT_USAGE;
    }
    status = check(&options);
    return status == 0 ? run(&options) : status;
}
