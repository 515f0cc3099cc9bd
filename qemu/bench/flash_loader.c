/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/flash_loader.h"

#include "hal/bytes.h"
#include "qemu/bench/flash_identity.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LISTING_BYTES 65536u /* of what a program lists */
#define WORD_BYTES 320u
#define FIRST_SECTOR_BYTES 16384u /* RM0090, table 5 */
#define UNIQUE_BYTES 12u
#define SIZE_WORD_OFFSET 2u /* of the flash's size in its aligned word */

/* A board while it is flashed. */
struct loader {
    const struct flash_request *request;
    const uint8_t *image;
    uint8_t *flash; /* what was read of it; request->bytes and some */
    char listing[LISTING_BYTES];
    char range[WORD_BYTES]; /* of addresses, as a word */
    char file[WORD_BYTES];
};

/* By write(), whole, whatever else goes to these descriptors. */
__attribute__((format(printf, 2, 3))) static void
print_line(int output, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vdprintf(output, format, list);
    va_end(list);
}

static void print_step(const char *step)
{
    print_line(STDOUT_FILENO, FLASH_STEP "%s\n", step);
}

__attribute__((format(printf, 1, 2))) static bool refuse(const char *format,
                                                         ...)
{
    va_list list;

    dprintf(STDERR_FILENO, "Error: ");
    va_start(list, format);
    vdprintf(STDERR_FILENO, format, list);
    va_end(list);
    dprintf(STDERR_FILENO, "\n");
    return false;
}

/* ---- whether it is the right board ---- */

static bool check_unique(const struct flash_request *request,
                         const char *unique)
{
    if (request->unique[0] == '\0' || strcmp(request->unique, unique) == 0) {
        return true;
    }
    return unique[0] != '\0'
               ? refuse(FLASH_OTHER_UNIQUE, unique, request->unique)
               : refuse("this way does not tell the chip's unique number, and "
                        "the map wants %s",
                        request->unique);
}

static bool check_kib(const struct flash_request *request, uint32_t kib)
{
    uint32_t least = flash_request_kib(request->bytes);
    uint32_t most = request->chip->place.flash_bytes / 1024;

    return (kib >= least && kib <= most) ||
           refuse("the flash must have %" PRIu32 " KiB for this image, and at "
                  "most %" PRIu32,
                  least, most);
}

/* By the image that is in the board now. */
static bool check_pins(const struct flash_request *request,
                       const uint8_t *identity)
{
    char pins[IMAGE_PINS_BYTES];

    flash_identity_pins(pins, identity);
    return request->pins[0] == '\0' || pins[0] == '\0' ||
           strcmp(pins, request->pins) == 0 ||
           refuse(FLASH_OTHER_PINS, pins, request->pins);
}

/* ---- the image ---- */

static bool open_image(struct loader *loader)
{
    const struct flash_request *request = loader->request;
    void *image =
        mmap(NULL, request->bytes, PROT_READ, MAP_PRIVATE, FLASH_IMAGE_FD, 0);

    loader->image = image;
    loader->flash = memory_or_exit(malloc(request->bytes + LISTING_BYTES));
    return image != MAP_FAILED || refuse("memory ran out");
}

static bool same(const struct loader *loader)
{
    for (uint32_t i = 0; i < loader->request->bytes; ++i) {
        if (loader->flash[i] != loader->image[i]) {
            return refuse("0x%08" PRIx32 " reads 0x%02x, not 0x%02x",
                          loader->request->chip->place.flash_start + i,
                          loader->flash[i], loader->image[i]);
        }
    }
    return true;
}

static const char *range(struct loader *loader, uint32_t address,
                         uint32_t bytes)
{
    snprintf(loader->range, sizeof loader->range, "0x%08" PRIx32 ":%" PRIu32,
             address, bytes);
    return loader->range;
}

/* Runs a program. Result: whether its exit status is 0. */
static bool run(struct process_output *output, const char *const words[],
                bool mute)
{
    int status = process_run(
        &(struct process_config){.argv = (char *const *)words,
                                 .joins = true,
                                 .error = mute ? -1 : STDERR_FILENO},
        output, 0);

    if (status < 0 && !mute) {
        perror(words[0]);
    }
    return process_succeeded(status);
}

/* Runs a program, whose output is in loader->listing then, and on stdout too
   if it is passed on. */
static bool list(struct loader *loader, const char *const words[], bool passed)
{
    return run(&(struct process_output){.text = loader->listing,
                                        .room = LISTING_BYTES,
                                        .passed = passed},
               words, false);
}

/* ---- stm32flash ---- */

/* -c: the loader has been spoken to before. AN3155: even parity. */
#define SERIAL_SPEED "-b", "115200", "-m", "8e1"

