/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/flash_map.h"

#include "qemu/flash/list.h"
#include "qemu/options/given_files.h"
#include "qemu/options/guess.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/file.h"
#include "qemu/support/parse.h"
#include "qemu/support/quote.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum key {
    KEY_FORCE = 256,
    KEY_PORTS,
    KEY_USB,
    KEY_BY_ID
};

struct options {
    const char *map; /* NULL: only list */
    bool force;
    bool ports;
    const char *usb;
    const char *by_id;
};

static const struct argp_option descriptions[] = {
    {"output", 'o', "FILE", 0,
     "Write a map, a line for each probe and DFU device; a file that exists is "
     "left as it is",
     0},
    {"force", KEY_FORCE, NULL, 0, "Replace a file that exists", 0},
    {"ports", KEY_PORTS, NULL, 0,
     "Write a line for each serial adapter, too: delete those without a board",
     0},
    {"usb", KEY_USB, "DIR", 0,
     "Folder in which the kernel lists USB devices (default " FLASH_LIST_USB
     ")",
     0},
    {"by-id", KEY_BY_ID, "DIR", 0,
     "Folder of lasting names of serial ports (default /dev/serial/by-id)", 0},
    {0},
};

static const char description[] =
    "List the debug probes, serial adapters and DFU devices that are plugged "
    "in, and write a map of them for `quincunx flash --map`. Places (x, y), "
    "chips' unique numbers and pins are left for you to fill in."
    "\vExample:\n"
    "  quincunx flash-map -o mesh.csv";

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 'o':
        options->map = text;
        return parse_report("--output", text,
                            text[0] != '\0' ? NULL : "must be a file's name");
    case KEY_FORCE:
        options->force = true;
        return 0;
    case KEY_PORTS:
        options->ports = true;
        return 0;
    case KEY_USB:
        options->usb = text;
        return 0;
    case KEY_BY_ID:
        options->by_id = text;
        return 0;
    case ARGP_KEY_ARG:
        return parse_report("argument", text, "none is allowed");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Whether the map gets a line for a device. */
static bool is_mapped(const struct options *options,
                      const struct flash_device *device)
{
    return device->name[0] != '\0' &&
           (device->way != FLASH_PORT || options->ports);
}

static void print_list(const struct flash_list *list)
{
    printf("%-6s %-10s %-10s %s\n", "", "kind", "USB port", "name, product");
    for (unsigned i = 0; i < list->count; ++i) {
        const struct flash_device *device = &list->device[i];

        printf("%-6s %-10s %-10s %s, %s\n", flash_way_name(device->way),
               device->interface != NULL ? device->interface : "-",
               device->place,
               device->name[0] != '\0' ? device->name
                                       : "(its serial number cannot be used)",
               device->text[0] != '\0' ? device->text : "-");
    }
}

/* No name has a comma or a quote in it. */
static void print_map(FILE *map, const struct options *options,
                      const struct flash_list *list)
{
    fputs("probe,port,dfu,interface,unique,pins,x,y,usb\n", map);
    for (unsigned i = 0; i < list->count; ++i) {
        const struct flash_device *device = &list->device[i];
        const char *name[FLASH_WAYS] = {"", "", ""};

        if (is_mapped(options, device)) {
            name[device->way] = device->name;
            fprintf(map, "%s,%s,%s,%s,,,,,%s\n", name[FLASH_PROBE],
                    name[FLASH_PORT], name[FLASH_DFU],
                    device->interface != NULL ? device->interface : "",
                    device->place);
        }
    }
}

static int write_map(const struct options *options,
                     const struct flash_list *list)
{
    int file = open(options->map,
                    O_WRONLY | O_CREAT | O_CLOEXEC |
                        (options->force ? O_TRUNC : O_EXCL),
                    0666);
    FILE *map = file >= 0 ? fdopen(file, "w") : NULL;
    bool written;

    if (map == NULL) {
        return file_error(options->map, "%s",
                          errno == EEXIST
                              ? "is there already; --force replaces it"
                              : strerror(errno));
    }
    print_map(map, options, list);
    written = fflush(map) == 0;
    written = fclose(map) == 0 && written;
    return written ? 0 : file_error(options->map, "%s", strerror(errno));
}

static int count_mapped(const struct options *options,
                        const struct flash_list *list)
{
    int count = 0;

    for (unsigned i = 0; i < list->count; ++i) {
        count += is_mapped(options, &list->device[i]);
    }
    return count;
}

int flash_list_command(int argc, char **argv)
{
    static struct flash_list list;
    struct argp argp = {descriptions, parse_option, "",  description,
                        NULL,         NULL,         NULL};
    struct options options = {.usb = FLASH_LIST_USB,
                              .by_id = "/dev/serial/by-id"};
    int lines;

    if (guess_parse(&argp, argc, argv, &options) != 0) {
        return EXIT_USAGE;
    }
    if (given_file_check_name(
            &(struct given_file){"-o", options.map, "csv txt"}) != 0) {
        return EXIT_USAGE;
    }
    if (flash_list_read(&list, options.usb, options.by_id) != 0) {
        return EXIT_FAILED;
    }
    if (list.count == 0) {
        fprintf(stderr, "quincunx: no debug probe, serial adapter or DFU "
                        "device is plugged in\n");
        return EXIT_FAILED;
    }
    print_list(&list);
    lines = count_mapped(&options, &list);
    if (options.map == NULL) {
        return 0;
    }
    if (lines == 0) {
        return file_error(options.map,
                          "is not written: no probe and no DFU device "
                          "to put there (--ports: serial adapters)");
    }
    if (write_map(&options, &list) != 0) {
        return EXIT_FAILED;
    }
    printf("%s: %d lines\n", quote_shown(options.map), lines);
    return 0;
}
