/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/console_options.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"

#include <stdio.h>

#define WAIT_MS 2000u
#define ROWS_MS 120000u
#define TRIES 5u

static const struct option_row rows[] = {
    {"port", "PORT", 1, OPTION_TEXT, OPTION_AT(struct board_options, port),
     .help = "The originator's serial port: /dev/ttyACM0, or a pseudo-terminal "
             "(required)",
     .required = true},
    {"mesh", "WxH", 1, OPTION_MESH, OPTION_AT(struct board_options, size),
     .help = "Size of the torus (default: the size that the board found)"},
    {"originator", "X,Y", 1, OPTION_COORD,
     OPTION_AT(struct board_options, originator),
     .help = "Place of the board whose console it is (default: the place that "
             "it found, or 0,0)",
     .text = offsetof(struct board_options, originator_text)}};

const struct option_table board_option_table = {OPTION_ROWS(rows)};

int board_options_fail(const struct console *console)
{
    fprintf(stderr, "quincunx: %s\n", console_why(console));
    return EXIT_FAILED;
}

/* Takes mesh size and originator, if no option gave them, from the board's
   reply to `ident`. Returns 0, or an exit status after a message. */
static int complete(struct board_options *options,
                    const struct console_reply *reply)
{
    static const char *const keys[] = {"width", "height", "x", "y"};
    uint64_t found[4] = {0};

    for (unsigned i = 0; i < 4; ++i) {
        if (!console_number(reply, &found[i], keys[i]) ||
            found[i] > TORUS_SIDE_MAX) {
            found[0] = 0;
        }
    }
    if (options->size.width == 0 && (found[0] == 0 || found[1] == 0)) {
        return usage_error(
            "%s: the board has no place in a mesh yet: say --mesh WxH, or let "
            "it find the mesh with `quincunx mesh'",
            options->command);
    }
    if (options->size.width == 0) {
        options->size =
            (struct torus_size){(uint16_t)found[0], (uint16_t)found[1]};
    }
    if (options->originator_text == NULL && found[0] == options->size.width &&
        found[1] == options->size.height) {
        options->originator =
            (struct torus_coord){(uint16_t)found[2], (uint16_t)found[3]};
    }
    return parse_report_outside("--originator", options->originator,
                                options->size);
}

struct console *board_options_open(int *status, struct board_options *options)
{
    struct console *console = console_connect(options->port, CONSOLE_PORT_RATE);
    struct console_reply reply;

    *status = EXIT_FAILED;
    if (console == NULL) {
        return NULL;
    }
    console_patience(console, WAIT_MS, ROWS_MS, TRIES);
    if (console_request(console, &reply, "ident") != 0) {
        board_options_fail(console);
    } else {
        *status = complete(options, &reply);
    }
    console_reply_free(&reply);
    if (*status != 0) {
        console_close(console);
        return NULL;
    }
    return console;
}

int board_options_run(void *own)
{
    struct board_options *options = own;
    int status;
    struct console *console = board_options_open(&status, options);

    if (console != NULL) {
        status = options->work(own, console);
        console_close(console);
    }
    return status;
}
