/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/flash_loader.h"

#include "hal/bytes.h"
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

#define LISTING_BYTES 65536u
#define WORD_BYTES 320u
#define FIRST_SECTOR_BYTES 16384u /* RM0090, table 5 */
#define UNIQUE_BYTES 12u
#define SIZE_WORD_OFFSET 2u /* offset of the flash size in its aligned word */

struct loader {
    const struct flash_config *config;
    const struct flash_board *board;
    const char *program;
    const char *folder;
    uint32_t flash_start;
    const uint8_t *image;
    /* Bytes read from the flash. Has room for config->flash_bytes +
       LISTING_BYTES. */
    uint8_t *flash;
    char listing[LISTING_BYTES];
    char range[WORD_BYTES];
    char layout[WORD_BYTES];
};

/* Prints a step's line by one write, so that other output does not get into
   it. */
static void print_step(const char *step)
{
    dprintf(STDOUT_FILENO, FLASH_STEP "%s\n", step);
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

/* ---- checks of the board ---- */

static bool check_unique(const struct loader *loader, const char *unique)
{
    const char *wanted = loader->board->unique;

    if (wanted[0] == '\0' || strcmp(wanted, unique) == 0) {
        return true;
    }
    return unique[0] != '\0'
               ? refuse(FLASH_OTHER_UNIQUE, unique, wanted)
               : refuse("this way does not tell the chip's unique number, and "
                        "the map wants %s",
                        wanted);
}

static bool check_kib(const struct loader *loader, uint32_t kib)
{
    uint32_t least = flash_config_kib(loader->config);
    uint32_t most = loader->config->chip->place.flash_bytes / 1024;

    return (kib >= least && kib <= most) ||
           refuse("the flash must have %" PRIu32 " KiB for this image, and at "
                  "most %" PRIu32,
                  least, most);
}

/* Checks that the board's old image is for the same pins as the new one, if
   both say for which. The old image's identity is in loader->flash. */
static bool check_pins(const struct loader *loader)
{
    const char *wanted = loader->config->pins;
    char pins[IMAGE_PINS_BYTES];

    flash_identity_pins(pins, loader->flash);
    return wanted[0] == '\0' || pins[0] == '\0' || strcmp(pins, wanted) == 0 ||
           refuse(FLASH_OTHER_PINS, pins, wanted);
}

/* ---- the image ---- */

static bool open_image(struct loader *loader)
{
    uint32_t bytes = loader->config->flash_bytes;
    void *image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, FLASH_IMAGE_FD, 0);

    loader->image = image;
    loader->flash = memory_or_exit(malloc(bytes + LISTING_BYTES));
    return image != MAP_FAILED || refuse("memory ran out");
}

