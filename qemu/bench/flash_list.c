/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/flash_list.h"

#include "qemu/bench/openocd.h"
#include "qemu/base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024u

struct looked {
    const char *usb;
    const char *by_id;
    struct flash_device device;
    char serial[FLASH_NAME_BYTES];
    char tty[64]; /* tty of the device's first interface; "": none */
    bool cmsis_dap;
};

/* Reads the first line of a file in a USB device's folder, or "" if there is no
   such file. Unprintable bytes become '?'. */
static void read_line(char *line, size_t room, const char *usb,
                      const char *place, const char *name)
{
    char path[PATH_BYTES];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s/%s", usb, place, name);
    file = fopen(path, "r");
    if (file == NULL || fgets(line, (int)room, file) == NULL) {
        line[0] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; *at != '\0'; ++at) {
        *at = isprint((unsigned char)*at) ? *at : '?';
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static int list_folder(struct dirent ***entries, const char *folder)
{
    int count = scandir(folder, entries, NULL, alphasort);

    if (count < 0) {
        *entries = NULL;
    }
    return count < 0 ? 0 : count;
}

static void free_entries(struct dirent **entries, int count)
{
    for (int i = 0; i < count; ++i) {
        free(entries[i]);
    }
    free(entries);
}

/* Sets the USB device's tty, if it is unknown, to the first entry of a folder
   that begins with `with`. */
static void find_tty(struct looked *looked, const char *interface,
                     const char *folder, const char *with)
{
    struct dirent **entries;
    char path[PATH_BYTES];
    int count;

    snprintf(path, sizeof path, "%s/%s%s", looked->usb, interface, folder);
    count = list_folder(&entries, path);
    for (int i = 0; i < count && looked->tty[0] == '\0'; ++i) {
        if (begins(entries[i]->d_name, with)) {
            snprintf(looked->tty, sizeof looked->tty, "%.63s",
                     entries[i]->d_name);
        }
    }
    free_entries(entries, count);
}

/* Finds the tty of a device. The folders of its interfaces are beside its own:
   1-2 has 1-2:1.0 and 1-2:1.1. They contain ttyUSB0 or tty/ttyACM0. */
static void look_at_interfaces(struct looked *looked)
{
    const char *place = looked->device.place;
    struct dirent **entries;
    int count = list_folder(&entries, looked->usb);

    for (int i = 0; i < count; ++i) {
        const char *name = entries[i]->d_name;
        char line[FLASH_LIST_TEXT];

        if (begins(name, place) && name[strlen(place)] == ':') {
            read_line(line, sizeof line, looked->usb, name, "interface");
            looked->cmsis_dap |= strstr(line, "CMSIS-DAP") != NULL;
            find_tty(looked, name, "/tty", "tty");
            find_tty(looked, name, "", "ttyUSB");
        }
    }
    free_entries(entries, count);
}

/* Returns the kind of a debug probe as OpenOCD calls it, or NULL if the device
   is no probe. */
static const char *kind_of(const struct looked *looked, const char *vendor,
                           const char *product)
{
    /* USB product ids of ST-Link V1, V2, V2-1 and V3. */
    static const char *const products[] = {"3744", "3748", "374a", "374b",
                                           "374d", "374e", "374f", "3752",
                                           "3753", "3754", "3757"};

    for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
        if (strcmp(vendor, "0483") == 0 && strcmp(product, products[i]) == 0) {
            return flash_openocd_interface("stlink");
        }
    }
    if (strcmp(vendor, "1366") == 0) {
        return flash_openocd_interface("jlink");
    }
    return looked->cmsis_dap ? flash_openocd_interface("cmsis-dap") : NULL;
}

/* Writes the path of a serial port: a link /dev/serial/by-id/... that leads to
   it, else /dev/ttyUSB0. */
static void name_port(char name[FLASH_NAME_BYTES], const struct looked *looked)
{
    struct dirent **entries;
    int count = list_folder(&entries, looked->by_id);
    char path[PATH_BYTES];
    bool found = false;

    snprintf(name, FLASH_NAME_BYTES, "/dev/%s", looked->tty);
    for (int i = 0; i < count && !found; ++i) {
        char *real;

        snprintf(path, sizeof path, "%s/%s", looked->by_id, entries[i]->d_name);
        real = realpath(path, NULL);
        found = real != NULL && strcmp(real, name) == 0 &&
                flash_name_check(FLASH_PORT, path) == NULL &&
                strpbrk(path, ",\"") == NULL;
        free(real);
    }
    if (found) {
        snprintf(name, FLASH_NAME_BYTES, "%.255s", path);
    }
    free_entries(entries, count);
}

static bool look_at_device(struct looked *looked, const char *place)
{
    struct flash_device *device = &looked->device;
    char vendor[8];
    char product[8];

    snprintf(device->place, sizeof device->place, "%.95s", place);
    read_line(vendor, sizeof vendor, looked->usb, place, "idVendor");
    read_line(product, sizeof product, looked->usb, place, "idProduct");
    read_line(looked->serial, sizeof looked->serial, looked->usb, place,
              "serial");
    read_line(device->text, sizeof device->text, looked->usb, place, "product");
    looked->cmsis_dap = strstr(device->text, "CMSIS-DAP") != NULL;
    look_at_interfaces(looked);
    device->interface = kind_of(looked, vendor, product);
    device->way = device->interface != NULL ? FLASH_PROBE
                  : strcmp(vendor, "0483") == 0 && strcmp(product, "df11") == 0
                      ? FLASH_DFU
                      : FLASH_PORT;
    if (device->way == FLASH_PORT && looked->tty[0] == '\0') {
        return false;
    }
    if (device->way == FLASH_PORT) {
        name_port(device->name, looked);
    } else if (flash_name_check(device->way, looked->serial) == NULL) {
        snprintf(device->name, sizeof device->name, "%s", looked->serial);
    }
    return true;
}

static int order(const void *left, const void *right)
{
    const struct flash_device *a = left;
    const struct flash_device *b = right;

    return a->way != b->way ? (int)a->way - (int)b->way
                            : strverscmp(a->place, b->place);
}

int flash_list_read(struct flash_list *list, const char *usb, const char *by_id)
{
    struct dirent **entries;
    int count = list_folder(&entries, usb);

    list->count = 0;
    if (entries == NULL && errno != ENOENT) {
        return file_error(usb, "%s", strerror(errno));
    }
    for (int i = 0; i < count && list->count < FLASH_LIST_MAX; ++i) {
        const char *name = entries[i]->d_name;
        struct looked looked = {.usb = usb, .by_id = by_id};

        if (name[0] != '.' && strchr(name, ':') == NULL &&
            look_at_device(&looked, name)) {
            list->device[list->count++] = looked.device;
        }
    }
    free_entries(entries, count);
    qsort(list->device, list->count, sizeof *list->device, order);
    return 0;
}

/* ---- one device ---- */

/* Compares serial numbers without zeros at their begin: J-Links have such
   zeros, OpenOCD does not print them. */
static bool same_serial(const char *a, const char *b)
{
    return strcmp(a + strspn(a, "0"), b + strspn(b, "0")) == 0;
}

/* Returns 0 if this process may open a USB device, else an errno. The device's
   file is named in its file `uevent`: DEVNAME=bus/usb/001/004. */
static int check_node(char node[FLASH_LIST_NODE], const char *usb,
                      const char *place)
{
    char path[PATH_BYTES];
    char line[FLASH_LIST_NODE];
    FILE *file;

    node[0] = '\0';
    snprintf(path, sizeof path, "%s/%s/uevent", usb, place);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "DEVNAME=%120s", path) == 1) {
            snprintf(node, FLASH_LIST_NODE, "/dev/%.120s", path);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return node[0] == '\0'                  ? ENOTSUP
           : access(node, R_OK | W_OK) == 0 ? 0
                                            : errno;
}

int flash_list_look(char node[FLASH_LIST_NODE], const char *usb,
                    const char *serial)
{
    struct dirent **entries;
    int count = list_folder(&entries, usb);
    int found = entries != NULL ? ENODEV : ENOTSUP;

    for (int i = 0; i < count && found != 0; ++i) {
        const char *place = entries[i]->d_name;
        char text[FLASH_NAME_BYTES];

        read_line(text, sizeof text, usb, place, "serial");
        if (text[0] != '\0' && same_serial(text, serial)) {
            found = check_node(node, usb, place);
        } else if (strchr(text, '?') != NULL && found == ENODEV) {
            found = ENOTSUP;
        }
    }
    free_entries(entries, count);
    return found;
}
