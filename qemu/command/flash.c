/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/bench/flash.h"
#include "qemu/bench/flash_list.h"
#include "qemu/bench/flash_map.h"
#include "qemu/bench/openocd.h"
#include "qemu/base/progress.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOBS 4
#define TIMEOUT_S 60
#define TIMEOUT_MAX_S 3600
/* bytes of a program's name or path, with its NUL */
#define PROGRAM_BYTES 1024u

struct options {
    struct flash_config config;
    /* the board that --probe, --port or --dfu names; name "": none */
    struct flash_board one;
    const char *map;
    const char *image;
    const char *usb;
    struct torus_size size; /* width 0: not given */
    bool partial;
    bool set_coordinates;
    bool force_pins;
    enum progress_kind progress;
    char pins[IMAGE_PINS_BYTES]; /* pins that the image names; "": none */
};

/* Stores the name of the one board to flash. `option` is the way to reach it,
   such as "--probe". Refuses a second board. */
static int set_one(void *field, const char *option, const char *text)
{
    struct flash_board *one = field;
    enum flash_way way = FLASH_PROBE;
    const char *allowed;

    while (strcmp(flash_way_name(way), option + 2) != 0) {
        way = (enum flash_way)(way + 1);
    }
    allowed = flash_name_check(way, text);
    if (allowed == NULL && one->name[0] != '\0' && one->way != way) {
        allowed = "a board is reached one way; see --map for several";
    }
    if (allowed == NULL) {
        one->way = way;
        snprintf(one->name, sizeof one->name, "%s", text);
    }
    return parse_report(option, text, allowed);
}

static int set_program(void *field, const char *option, const char *text)
{
    *(const char **)field = text;
    return parse_report(option, text,
                        text[0] != '\0' && strlen(text) < PROGRAM_BYTES
                            ? NULL
                            : "must be a program of at most 1023 characters");
}

static int set_interface(void *field, const char *option, const char *text)
{
    const char *interface = flash_openocd_interface(text);

    *(const char **)field = interface;
    return parse_report(
        option, text,
        interface != NULL ? NULL : "must be " FLASH_OPENOCD_INTERFACES);
}

static const struct option_row rows[] = {
    {"board", "BOARD", 0, OPTION_CHOICE, OPTION_AT(struct options, config.chip),
     .help = "Kind of board: " BOARD_FLASHED_NAMES " (required)",
     .required = true, .choice = board_flashed, .set = board_set,
     .allowed = "must be " BOARD_FLASHED_NAMES ": no other can be flashed"},
    {"probe", "SERIAL", 0, OPTION_SET, OPTION_AT(struct options, one),
     .help = "One board: the one at the probe with this serial number",
     .set = set_one},
    {"port", "TTY", 0, OPTION_SET, OPTION_AT(struct options, one),
     .help = "One board: the one whose ROM boot loader is at this serial port "
             "(BOOT0 high, BOOT1 low, then reset)",
     .set = set_one},
    {"dfu", "SERIAL", 0, OPTION_SET, OPTION_AT(struct options, one),
     .help = "One board: the one whose ROM boot loader is the USB DFU device "
             "with this serial number",
     .set = set_one},
    {"map", "FILE", 0, OPTION_TEXT, OPTION_AT(struct options, map),
     .help = "Many boards: CSV, a line for each, with a column probe, port or "
             "dfu; and, where known, x and y, unique, pins, interface"},
    {"mesh", "WxH", 0, OPTION_MESH, OPTION_AT(struct options, size),
     .help = "The map's mesh (default: up to its largest x and y)",
     .needs = "map"},
    {"partial", NULL, 0, OPTION_FLAG, OPTION_AT(struct options, partial),
     .help = "The map may leave out nodes", .needs = "map"},
    {"set-coordinates", NULL, 0, OPTION_FLAG,
     OPTION_AT(struct options, set_coordinates),
     .help = "Write each board's x and y and the mesh's size into its image, "
             "where the firmware reads them",
     .needs = "map"},
    {"force-pins", NULL, 0, OPTION_FLAG, OPTION_AT(struct options, force_pins),
     .help = "Also flash boards whose present image is for other pins (make "
             "PINS=)"},
    {"jobs", "N", 0, OPTION_COUNT, OPTION_AT(struct options, config.jobs),
     .help = "Boards at a time: 1 to 64 (default 4)", .least = 1,
     .most = FLASH_JOBS_MAX},
    {"timeout", "SECONDS", 0, OPTION_COUNT,
     OPTION_AT(struct options, config.timeout_s),
     .help = "Time limit for each board, 1 to 3600 (default 60)", .least = 1,
     .most = TIMEOUT_MAX_S, .allowed = "must be 1 to 3600 seconds"},
    {"openocd", "PROGRAM", 0, OPTION_SET,
     OPTION_AT(struct options, config.program[FLASH_PROBE]),
     .help = "OpenOCD 0.12 (default openocd)", .set = set_program},
    {"stm32flash", "PROGRAM", 0, OPTION_SET,
     OPTION_AT(struct options, config.program[FLASH_PORT]),
     .help = "stm32flash 0.7 (default stm32flash)", .set = set_program},
    {"dfu-util", "PROGRAM", 0, OPTION_SET,
     OPTION_AT(struct options, config.program[FLASH_DFU]),
     .help = "dfu-util 0.11 (default dfu-util)", .set = set_program},
    {"interface", "NAME", 0, OPTION_SET,
     OPTION_AT(struct options, config.interface),
     .help = "Kind of probe: stlink (default), stlink-dap, cmsis-dap or jlink",
     .set = set_interface},
    {"usb", "DIR", 0, OPTION_TEXT, OPTION_AT(struct options, usb),
     .help =
         "Folder in which the kernel lists USB devices (default " FLASH_LIST_USB
         ")"}};