static bool same(const struct loader *loader)
{
    for (uint32_t i = 0; i < loader->config->flash_bytes; ++i) {
        if (loader->flash[i] != loader->image[i]) {
            return refuse("0x%08" PRIx32 " reads 0x%02x, not 0x%02x",
                          loader->flash_start + i, loader->flash[i],
                          loader->image[i]);
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

/* Runs a program and stores its output in loader->listing; if `passed`, also
   prints it on stdout. Returns whether its exit status is 0. */
static bool list(struct loader *loader, const char *const words[], bool passed)
{
    return run(&(struct process_output){.text = loader->listing,
                                        .room = LISTING_BYTES,
                                        .passed = passed},
               words, false);
}

/* ---- stm32flash ---- */

/* Options of stm32flash. The boot loader needs even parity (AN3155). With
   another option, -c, an open connection goes on. */
#define SERIAL_SPEED "-b", "115200", "-m", "8e1"

static bool serial_read(struct loader *loader, uint32_t address, uint32_t bytes)
{
    struct process_output output = {.text = (char *)loader->flash,
                                    .room = loader->config->flash_bytes +
                                            LISTING_BYTES};

    return run(&output,
               (const char *const[]){loader->program, SERIAL_SPEED, "-c", "-r",
                                     "-", "-S", range(loader, address, bytes),
                                     loader->board->name, NULL},
               false) &&
           output.bytes == bytes;
}

static bool serial_connect(struct loader *loader)
{
    return list(loader,
                (const char *const[]){loader->program, SERIAL_SPEED,
                                      loader->board->name, NULL},
                true);
}

static uint32_t serial_device(const struct loader *loader)
{
    const char *line = strstr(loader->listing, "Device ID");
    const char *number = line != NULL ? strchr(line, ':') : NULL;

    return number != NULL ? (uint32_t)strtoul(number + 1, NULL, 16) : 0;
}

/* Reads the chip's unique number and flash size, KiB. If the boot loader
   refuses, they are "" and 0. */
static bool serial_numbers(struct loader *loader, char *unique, uint32_t *kib)
{
    const struct board_kind *chip = loader->config->chip;
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
    return *kib == 0 || check_kib(loader, *kib);
}

static bool serial_identity(struct loader *loader)
{
    const struct board_kind *chip = loader->config->chip;
    char unique[FLASH_UNIQUE_BYTES];
    uint32_t device = serial_device(loader);
    uint32_t kib;

    if (device != chip->device) {
        return refuse("this is no %s: device ID 0x%03" PRIx32
                      ", not 0x%03" PRIx32,
                      chip->device_name, device, chip->device);
    }
    if (!serial_read(loader, loader->flash_start + chip->identity_offset,
                     FLASH_IDENTITY_BYTES)) {
        return refuse("the flash cannot be read: is it protected?");
    }
    if (!check_pins(loader) || !serial_numbers(loader, unique, &kib)) {
        return false;
    }
    dprintf(STDOUT_FILENO, FLASH_CHIP "ID 0x%03" PRIx32 ", ", device);
    if (kib != 0) {
        dprintf(STDOUT_FILENO, "%" PRIu32 " KiB, ", kib);
    }
    dprintf(STDOUT_FILENO, "unique %s\n",
            unique[0] != '\0' ? unique : "not told");
    return check_unique(loader, unique);
}

static bool serial_program(struct loader *loader)
{
    uint32_t bytes = loader->config->flash_bytes;

    if (!list(loader,
              (const char *const[]){loader->program, SERIAL_SPEED, "-c", "-f",
                                    "-w", FLASH_IMAGE, "-S",
                                    range(loader, loader->flash_start, bytes),
                                    loader->board->name, NULL},
              true)) {
        return false;
    }
    print_step(FLASH_STEP_VERIFY);
    return serial_read(loader, loader->flash_start, bytes) && same(loader);
}

/* Erases the first sector, without printing: the last output must be that of
   the step that failed. */
static void serial_erase(struct loader *loader)
{
    (void)run(&(struct process_output){.text = loader->listing,
                                       .room = LISTING_BYTES},
              (const char *const[]){
                  loader->program, SERIAL_SPEED, "-c", "-o", "-S",
                  range(loader, loader->flash_start, FIRST_SECTOR_BYTES),
                  loader->board->name, NULL},
              true);
}

/* ---- dfu-util ---- */

#define DFU_DEVICE "0483:df11" /* USB id of ST's boot loaders (AN2606) */

/* Arguments for dfu-util that select the device and its flash. */
#define DFU_MEMORY(loader)                                                     \
    (loader)->program, "-d", DFU_DEVICE, "-S", (loader)->board->name, "-a",    \
        "0", "-s"

/* Copies VALUE of KEY="VALUE" in a line. Returns false if there is none. */
static bool quoted(char value[WORD_BYTES], const char *line, const char *key)
{
    const char *from = strstr(line, key);
    size_t length = from != NULL ? strcspn(from + strlen(key), "\"") : 0;

    return from != NULL && from[strlen(key) + length] == '"' &&
           snprintf(value, WORD_BYTES, "%.*s", (int)length,
                    from + strlen(key)) < (int)WORD_BYTES;
}

/*
 * Finds the device in what dfu-util has listed. A device has a line for each of
 * its memories:
 *
 *   Found DFU: [0483:df11] ..., alt=0, name="@Internal Flash  /0x08000000/
 *   04*016Kg,01*064Kg,07*128Kg", serial="357236543131"
 */
static bool dfu_find(struct loader *loader)
{
    char *rest = loader->listing;
    const char *line;
    char serial[WORD_BYTES];

    while ((line = strsep(&rest, "\n")) != NULL) {
        if (strstr(line, "[" DFU_DEVICE "]") != NULL &&
            strstr(line, "alt=0,") != NULL &&
            quoted(serial, line, "serial=\"") &&
            strcmp(serial, loader->board->name) == 0 &&
            quoted(loader->layout, line, "name=\"")) {
            return true;
        }
    }
    return false;
}

static bool dfu_connect(struct loader *loader)
{
    return list(loader, (const char *const[]){loader->program, "-l", NULL},
                false) &&
           (dfu_find(loader) ||
            refuse("no DFU device " DFU_DEVICE " with this serial number is "
                   "plugged in (dfu-util -l lists them)"));
}

static bool dfu_read(struct loader *loader, uint32_t address, uint32_t bytes)
{
    char name[WORD_BYTES];
    FILE *file = NULL;
    bool done;

    snprintf(name, sizeof name, "%.200s/" FLASH_LOADER_FILE, loader->folder);
    if (list(loader,
             (const char *const[]){DFU_MEMORY(loader),
                                   range(loader, address, bytes), "-U", name,
                                   NULL},
             true)) {
        file = fopen(name, "rb");
    }
    done = file != NULL && fread(loader->flash, 1, bytes, file) == bytes;
    if (file != NULL) {
        fclose(file);
    }
    unlink(name);
    return done;
}

/* Checks the chip by its flash sectors, since DFU tells neither its kind nor
   its unique number. */
static bool dfu_identity(struct loader *loader)
{
    const struct board_kind *chip = loader->config->chip;
    unsigned large = 0;
    int end = 0;

    if (sscanf(loader->layout,
               "@Internal Flash /0x08000000/04*016Kg,01*064Kg,%2u*128Kg%n",
               &large, &end) != 1 ||
        end == 0 || loader->layout[end] != '\0') {
        return refuse("this is no %s: its flash is '%s'", chip->device_name,
                      loader->layout);
    }
    if (!check_kib(loader, 4 * 16 + 64 + large * 128)) {
        return false;
    }
    dprintf(STDOUT_FILENO, FLASH_CHIP "%u KiB\n", 4 * 16 + 64 + large * 128);
    if (!dfu_read(loader, loader->flash_start + chip->identity_offset,
                  FLASH_IDENTITY_BYTES)) {
        return refuse("the flash cannot be read: is it protected?");
    }
    return check_pins(loader) && check_unique(loader, "");
}

static bool dfu_program(struct loader *loader)
{
    char address[WORD_BYTES];

    snprintf(address, sizeof address, "0x%08" PRIx32, loader->flash_start);
    if (!list(loader,
              (const char *const[]){DFU_MEMORY(loader), address, "-D",
                                    FLASH_IMAGE, NULL},
              true)) {
        return false;
    }
    print_step(FLASH_STEP_VERIFY);
    return dfu_read(loader, loader->flash_start, loader->config->flash_bytes) &&
           same(loader);
}

/* ---- both ---- */

static bool carry_out(struct loader *loader)
{
    bool serial = loader->board->way == FLASH_PORT;

    print_step(FLASH_STEP_CONNECT);
    if (!open_image(loader) ||
        !(serial ? serial_connect(loader) : dfu_connect(loader))) {
        return false;
    }
    print_step(FLASH_STEP_IDENTITY);
    if (!(serial ? serial_identity(loader) : dfu_identity(loader))) {
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

int flash_loader(void *request)
{
    const struct flash_request *of = request;
    static struct loader loader;

    loader.config = of->config;
    loader.board = of->board;
    loader.program = of->config->program[of->board->way];
    loader.folder = of->folder;
    loader.flash_start = of->config->chip->place.flash_start;
    return carry_out(&loader) ? 0 : EXIT_FAILED;
}