/* Whether so many bytes could be read; they are in loader->flash then. */
static bool serial_read(struct loader *loader, uint32_t address, uint32_t bytes)
{
    const struct flash_request *request = loader->request;
    struct process_output output = {.text = (char *)loader->flash,
                                    .room = request->bytes + LISTING_BYTES};

    return run(&output,
               (const char *const[]){request->program, SERIAL_SPEED, "-c", "-r",
                                     "-", "-S", range(loader, address, bytes),
                                     request->name, NULL},
               false) &&
           output.bytes == bytes;
}

static bool serial_connect(struct loader *loader)
{
    const struct flash_request *request = loader->request;

    return list(loader,
                (const char *const[]){request->program, SERIAL_SPEED,
                                      request->name, NULL},
                true);
}

/* In the line "Device ID    : 0x0413 (...)"; 0: there is none. */
static uint32_t serial_device(const struct loader *loader)
{
    const char *line = strstr(loader->listing, "Device ID");
    const char *number = line != NULL ? strchr(line, ':') : NULL;

    return number != NULL ? (uint32_t)strtoul(number + 1, NULL, 16) : 0;
}

/* Reads the chip's unique number and its KiB of flash, which lie outside of the
   flash: empty and 0 if the loader does not let them be read. */
static bool serial_numbers(struct loader *loader, char *unique, uint32_t *kib)
{
    const struct board_kind *chip = loader->request->chip;
    const uint8_t *data = loader->flash;

    unique[0] = '\0';
    *kib = 0;
    if (serial_read(loader, chip->unique_address, UNIQUE_BYTES)) {
        snprintf(unique, FLASH_UNIQUE_BYTES,
                 "%08" PRIx32 "%08" PRIx32 "%08" PRIx32, bytes_load_u32(data),
                 bytes_load_u32(data + 4), bytes_load_u32(data + 8));
    }
    if (serial_read(loader, chip->size_address - SIZE_WORD_OFFSET, 4)) {
        *kib = bytes_load_u16(data + SIZE_WORD_OFFSET);
    }
    return *kib == 0 || check_kib(loader->request, *kib);
}

static bool serial_identity(struct loader *loader)
{
    const struct flash_request *request = loader->request;
    const struct board_kind *chip = request->chip;
    char unique[FLASH_UNIQUE_BYTES];
    uint32_t device = serial_device(loader);
    uint32_t kib;

    if (device != chip->device) {
        return refuse("this is no %s: device ID 0x%03" PRIx32
                      ", not 0x%03" PRIx32,
                      chip->device_name, device, chip->device);
    }
    if (!serial_read(loader, chip->place.flash_start + chip->identity_offset,
                     FLASH_IDENTITY_BYTES)) {
        return refuse("the flash cannot be read: is it protected?");
    }
    if (!check_pins(request, loader->flash) ||
        !serial_numbers(loader, unique, &kib)) {
        return false;
    }
    print_line(STDOUT_FILENO, FLASH_CHIP "ID 0x%03" PRIx32 ", ", device);
    if (kib != 0) {
        print_line(STDOUT_FILENO, "%" PRIu32 " KiB, ", kib);
    }
    print_line(STDOUT_FILENO, "unique %s\n",
               unique[0] != '\0' ? unique : "not told");
    return check_unique(request, unique);
}

static bool serial_program(struct loader *loader)
{
    const struct flash_request *request = loader->request;

    if (!list(
            loader,
            (const char *const[]){
                request->program, SERIAL_SPEED, "-c", "-f", "-w", FLASH_IMAGE,
                "-S",
                range(loader, request->chip->place.flash_start, request->bytes),
                request->name, NULL},
            true)) {
        return false;
    }
    print_step(FLASH_STEP_VERIFY);
    return serial_read(loader, request->chip->place.flash_start,
                       request->bytes) &&
           same(loader);
}

/* Without a word: the last words are to be those of the step that failed. */
static void serial_erase(struct loader *loader)
{
    const struct flash_request *request = loader->request;
    struct process_output output = {.text = loader->listing,
                                    .room = LISTING_BYTES};

    (void)run(
        &output,
        (const char *const[]){
            request->program, SERIAL_SPEED, "-c", "-o", "-S",
            range(loader, request->chip->place.flash_start, FIRST_SECTOR_BYTES),
            request->name, NULL},
        true);
}

/* ---- dfu-util ---- */

#define DFU_DEVICE "0483:df11" /* of ST's boot loaders; AN2606 */

/* The value of KEY="..." in a line; false: there is none. */
static bool quoted(char value[WORD_BYTES], const char *line, const char *key)
{
    const char *from = strstr(line, key);
    const char *to;

    if (from == NULL) {
        return false;
    }
    from += strlen(key);
    to = strchr(from, '"');
    if (to == NULL || (size_t)(to - from) >= WORD_BYTES) {
        return false;
    }
    memcpy(value, from, (size_t)(to - from));
    value[to - from] = '\0';
    return true;
}