static int refuse(const struct options *options,
                  const struct flash_board *board, const char *reason)
{
    fputs("quincunx: ", stderr);
    flash_board_print(stderr, board, options->map);
    fprintf(stderr, ": %s\n", reason);
    return EXIT_FAILED;
}

/* Checks that this process may open the board's USB device or serial port.
   Returns 0, or an exit status after a message. */
static int check_device(struct options *options,
                        const struct flash_board *board)
{
    char node[FLASH_LIST_NODE];
    char reason[FLASH_LIST_NODE + 256];
    struct stat status;
    int error;

    if (board->way == FLASH_PORT) {
        if (stat(board->name, &status) != 0) {
            return refuse(options, board, strerror(errno));
        }
        return !S_ISCHR(status.st_mode)
                   ? refuse(options, board, "that is no serial port")
               : access(board->name, R_OK | W_OK) != 0
                   ? refuse(options, board,
                            "no permission (is this user in the group "
                            "dialout?)")
                   : 0;
    }
    error = flash_list_look(node, options->usb, board->name);
    options->config.sees_usb = options->config.sees_usb && error == 0;
    if (error == 0 || error == ENOTSUP) {
        return 0;
    }
    if (error == ENODEV) {
        snprintf(reason, sizeof reason,
                 "is not plugged in: no USB device here has that number "
                 "(`quincunx flash-map' lists those that are there)%s",
                 board->way == FLASH_DFU ? "; BOOT0 high, BOOT1 low, then reset"
                                         : "");
    } else if (error == EACCES) {
        snprintf(reason, sizeof reason,
                 "no permission for %s: udev's rules 70-quincunx.rules, which "
                 "`make install' and the package bring, give it to who sits "
                 "here and to the group plugdev; then plug it in again",
                 node);
    } else {
        snprintf(reason, sizeof reason, "%s: %s", node, strerror(error));
    }
    return refuse(options, board, reason);
}

/* Checks what the map says of a board. Called for all boards before the first
   is flashed. */
static int check_board(struct options *options, const struct flash_board *board)
{
    char reason[128];

    if (options->set_coordinates && !board->placed) {
        return refuse(options, board, "has no x and y for --set-coordinates");
    }
    if (board->pins[0] != '\0' && strcmp(board->pins, options->pins) != 0) {
        snprintf(
            reason, sizeof reason,
            "has the pins '%s', but the image %s%s%s (make PINS=%s)",
            board->pins, options->pins[0] != '\0' ? "is for '" : "tells none",
            options->pins, options->pins[0] != '\0' ? "'" : "", board->pins);
        return refuse(options, board, reason);
    }
    return check_device(options, board);
}

