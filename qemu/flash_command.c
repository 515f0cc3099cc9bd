/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/flash_command.h"

#include "qemu/flash.h"
#include "qemu/flash_identity.h"
#include "qemu/format.h"
#include "qemu/parse.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define JOBS 4
#define TIMEOUT_S 60
#define TIMEOUT_MAX_S 3600
#define PROGRAM_BYTES 1024u /* of a command line's FLASH_OPENOCD_TEXT */

enum key {
    KEY_BOARD = 256,
    KEY_PROBE,
    KEY_MAP,
    KEY_MESH,
    KEY_PARTIAL,
    KEY_SET_COORDINATES,
    KEY_JOBS,
    KEY_TIMEOUT,
    KEY_OPENOCD,
    KEY_INTERFACE
};

struct options {
    struct flash_config config;
    const char *probe;
    const char *map;
    const char *image;
    struct torus_size size; /* width 0: not given */
    bool partial;
    bool set_coordinates;
};

static const struct argp_option descriptions[] = {
    {"board", KEY_BOARD, "BOARD", 0, "Kind of board: stm32f405", 0},
    {"probe", KEY_PROBE, "SERIAL", 0,
     "One board: the one at the probe with this serial number", 0},
    {"map", KEY_MAP, "FILE", 0,
     "All boards of a mesh: CSV with the columns probe, x and y", 0},
    {"mesh", KEY_MESH, "WxH", 0,
     "The map's mesh (default: up to its largest x and y)", 0},
    {"partial", KEY_PARTIAL, NULL, 0, "The map may leave out nodes", 0},
    {"set-coordinates", KEY_SET_COORDINATES, NULL, 0,
     "Write each board's x and y and the mesh's size into its image, for the "
     "firmware to go by",
     0},
    {"jobs", KEY_JOBS, "N", 0, "Boards at a time: 1 to 64 (default 4)", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0,
     "What a board may take: 1 to 3600 (default 60)", 0},
    {"openocd", KEY_OPENOCD, "PROGRAM", 0, "OpenOCD 0.12 (default openocd)", 0},
    {"interface", KEY_INTERFACE, "NAME", 0,
     "Kind of probe: stlink (default), stlink-dap, cmsis-dap or jlink", 0},
    {0},
};

static const char description[] =
    "Write a firmware image to boards through OpenOCD: check the chip, "
    "program, "
    "verify, reset. Stops at the first board that fails.";

static int set_board(struct options *options, const char *text)
{
    options->config.chip = flash_openocd_chip(text);
    return parse_report("--board", text,
                        options->config.chip != NULL
                            ? NULL
                            : "must be stm32f405: no other can be flashed");
}

static int set_probe(struct options *options, const char *text)
{
    options->probe = text;
    return parse_report("--probe", text, flash_probe_check(text));
}

static int set_number(unsigned *number, const char *option, const char *text,
                      unsigned most, const char *allowed)
{
    uint64_t value = 0;
    bool fine = parse_count(text, &value) == NULL && value > 0 && value <= most;

    *number = (unsigned)value;
    return parse_report(option, text, fine ? NULL : allowed);
}

static int set_program(struct options *options, const char *text)
{
    options->config.program = text;
    return parse_report("--openocd", text,
                        text[0] != '\0' && strlen(text) < PROGRAM_BYTES
                            ? NULL
                            : "must be a program of at most 1023 characters");
}

static int set_interface(struct options *options, const char *text)
{
    options->config.interface = text;
    return parse_report("--interface", text,
                        flash_openocd_transport(text) != NULL
                            ? NULL
                            : "must be " FLASH_OPENOCD_INTERFACES);
}

static int set_image(struct options *options, const char *text)
{
    if (options->image != NULL) {
        return parse_report("argument", text, "only one IMAGE is allowed");
    }
    options->image = text;
    return 0;
}

static int missing(const char *what)
{
    fprintf(stderr, "quincunx: flash needs %s; see --help\n", what);
    return EINVAL;
}

