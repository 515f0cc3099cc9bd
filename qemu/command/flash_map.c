/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/bench/flash_list.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *map; /* path of the map; NULL: devices are only listed */
    bool force;
    bool ports;
    const char *usb;
    const char *by_id;
};

static const struct option_row rows[] = {
    {"output", "FILE", 0, OPTION_TEXT, OPTION_AT(struct options, map),
     .help = "Write a map, a line for each probe and DFU device; a file that "
             "exists is left as it is",
     .letter = 'o', .suffixes = "csv txt"},
    {"force", NULL, 0, OPTION_FLAG, OPTION_AT(struct options, force),
     .help = "Replace a file that exists"},
    {"ports", NULL, 0, OPTION_FLAG, OPTION_AT(struct options, ports),
     .help = "Write a line for each serial adapter, too: delete those without "
             "a board"},
    {"usb", "DIR", 0, OPTION_TEXT, OPTION_AT(struct options, usb),
     .help =
         "Folder in which the kernel lists USB devices (default " FLASH_LIST_USB
         ")"},
    {"by-id", "DIR", 0, OPTION_TEXT, OPTION_AT(struct options, by_id),
     .help = "Folder of lasting names of serial ports (default "
             "/dev/serial/by-id)"}};

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

/* Prints the map as CSV. No name has a comma or a quote in it. */
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

static int run(void *own)
{
    static struct flash_list list;
    const struct options *options = own;
    int lines;

    if (flash_list_read(&list, options->usb, options->by_id) != 0) {
        return EXIT_FAILED;
    }
    if (list.count == 0) {
        fprintf(stderr, "quincunx: no debug probe, serial adapter or DFU "
                        "device is plugged in\n");
        return EXIT_FAILED;
    }
    print_list(&list);
    lines = count_mapped(options, &list);
    if (options->map == NULL) {
        return 0;
    }
    if (lines == 0) {
        return file_error(options->map,
                          "is not written: no probe and no DFU device "
                          "to put there (--ports: serial adapters)");
    }
    if (write_map(options, &list) != 0) {
        return EXIT_FAILED;
    }
    printf("%s: %d lines\n", quote_shown(options->map), lines);
    return 0;
}

const struct option_command flash_map_command = {
    .name = "flash-map",
    .summary =
        "the probes, serial adapters and DFU devices that are plugged in",
    .part = {{OPTION_TABLE(rows), 0}},
    .text = "List the debug probes, serial adapters and DFU devices that are "
            "plugged in, and write a map of them for `quincunx flash --map`. "
            "Places (x, y), chips' unique numbers and pins are left for you to "
            "fill in."
            "\vExample:\n"
            "  quincunx flash-map -o mesh.csv",
    .bytes = sizeof(struct options),
    .usual = &(const struct options){.usb = FLASH_LIST_USB,
                                     .by_id = "/dev/serial/by-id"},
    .run = run};
