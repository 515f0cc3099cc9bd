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

/* A USB device while it is looked at. */
struct looked {
    const char *usb;
    const char *by_id;
    const char *place; /* its folder in `usb` */
    char vendor[8];
    char product[8];
    char serial[FLASH_NAME_BYTES];
    char text[FLASH_LIST_TEXT];
    char tty[64]; /* of its interfaces' first; empty: none */
    bool cmsis_dap;
};

/* The first line of a file in a device's folder; empty: there is none. What
   cannot be printed becomes '?'. */
static void read_line(char *line, size_t room, const char *usb,
                      const char *place, const char *name)
{
    char path[PATH_BYTES];
    FILE *file;

    line[0] = '\0';
    snprintf(path, sizeof path, "%s/%s/%s", usb, place, name);
    file = fopen(path, "r");
    if (file == NULL) {
        return;
    }
    if (fgets(line, (int)room, file) == NULL) {
        line[0] = '\0';
    }
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; *at != '\0'; ++at) {
        *at = isprint((unsigned char)*at) ? *at : '?';
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The first entry of a folder that begins so; false: there is none. */
static bool find_entry(char *found, size_t room, const char *folder,
                       const char *with)
{
    DIR *opened = opendir(folder);
    const struct dirent *entry;
    bool is_there = false;

    while (opened != NULL && !is_there && (entry = readdir(opened)) != NULL) {
        is_there = begins(entry->d_name, with) &&
                   (size_t)snprintf(found, room, "%s", entry->d_name) < room;
    }
    if (opened != NULL) {
        closedir(opened);
    }
    return is_there;
}

/* One interface: adapters have ttyUSB0 there, or tty/ttyACM0. */
static void look_at_interface(struct looked *looked, const char *name)
{
    char line[FLASH_LIST_TEXT];
    char path[PATH_BYTES];

    read_line(line, sizeof line, looked->usb, name, "interface");
    looked->cmsis_dap |= strstr(line, "CMSIS-DAP") != NULL;
    if (looked->tty[0] != '\0') {
        return;
    }
    snprintf(path, sizeof path, "%s/%s/tty", looked->usb, name);
    if (!find_entry(looked->tty, sizeof looked->tty, path, "tty")) {
        snprintf(path, sizeof path, "%s/%s", looked->usb, name);
        find_entry(looked->tty, sizeof looked->tty, path, "ttyUSB");
    }
}

/* A device's interfaces are beside it: 1-2 has 1-2:1.0, 1-2:1.1. */
static void look_at_interfaces(struct looked *looked)
{
    size_t length = strlen(looked->place);
    struct dirent **entries;
    int count = scandir(looked->usb, &entries, NULL, alphasort);

    for (int i = 0; i < count; ++i) {
        const char *name = entries[i]->d_name;

        if (begins(name, looked->place) && name[length] == ':') {
            look_at_interface(looked, name);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

/* The kind of a probe, NULL if it is none. */
static const char *kind_of(const struct looked *looked)
{
    /* ST's: ST-Link V1, V2, V2-1 and V3 in all their forms. */
    static const char *const products[] = {"3744", "3748", "374a", "374b",
                                           "374d", "374e", "374f", "3752",
                                           "3753", "3754", "3757"};

    for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
        if (strcmp(looked->vendor, "0483") == 0 &&
            strcmp(looked->product, products[i]) == 0) {
            return flash_openocd_interface("stlink");
        }
    }
    if (strcmp(looked->vendor, "1366") == 0) {
        return flash_openocd_interface("jlink");
    }
    return looked->cmsis_dap ? flash_openocd_interface("cmsis-dap") : NULL;
}

/* /dev/serial/by-id/... if such a link leads there, else /dev/ttyUSB0. */
static void name_port(char name[FLASH_NAME_BYTES], const struct looked *looked)
{
    struct dirent **entries;
    int count = scandir(looked->by_id, &entries, NULL, alphasort);
    char path[PATH_BYTES];
    bool found = false;

    snprintf(name, FLASH_NAME_BYTES, "/dev/%s", looked->tty);
    for (int i = 0; i < count; ++i) {
        char *real;

        snprintf(path, sizeof path, "%s/%s", looked->by_id, entries[i]->d_name);
        real = found ? NULL : realpath(path, NULL);
        found = found || (real != NULL && strcmp(real, name) == 0 &&
                          flash_name_check(FLASH_PORT, path) == NULL &&
                          strpbrk(path, ",\"") == NULL);
        if (real != NULL && found) {
            snprintf(name, FLASH_NAME_BYTES, "%.255s", path);
        }
        free(real);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

static void add(struct flash_list *list, const struct looked *looked,
                enum flash_way way, const char *interface)
{
    struct flash_device *device = &list->device[list->count];

    if (list->count == FLASH_LIST_MAX) {
        return;
    }
    list->count += 1;
    *device = (struct flash_device){.way = way, .interface = interface};
    snprintf(device->text, sizeof device->text, "%s", looked->text);
    snprintf(device->place, sizeof device->place, "%.95s", looked->place);
    if (way == FLASH_PORT) {
        name_port(device->name, looked);
    } else if (flash_name_check(way, looked->serial) == NULL) {
        snprintf(device->name, sizeof device->name, "%s", looked->serial);
    }
}

static void look_at_device(struct flash_list *list, const char *usb,
                           const char *by_id, const char *place)
{
    struct looked looked = {.usb = usb, .by_id = by_id, .place = place};
    const char *interface;

    read_line(looked.vendor, sizeof looked.vendor, usb, place, "idVendor");
    read_line(looked.product, sizeof looked.product, usb, place, "idProduct");
    read_line(looked.serial, sizeof looked.serial, usb, place, "serial");
    read_line(looked.text, sizeof looked.text, usb, place, "product");
    looked.cmsis_dap = strstr(looked.text, "CMSIS-DAP") != NULL;
    look_at_interfaces(&looked);
    interface = kind_of(&looked);
    if (interface != NULL) {
        add(list, &looked, FLASH_PROBE, interface);
    } else if (strcmp(looked.vendor, "0483") == 0 &&
               strcmp(looked.product, "df11") == 0) {
        add(list, &looked, FLASH_DFU, NULL);
    } else if (looked.tty[0] != '\0') {
        add(list, &looked, FLASH_PORT, NULL);
    }
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
    DIR *folder = opendir(usb);
    const struct dirent *entry;

    list->count = 0;
    if (folder == NULL && errno != ENOENT) {
        return file_error(usb, "%s", strerror(errno));
    }
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.' && strchr(entry->d_name, ':') == NULL) {
            look_at_device(list, usb, by_id, entry->d_name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    qsort(list->device, list->count, sizeof *list->device, order);
    return 0;
}

/* ---- one device ---- */

/* J-Links' numbers are padded, and OpenOCD takes them without. */
static bool same_serial(const char *a, const char *b)
{
    return strcmp(a + strspn(a, "0"), b + strspn(b, "0")) == 0;
}

/* Whether this process may open a device: 0 or an errno. Its file's name is a
   line of `uevent`, DEVNAME=bus/usb/001/004. */
static int check_node(char node[FLASH_LIST_NODE], const char *usb,
                      const char *place)
{
    static const char key[] = "DEVNAME=";
    char path[PATH_BYTES];
    char line[FLASH_LIST_NODE];
    FILE *file;

    node[0] = '\0';
    snprintf(path, sizeof path, "%s/%s/uevent", usb, place);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (begins(line, key)) {
            snprintf(node, FLASH_LIST_NODE, "/dev/%.120s",
                     line + sizeof key - 1);
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
    DIR *folder = opendir(usb);
    const struct dirent *entry;
    int found = folder != NULL ? ENODEV : ENOTSUP;

    while (folder != NULL && found != 0 && (entry = readdir(folder)) != NULL) {
        char text[FLASH_NAME_BYTES];

        read_line(text, sizeof text, usb, entry->d_name, "serial");
        if (text[0] != '\0' && same_serial(text, serial)) {
            found = check_node(node, usb, entry->d_name);
        } else if (strchr(text, '?') != NULL && found == ENODEV) {
            found = ENOTSUP;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return found;
}