static int check(const struct options *options)
{
    bool one = options->probe != NULL;

    if (options->config.chip == NULL) {
        return missing("--board stm32f405");
    }
    if (one == (options->map != NULL)) {
        return missing("either --probe SERIAL or --map FILE");
    }
    if (one && (options->partial || options->set_coordinates ||
                options->size.width != 0)) {
        return missing("--map FILE for --mesh, --partial and "
                       "--set-coordinates");
    }
    return options->image != NULL ? 0 : missing("IMAGE");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case KEY_BOARD:
        return set_board(options, text);
    case KEY_PROBE:
        return set_probe(options, text);
    case KEY_MAP:
        options->map = text;
        return 0;
    case KEY_MESH:
        return parse_report("--mesh", text, parse_mesh(text, &options->size));
    case KEY_PARTIAL:
        options->partial = true;
        return 0;
    case KEY_SET_COORDINATES:
        options->set_coordinates = true;
        return 0;
    case KEY_JOBS:
        return set_number(&options->config.jobs, "--jobs", text, FLASH_JOBS_MAX,
                          "must be 1 to 64");
    case KEY_TIMEOUT:
        return set_number(&options->config.timeout_s, "--timeout", text,
                          TIMEOUT_MAX_S, "must be 1 to 3600 seconds");
    case KEY_OPENOCD:
        return set_program(options, text);
    case KEY_INTERFACE:
        return set_interface(options, text);
    case ARGP_KEY_ARG:
        return set_image(options, text);
    case ARGP_KEY_END:
        return check(options);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int flash_map(struct options *options)
{
    struct flash_map map;
    int status =
        flash_map_read(&map, options->map, options->size, options->partial);

    options->config.size = map.size;
    if (status == 0) {
        status = flash_boards(&options->config, map.board, map.count);
    }
    flash_map_free(&map);
    return status;
}

static int flash_probe(const struct options *options)
{
    struct flash_board board = {.line = 0};

    snprintf(board.probe, sizeof board.probe, "%s", options->probe);
    return flash_boards(&options->config, &board, 1);
}

/* Whether the image's identity, if it has one, is fine; finds the place that
   the coordinates have in it. */
static int check_identity(struct options *options, const uint8_t *data,
                          uint64_t bytes)
{
    struct flash_config *config = &options->config;
    const struct elf_place *place = &config->chip->place;
    uint64_t offset = elf_offset(data, bytes, place,
                                 place->flash_start + IMAGE_IDENTITY_OFFSET,
                                 FLASH_IDENTITY_BYTES);
    int found = offset == 0
                    ? 0
                    : flash_identity_check(data + offset, config->chip->kind);

    if (found < 0) {
        return format_file_error(options->image,
                                 "says that it is for another board, or is of "
                                 "another version");
    }
    if (options->set_coordinates && found == 0) {
        return format_file_error(options->image,
                                 "has no place for --set-coordinates");
    }
    config->place_offset =
        options->set_coordinates ? offset + FLASH_IDENTITY_PLACE : 0;
    return 0;
}

/* Checks the image before any board is touched. */
static int flash_image(struct options *options, const uint8_t *data,
                       uint64_t bytes)
{
    struct flash_config *config = &options->config;
    char message[ELF_MESSAGE_BYTES];

    if (elf_check(&config->flash_bytes, message, data, bytes,
                  &config->chip->place) != 0) {
        return format_file_error(options->image, message);
    }
    if (check_identity(options, data, bytes) != 0) {
        return EXIT_FAILED;
    }
    config->image = data;
    config->image_bytes = bytes;
    return options->map != NULL ? flash_map(options) : flash_probe(options);
}

int flash_command(int argc, char **argv)
{
    struct argp argp = {descriptions, parse_option, "IMAGE", description,
                        NULL,         NULL,         NULL};
    struct options options = {.config = {.program = "openocd",
                                         .interface = "stlink",
                                         .jobs = JOBS,
                                         .timeout_s = TIMEOUT_S}};
    uint8_t *data;
    uint64_t bytes;
    int status;

    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) {
        return EXIT_USAGE;
    }
    options.config.map_name = options.map;
    if (format_read_file(&data, &bytes, options.image) != 0) {
        return EXIT_FAILED;
    }
    status = flash_image(&options, data, bytes);
    free(data);
    return status;
}