/*
 * Finds the device in dfu-util's list, a line for each of its memories:
 *
 *   Found DFU: [0483:df11] ..., alt=0, name="@Internal Flash  /0x08000000/
 *   04*016Kg,01*064Kg,07*128Kg", serial="357236543131"
 */
static bool dfu_find(struct loader *loader, char layout[WORD_BYTES])
{
    char *place;
    char serial[WORD_BYTES];

    for (char *line = strtok_r(loader->listing, "\n", &place); line != NULL;
         line = strtok_r(NULL, "\n", &place)) {
        if (strstr(line, "[" DFU_DEVICE "]") != NULL &&
            strstr(line, "alt=0,") != NULL &&
            quoted(serial, line, "serial=\"") &&
            strcmp(serial, loader->request->name) == 0 &&
            quoted(layout, line, "name=\"")) {
            return true;
        }
    }
    return false;
}

static bool dfu_connect(struct loader *loader, char layout[WORD_BYTES])
{
    const char *program = loader->request->program;

    if (!list(loader, (const char *const[]){program, "-l", NULL}, false)) {
        return false;
    }
    return dfu_find(loader, layout) ||
           refuse("no DFU device " DFU_DEVICE " with this serial number is "
                  "plugged in (dfu-util -l lists them)");
}

static bool dfu_read(struct loader *loader, uint32_t address, uint32_t bytes)
{
    const struct flash_request *request = loader->request;
    bool done;
    FILE *file;

    snprintf(loader->file, sizeof loader->file, "%.200s/" FLASH_LOADER_FILE,
             loader->request->folder);
    done = list(loader,
                (const char *const[]){request->program, "-d", DFU_DEVICE, "-S",
                                      request->name, "-a", "0", "-s",
                                      range(loader, address, bytes), "-U",
                                      loader->file, NULL},
                true);
    file = done ? fopen(loader->file, "rb") : NULL;
    done = file != NULL && fread(loader->flash, 1, bytes, file) == bytes;
    if (file != NULL) {
        fclose(file);
    }
    unlink(loader->file);
    return done;
}

/* DFU tells neither the chip's kind nor its unique number, only how its flash
   is cut into sectors. */
static bool dfu_identity(struct loader *loader, const char *layout)
{
    const struct flash_request *request = loader->request;
    uint32_t flash_start = request->chip->place.flash_start;
    unsigned large = 0;
    int end = 0;

    if (sscanf(layout,
               "@Internal Flash /0x08000000/04*016Kg,01*064Kg,%2u*128Kg%n",
               &large, &end) != 1 ||
        end == 0 || layout[end] != '\0') {
        return refuse("this is no %s: its flash is '%s'",
                      request->chip->device_name, layout);
    }
    if (!check_kib(request, 4 * 16 + 64 + large * 128)) {
        return false;
    }
    print_line(STDOUT_FILENO, FLASH_CHIP "%u KiB\n", 4 * 16 + 64 + large * 128);
    if (!dfu_read(loader, flash_start + request->chip->identity_offset,
                  FLASH_IDENTITY_BYTES)) {
        return refuse("the flash cannot be read: is it protected?");
    }
    return check_pins(request, loader->flash) && check_unique(request, "");
}

static bool dfu_program(struct loader *loader)
{
    const struct flash_request *request = loader->request;
    uint32_t flash_start = request->chip->place.flash_start;
    char address[WORD_BYTES];

    snprintf(address, sizeof address, "0x%08" PRIx32, flash_start);
    if (!list(loader,
              (const char *const[]){request->program, "-d", DFU_DEVICE, "-S",
                                    request->name, "-a", "0", "-s", address,
                                    "-D", FLASH_IMAGE, NULL},
              true)) {
        return false;
    }
    print_step(FLASH_STEP_VERIFY);
    return dfu_read(loader, flash_start, request->bytes) && same(loader);
}

/* ---- both ---- */

static bool carry_out(struct loader *loader)
{
    bool serial = loader->request->way == FLASH_PORT;
    char layout[WORD_BYTES];

    print_step(FLASH_STEP_CONNECT);
    if (!open_image(loader) ||
        !(serial ? serial_connect(loader) : dfu_connect(loader, layout))) {
        return false;
    }
    print_step(FLASH_STEP_IDENTITY);
    if (!(serial ? serial_identity(loader) : dfu_identity(loader, layout))) {
        return false;
    }
    print_step(FLASH_STEP_PROGRAM);
    if (!(serial ? serial_program(loader) : dfu_program(loader))) {
        if (serial) {
            serial_erase(loader);
        }
        return false;
    }
    print_step(FLASH_STEP_DONE);
    return true;
}

int flash_loader(const struct flash_request *request)
{
    static struct loader loader;

    loader.request = request;
    return carry_out(&loader) ? 0 : EXIT_FAILED;
}