static int flash_map(struct options *options)
{
    struct flash_map map;
    int status =
        flash_map_read(&map, options->map, options->size, options->partial);

    options->config.size = map.size;
    for (unsigned i = 0; i < map.count && status == 0; ++i) {
        status = check_board(options, &map.board[i]);
    }
    if (status == 0) {
        status = flash_boards(&options->config, map.board, map.count);
    }
    flash_map_free(&map);
    return status;
}

static int flash_one(struct options *options)
{
    return check_board(options, &options->one) != 0
               ? EXIT_FAILED
               : flash_boards(&options->config, &options->one, 1);
}

/* Checks the image's identity, if it has one, and finds where the image has a
   board's coordinates. */
static int check_identity(struct options *options,
                          const struct elf_image *image)
{
    struct flash_config *config = &options->config;
    uint64_t offset = elf_offset(
        image, image->place->flash_start + config->chip->identity_offset,
        FLASH_IDENTITY_BYTES);
    int found = offset == 0 ? 0
                            : flash_identity_check(image->data + offset,
                                                   config->chip->number);

    if (found < 0) {
        return file_error(options->image,
                          "says that it is for another board, or is of "
                          "another version");
    }
    if (options->set_coordinates && found == 0) {
        return file_error(options->image, "has no place for --set-coordinates");
    }
    if (found > 0) {
        flash_identity_pins(options->pins, image->data + offset);
    }
    config->pins = options->force_pins ? "" : options->pins;
    config->place_offset =
        options->set_coordinates ? offset + FLASH_IDENTITY_PLACE : 0;
    return 0;
}

static int flash_image(struct options *options, const struct elf_image *image)
{
    struct flash_config *config = &options->config;
    uint8_t *flash = memory_or_exit(malloc(image->flash_bytes));
    int status;

    elf_flatten(flash, image);
    config->image = image->data;
    config->image_bytes = image->bytes;
    config->flash = flash;
    config->flash_bytes = image->flash_bytes;
    status = options->map != NULL ? flash_map(options) : flash_one(options);
    free(flash);
    return status;
}

static int run(void *own)
{
    struct options *options = own;
    struct elf_image image;
    uint8_t *data;
    uint64_t bytes;
    int status;

    if ((options->one.name[0] != '\0') == (options->map != NULL)) {
        return usage_error("flash needs either --probe SERIAL, --port TTY, "
                           "--dfu SERIAL or --map FILE; see --help");
    }
    options->config.map_name = options->map;
    if (file_read(&data, &bytes, options->image) != 0) {
        return EXIT_FAILED;
    }
    if (elf_open(&image, data, bytes, &options->config.chip->place) != 0) {
        status = file_error(options->image, "%s", image.message);
    } else {
        status = check_identity(options, &image);
    }
    status = status == 0 ? flash_image(options, &image) : status;
    free(data);
    return status;
}

const struct option_command flash_command = {
    .name = "flash",
    .summary =
        "a firmware image into real boards, by probe, serial port or USB",
    .words = "IMAGE",
    .part = {{OPTION_TABLE(rows), 0},
             {&progress_option_table, offsetof(struct options, progress)}},
    .text = "Write a firmware image to boards, through OpenOCD and a debug "
            "probe or through the chip's ROM boot loader: check the chip, "
            "program, verify. Stops at the first board that fails. One of "
            "--probe, --port, --dfu and --map says to which boards."
            "\vExample:\n"
            "  quincunx flash --board " BOARD_SERIAL_NAME
            " --map mesh.csv firmware.elf",
    .word = &(const struct option_row){"IMAGE", .type = OPTION_INPUT,
                                       OPTION_AT(struct options, image),
                                       .least = 1, .help = "IMAGE"},
    .bytes = sizeof(struct options),
    .usual =
        &(const struct options){
            .usb = FLASH_LIST_USB,
            .config = {.sees_usb = true,
                       .program = {"openocd", "stm32flash", "dfu-util"},
                       .interface = "stlink",
                       .jobs = JOBS,
                       .timeout_s = TIMEOUT_S}},
    .run = run};
