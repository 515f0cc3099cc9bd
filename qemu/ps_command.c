/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ps_command.h"

#include "qemu/parse.h"
#include "qemu/ps.h"

#include <argp.h>
#include <stdio.h>

#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define WAIT_MS 2000u
#define ROWS_MS 120000u
#define TRIES 5u

enum key {
    KEY_PORT = 0x200,
    KEY_MESH,
    KEY_ORIGINATOR,
    KEY_JSON
};

static const struct argp_option descriptions[] = {
    {"port", KEY_PORT, "PORT", 0,
     "The originator's serial port: /dev/ttyACM0, or a pseudo-terminal", 1},
    {"mesh", KEY_MESH, "WxH", 0, "Size of the torus", 1},
    {"originator", KEY_ORIGINATOR, "X,Y", 0,
     "Whose console it is (default 0,0)", 1},
    {"json", KEY_JSON, NULL, 0, "An array of objects, one for each node", 1},
    {0}};

static const char description[] =
    "Tells of every node of a mesh of boards its state, waypoint, last circuit "
    "and fault, also where programs hang."
    "\vA node is well if it answers, is in no job, and its last job went well; "
    "and if it has had no fault, or has done a job since. The exit status is 0 "
    "if all nodes are well, else 1.";

struct options {
    const char *port;
    const char *mesh_text;
    struct torus_size size;
    struct torus_coord originator;
    bool json;
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case KEY_PORT:
        options->port = text;
        return 0;
    case KEY_MESH:
        options->mesh_text = text;
        return parse_report("--mesh", text, parse_mesh(text, &options->size));
    case KEY_ORIGINATOR:
        return parse_report("--originator", text,
                            parse_coord(text, &options->originator));
    case KEY_JSON:
        options->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int check(const struct options *options)
{
    if (options->port == NULL || options->mesh_text == NULL) {
        fputs("quincunx: ps needs --port and --mesh; see --help\n", stderr);
        return EXIT_USAGE;
    }
    if (options->originator.x >= options->size.width ||
        options->originator.y >= options->size.height) {
        parse_report_outside("--originator", options->originator,
                             options->size);
        return EXIT_USAGE;
    }
    return 0;
}

static struct console *open_console(const struct options *options)
{
    char why[SERIAL_WHY_BYTES];
    struct serial *serial = serial_open(why, options->port, SERIAL_RATE);
    struct console *console;

    if (serial == NULL) {
        fprintf(stderr, "quincunx: %s\n", why);
        return NULL;
    }
    console = console_open(serial);
    if (console == NULL) {
        fputs("quincunx: no memory for the console\n", stderr);
        return NULL;
    }
    console_patience(console, WAIT_MS, ROWS_MS, TRIES);
    return console;
}

static int tell(const struct options *options, const struct ps *ps)
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

static int ask(const struct options *options)
{
    struct console *console = open_console(options);
    struct ps ps;
    bool well = false;

    if (console == NULL) {
        return EXIT_FAILED;
    }
    if (!ps_begin(&ps, console, options->size, options->originator)) {
        fputs("quincunx: no memory for the nodes\n", stderr);
    } else {
        well = ps_ask(&ps);
        if (ps.why[0] != '\0') {
            fprintf(stderr, "quincunx: %s\n", console_why(console));
        }
        if (tell(options, &ps) != 0) {
            well = false;
        }
    }
    ps_end(&ps);
    console_close(console);
    return well ? 0 : EXIT_FAILED;
}

int ps_command(int argc, char **argv)
{
    struct options options = {.port = NULL};
    struct argp argp = {descriptions, parse_option, NULL, description,
                        NULL,         NULL,         NULL};

    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) {
        return EXIT_USAGE;
    }
    if (check(&options) != 0) {
        return EXIT_USAGE;
    }
    return ask(&options);
}
