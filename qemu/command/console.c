/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/console.h"

#include "hal/check.h"
#include "hal/line/line.h"
#include "qemu/board/fault_image.h"
#include "qemu/console/client.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/memory.h"
#include "qemu/support/parse.h"
#include "qemu/support/quote.h"
#include "qemu/survey/identity.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_MS 1000000000u
#define WAIT_MS_MAX 3600000u
#define TRIES_MAX 1000u
#define RATE_MAX 12000000u

enum key {
    KEY_PORT = 0x200,
    KEY_RATE,
    KEY_WAIT,
    KEY_TRIES,
    KEY_FIRMWARE
};

static const struct argp_option descriptions[] = {
    {"port", KEY_PORT, "PORT", 0,
     "The serial port: /dev/ttyACM0, or a pseudo-terminal (required)", 1},
    {"rate", KEY_RATE, "BITS", 0, "Bits a second (default 115200)", 1},
    {"wait", KEY_WAIT, "T", 0,
     "Time to wait for a reply (default 1s); further rows, which may "
     "take circuits, get 35 s, or T if that is longer",
     2},
    {"tries", KEY_TRIES, "N", 0,
     "How often to ask when lines are damaged or lost (default 5)", 2},
    {"firmware", KEY_FIRMWARE, "FILE", 0,
     "The board's image as ELF file, in which `fault' looks up where it was "
     "(default: beside this program)",
     2},
    {0}};

static const char description[] =
    "Sends one command to the board on a serial port and prints the reply."
    "\vThe exit status is 0 if the reply is `ok'. The command `help' lists the "
    "commands."
    "\n\nExample:\n"
    "  quincunx console --port /dev/ttyUSB0 version";

struct options {
    const char *port;
    uint64_t rate;
    uint64_t wait_ms;
    uint64_t tries;
    const char *firmware;
    char command[LINE_TEXT_MAX + 1];
};

static int set_wait(struct options *options, const char *text)
{
    uint64_t wait_ps;
    const char *allowed = parse_time_ps(text, &wait_ps);

    if (allowed == NULL &&
        (wait_ps < PS_PER_MS || wait_ps / PS_PER_MS > WAIT_MS_MAX)) {
        allowed = "must be 1ms to 3600s";
    }
    if (allowed == NULL) {
        options->wait_ms = wait_ps / PS_PER_MS;
    }
    return parse_report("--wait", text, allowed);
}

static int set_count(uint64_t *count, const char *option, const char *text,
                     uint64_t most)
{
    char allowed[48];

    if (parse_count(text, count) == NULL && *count >= 1 && *count <= most) {
        return 0;
    }
    snprintf(allowed, sizeof allowed, "must be 1 to %" PRIu64, most);
    return parse_report(option, text, allowed);
}

