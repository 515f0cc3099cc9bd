/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "hal/check.h"
#include "hal/line/line.h"
#include "qemu/board/fault_image.h"
#include "qemu/serial/client.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"
#include "qemu/serial/nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_MS UINT64_C(1000000000)
#define WAIT_MS_MAX 3600000

struct options {
    const char *port;
    uint64_t rate;
    uint64_t wait_ps;
    uint64_t tries;
    const char *firmware;
    char command[LINE_TEXT_MAX + 1];
};

static int add_word(void *own, const char *option, const char *text)
{
    struct options *options = own;
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
    return parse_report(option, text, allowed);
}

static const struct option_row rows[] = {
    {"port", "PORT", 1, OPTION_TEXT, OPTION_AT(struct options, port),
     .help = "The serial port: /dev/ttyACM0, or a pseudo-terminal (required)",
     .required = true},
    {"rate", "BITS", 1, OPTION_COUNT, OPTION_AT(struct options, rate),
     .help = "Bits a second (default 115200)", .least = 1, .most = 12000000},
    {"wait", "T", 2, OPTION_TIME, OPTION_AT(struct options, wait_ps),
     .help = "Time to wait for a reply (default 1s); further rows, which may "
             "take circuits, get 35 s, or T if that is longer",
     .least = PS_PER_MS, .most = WAIT_MS_MAX * PS_PER_MS,
     .allowed = "must be 1ms to 3600s"},
    {"tries", "N", 2, OPTION_COUNT, OPTION_AT(struct options, tries),
     .help = "How often to ask when lines are damaged or lost (default 5)",
     .least = 1, .most = 1000},
    {"firmware", "FILE", 2, OPTION_INPUT, OPTION_AT(struct options, firmware),
     .help = "The board's image as ELF file, in which `fault' looks up where "
             "it was (default: beside this program)"}};

static uint32_t hex(const struct console_reply *reply, const char *key)
{
    char value[CONSOLE_WORD_BYTES] = "";

    (void)console_value(reply, value, key);
    return (uint32_t)strtoul(value, NULL, 16);
}

/* Prints the source lines of the addresses in a fault record. The image must
   have the CRC that the board reports. */
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
        fault_image_open(&image, options->firmware);
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

/* Parses a command `mesh W H` or `mesh W H X Y`, and sets *at to X,Y. Returns
   false for any other command. */
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

/* After a command `mesh`, prints the nodes that differ from the others, such as
   by their image or crystal. The board itself checks only cables. */
static void print_unfit(const struct options *options, struct console *console)
{
    struct torus_size size;
    struct torus_coord at;
    struct nodes nodes;

    if (!parse_mesh_command(&size, &at, options->command)) {
        return;
    }
    nodes_begin(&nodes, console, size, at);
    if (nodes_read(&nodes) >= 0) {
        (void)nodes_print_unfit(stderr, &nodes);
    }
    nodes_end(&nodes);
}

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

static int run(void *own)
{
    const struct options *options = own;
    struct console *console =
        console_connect(options->port, (uint32_t)options->rate);
    uint32_t wait_ms = (uint32_t)(options->wait_ps / PS_PER_MS);
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

const struct option_command console_command = {
    .name = "console",
    .summary = "one command for a board on a serial port, and its reply",
    .words = "COMMAND [WORD...]",
    .part = {{OPTION_TABLE(rows), 0}},
    .text =
        "Sends one command to the board on a serial port and prints the reply."
        "\vThe exit status is 0 if the reply is `ok'. The command `help' lists "
        "the commands."
        "\n\nExample:\n"
        "  quincunx console --port /dev/ttyUSB0 version",
    .word = &(const struct option_row){"command", .type = OPTION_SET,
                                       OPTION_ALL, .set = add_word, .least = 1,
                                       .help = "a command, such as `help'"},
    .bytes = sizeof(struct options),
    .usual = &(const struct options){.rate = CONSOLE_PORT_RATE,
                                     .wait_ps = 1000 * PS_PER_MS,
                                     .tries = 5},
    .run = run};
