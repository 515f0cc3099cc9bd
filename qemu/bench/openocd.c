/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/openocd.h"

#include "qemu/base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct interface {
    const char *name;
    const char *transport;
} interfaces[] = {
    {"stlink", "hla_swd"},
    {"stlink-dap", "dapdirect_swd"},
    {"cmsis-dap", "swd"},
    {"jlink", "swd"},
};

static const struct interface *find(const char *name)
{
    for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; ++i) {
        if (strcmp(interfaces[i].name, name) == 0) {
            return &interfaces[i];
        }
    }
    return NULL;
}

const char *flash_openocd_interface(const char *name)
{
    const struct interface *found = find(name);

    return found != NULL ? found->name : NULL;
}

/* Adds a command for OpenOCD to `line`, in which a newline ends each word. */
__attribute__((format(printf, 2, 3))) static void add(FILE *line,
                                                      const char *format, ...)
{
    va_list list;

    fputs("-c\n", line);
    va_start(list, format);
    vfprintf(line, format, list);
    va_end(list);
    fputc('\n', line);
}

static void add_step(FILE *line, const char *step)
{
    add(line, "echo {" FLASH_STEP "%s}", step);
}

/* Adds a command for OpenOCD. If it fails, the sector with the vector table is
   erased: half an image must not start when power is switched on. Without a
   vector table the core stops at reset, with all pins as inputs. */
static void add_guarded(FILE *line, const char *command)
{
    add(line,
        "if {[catch {%s} why]} {catch {flash erase_sector 0 0 0}; error $why}",
        command);
}

/* Adds commands that check the chip. An error ends OpenOCD before it writes
   anything. */
static void add_chip(FILE *line, const struct flash_config *config)
{
    const struct board_kind *chip = config->chip;
    uint32_t least_kib = flash_config_kib(config);
    uint32_t most_kib = chip->place.flash_bytes / 1024;

    add(line,
        "set id [read_memory 0x%08" PRIx32 " 32 1]; "
        "set kib [read_memory 0x%08" PRIx32 " 16 1]; "
        "set unique [format {%%08x%%08x%%08x} {*}[read_memory 0x%08" PRIx32
        " 32 3]]; "
        "echo [format {" FLASH_CHIP "IDCODE 0x%%08x, %%d KiB, unique %%s} "
        "$id $kib $unique]",
        chip->idcode_address, chip->size_address, chip->unique_address);
    add(line,
        "if {($id & 0xfff) != 0x%03" PRIx32 "} {error {this is no %s: "
        "DEV_ID is not 0x%03" PRIx32 "}}",
        chip->device, chip->device_name, chip->device);
    add(line,
        "if {$kib < %" PRIu32 " || $kib > %" PRIu32 "} {error {the flash must "
        "have %" PRIu32 " KiB for this image, and at most %" PRIu32 "}}",
        least_kib, most_kib, least_kib, most_kib);
}

/* Adds commands that check the board: by the unique number of its chip, and by
   the pins of its old image, if the image names them. */
static void add_board(FILE *line, const struct flash_request *request)
{
    const struct board_kind *chip = request->config->chip;
    const char *unique = request->board->unique;
    const char *pins = request->config->pins;

    if (unique[0] != '\0') {
        add(line, "if {$unique ne {%s}} {error \"" FLASH_OTHER_UNIQUE "\"}",
            unique, "$unique", unique);
    }
    if (pins[0] != '\0') {
        add(line,
            "set old [read_memory 0x%08" PRIx32 " 32 %zu]; set pins {}; "
            "foreach word [lrange $old %zu end] {"
            "foreach shift {0 8 16 24} {"
            "set one [expr {($word >> $shift) & 0xff}]; "
            "if {$one > 32 && $one < 127} {"
            "append pins [format %%c $one]}}}",
            chip->place.flash_start + chip->identity_offset,
            sizeof(struct image_identity) / 4,
            offsetof(struct image_identity, pins) / 4);
        add(line,
            "if {[lindex $old 0] == 0x%08x && ([lindex $old 1] & 0xffff) >= %u "
            "&& $pins ne {%s}} {error \"" FLASH_OTHER_PINS "\"}",
            IMAGE_MAGIC, IMAGE_VERSION_PINS, pins, "$pins", pins);
    }
}

char *flash_openocd_line(char *word[FLASH_OPENOCD_WORDS],
                         const struct flash_request *request)
{
    const struct flash_config *config = request->config;
    const struct flash_board *board = request->board;
    const struct interface *interface =
        find(board->interface != NULL ? board->interface : config->interface);
    unsigned words = 0;
    char *text = NULL;
    size_t bytes;
    FILE *line = memory_or_exit(open_memstream(&text, &bytes));

    /* Many OpenOCDs run at once. Ports of their servers would be the same. */
    add(line, "gdb_port disabled; tcl_port disabled; telnet_port disabled");
    fprintf(line, "-f\ninterface/%s.cfg\n", interface->name);
    add(line, "transport select %s", interface->transport);
    add(line, "adapter serial %s", board->name);
    fprintf(line, "-f\n%s\n", config->chip->target);
    add_step(line, FLASH_STEP_CONNECT);
    add(line, "init");
    add_step(line, FLASH_STEP_IDENTITY);
    add_chip(line, config);
    add_board(line, request);
    add_step(line, FLASH_STEP_PROGRAM);
    add(line, "reset init");
    add_guarded(line, "flash write_image erase " FLASH_IMAGE " 0 elf");
    add_step(line, FLASH_STEP_VERIFY);
    add_guarded(line, "verify_image " FLASH_IMAGE " 0 elf");
    add_step(line, FLASH_STEP_RESET);
    add(line, "reset run");
    add_step(line, FLASH_STEP_DONE);
    add(line, "shutdown");
    fclose(line);
    word[words++] = (char *)config->program[FLASH_PROBE];
    for (char *rest = memory_or_exit(text); *rest != '\0';) {
        assert(words + 1 < FLASH_OPENOCD_WORDS);
        word[words++] = strsep(&rest, "\n");
    }
    word[words] = NULL;
    return text;
}