/* Adds a word to the command. */
static int add_word(struct options *options, const char *text)
{
    size_t at = strlen(options->command);
    const char *allowed = NULL;

    for (const char *c = text; *c != '\0'; ++c) {
        if (*c < 0x20 || *c > 0x7e || *c == '*') {
            allowed = "must be printable ASCII without *";
        }
    }
    if (at + strlen(text) + 1 >= sizeof options->command) {
        allowed = "must fit a line of 200 bytes";
    }
    if (allowed == NULL) {
        snprintf(options->command + at, sizeof options->command - at, "%s%s",
                 at > 0 ? " " : "", text);
    }
    return parse_report("command", text, allowed);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        return add_word(options, text);
    case KEY_PORT:
        options->port = text;
        return 0;
    case KEY_RATE:
        return set_count(&options->rate, "--rate", text, RATE_MAX);
    case KEY_WAIT:
        return set_wait(options, text);
    case KEY_FIRMWARE:
        options->firmware = text;
        return 0;
    case KEY_TRIES:
        return set_count(&options->tries, "--tries", text, TRIES_MAX);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static uint32_t hex(const struct console_reply *reply, const char *key)
{
    char value[CONSOLE_WORD_BYTES] = "";

    (void)console_value(reply, value, key);
    return (uint32_t)strtoul(value, NULL, 16);
}

/* Prints the places in the sources of a fault record's addresses; the board's
   image_crc tells in which image to look. */
static void explain_fault(const struct options *options,
                          struct console *console,
                          const struct console_reply *fault)
{
    char pc_at[ADDRESSES_TEXT_BYTES] = "";
    char lr_at[ADDRESSES_TEXT_BYTES] = "";
    struct fault_image image;
    struct console_reply ident;
    const char *why = "the board does not say which image it has";

    if (console_request(console, &ident, "ident") == 0 && ident.ok) {
        fault_image_open(&image,
                         options->firmware != NULL ? options->firmware : "");
        why = fault_image_find(pc_at, lr_at, &image, hex(&ident, "image_crc"),
                               hex(fault, "pc"), hex(fault, "lr"));
    }
    console_reply_free(&ident);
    if (hex(fault, "check") != 0) {
        printf("assertion failed at %s:%u\n", check_path(hex(fault, "check")),
               CHECK_PLACE_LINE(hex(fault, "check")));
    }
    if (pc_at[0] != '\0') {
        printf("pc: %s\n", pc_at);
    }
    if (lr_at[0] != '\0') {
        printf("lr: %s\n", lr_at);
    }
    if (why != NULL) {
        fprintf(stderr, "quincunx: addresses are not looked up: %s\n", why);
    }
}

/* Whether the command is `mesh W H` or `mesh W H X Y`; *at is then the board's
   place. */
static bool parse_mesh_command(struct torus_size *size, struct torus_coord *at,
                               const char *command)
{
    unsigned number[4] = {0};
    int count = sscanf(command, "mesh %u %u %u %u", &number[0], &number[1],
                       &number[2], &number[3]);

    *size = (struct torus_size){(uint16_t)number[0], (uint16_t)number[1]};
    *at = (struct torus_coord){(uint16_t)number[2], (uint16_t)number[3]};
    return count == 2 || count == 4;
}

/* After `mesh`, lists nodes that do not fit the originator (another image, no
   crystal); the board's own reply is about cables only. */
static void print_unfit(const struct options *options, struct console *console)
{
    struct identity *identity;
    struct torus_size size;
    struct torus_coord at;
    struct sweep sweep;

    if (!parse_mesh_command(&size, &at, options->command)) {
        return;
    }
    sweep_begin(&sweep, console, size, at);
    identity = memory_or_exit(calloc(torus_nodes(size), sizeof *identity));
    if (identity_read(identity, &sweep) >= 0) {
        (void)identity_print_unfit(stderr, identity, &sweep);
    }
    free(identity);
    sweep_end(&sweep);
}

/* Sends the command and prints the reply. Result: the exit status. */
static int request(const struct options *options, struct console *console)
{
    struct console_reply reply;
    int status = EXIT_FAILED;

    if (console_request(console, &reply, options->command) != 0) {
        fprintf(stderr, "quincunx: %s\n", console_why(console));
    } else {
        for (uint32_t i = 0; i < reply.lines; ++i) {
            puts(reply.line[i]);
        }
        if (strcmp(options->command, "fault") == 0 && reply.lines > 1) {
            explain_fault(options, console, &reply);
        }
        if (reply.ok) {
            print_unfit(options, console);
        } else {
            fprintf(stderr, "quincunx: %s: '%s': %s\n",
                    quote_shown(options->port), options->command, reply.code);
        }
        status = reply.ok ? 0 : EXIT_FAILED;
    }
    console_reply_free(&reply);
    return status;
}

static int run(const struct options *options)
{
    struct console *console =
        console_connect(options->port, (uint32_t)options->rate);
    uint32_t wait_ms = (uint32_t)options->wait_ms;
    int status;

    if (console == NULL) {
        return EXIT_FAILED;
    }
    console_patience(console, wait_ms, wait_ms > 35000 ? wait_ms : 35000,
                     (uint32_t)options->tries);
    status = request(options, console);
    console_close(console);
    return status;
}

int console_command(int argc, char **argv)
{
    static char help[] = "--help";
    struct options options = {
        .rate = CONSOLE_PORT_RATE, .wait_ms = 1000, .tries = 5};
    struct argp argp = {descriptions, parse_option, "COMMAND [WORD...]",
                        description,  NULL,         NULL,
                        NULL};

    if (argc > 1 && strcmp(argv[1], "-h") == 0) {
        argv[1] = help;
    }
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &options) != 0) {
        return EXIT_USAGE;
    }
    if (options.port == NULL || options.command[0] == '\0') {
        fputs("quincunx: console needs --port and a command; try `help'\n",
              stderr);
        return EXIT_USAGE;
    }
    return run(&options);
}
