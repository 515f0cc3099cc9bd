/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/openocd.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *transport;
} interfaces[] = {
    {"stlink", "hla_swd"},
    {"stlink-dap", "dapdirect_swd"},
    {"cmsis-dap", "swd"},
    {"jlink", "swd"},
};

/* The index of an interface; -1: none is known by this name. */
static int find(const char *name)
{
    int i = (int)(sizeof interfaces / sizeof *interfaces) - 1;

    while (i >= 0 && strcmp(interfaces[i].name, name) != 0) {
        i -= 1;
    }
    return i;
}

const char *flash_openocd_interface(const char *name)
{
    return find(name) >= 0 ? interfaces[find(name)].name : NULL;
}

/* A command line while it grows. */
struct builder {
    struct flash_openocd *line;
    unsigned words;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct builder *builder,
                                                      const char *format, ...)
{
    char *at = builder->line->text + builder->used;
    size_t room = FLASH_OPENOCD_TEXT - builder->used;
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(at, room, format, list);
    va_end(list);
    assert(length >= 0 && (size_t)length < room);
    assert(builder->words + 1 < FLASH_OPENOCD_WORDS);
    builder->line->word[builder->words++] = at;
    builder->used += (size_t)length + 1;
}

static void add_command(struct builder *builder, const char *command)
{
    add(builder, "-c");
    add(builder, "%s", command);
}

static void add_step(struct builder *builder, const char *step)
{
    add(builder, "-c");
    add(builder, "echo {" FLASH_STEP "%s}", step);
}

/* Checks the chip. An error ends OpenOCD before anything is written. */
static void add_chip(struct builder *builder, const struct board_kind *chip,
                     uint32_t bytes)
{
    add(builder, "-c");
    add(builder,
        "set id [read_memory 0x%08" PRIx32 " 32 1]; "
        "set kib [read_memory 0x%08" PRIx32 " 16 1]; "
        "set unique [format {%%08x%%08x%%08x} {*}[read_memory 0x%08" PRIx32
        " 32 3]]; "
        "echo [format {" FLASH_CHIP "IDCODE 0x%%08x, %%d KiB, unique %%s} "
        "$id $kib $unique]",
        chip->idcode_address, chip->size_address, chip->unique_address);
    add(builder, "-c");
    add(builder,
        "if {($id & 0xfff) != 0x%03" PRIx32 "} {error {this is no %s: "
        "DEV_ID is not 0x%03" PRIx32 "}}",
        chip->device, chip->device_name, chip->device);
    add(builder, "-c");
    add(builder,
        "if {$kib < %" PRIu32 " || $kib > %" PRIu32 "} {error {the flash must "
        "have %" PRIu32 " KiB for this image, and at most %" PRIu32 "}}",
        flash_request_kib(bytes), chip->place.flash_bytes / 1024,
        flash_request_kib(bytes), chip->place.flash_bytes / 1024);
}

/* Whether it is the board that is meant: by its chip's number, and by the pins
   that the image in it is for, if that tells them. */
static void add_board(struct builder *builder,
                      const struct flash_request *request)
{
    if (request->unique[0] != '\0') {
        add(builder, "-c");
        add(builder, "if {$unique ne {%s}} {error \"" FLASH_OTHER_UNIQUE "\"}",
            request->unique, "$unique", request->unique);
    }
    if (request->pins[0] != '\0') {
        add(builder, "-c");
        add(builder,
            "set old [read_memory 0x%08" PRIx32 " 32 %zu]; set pins {}; "
            "foreach word [lrange $old %zu end] {"
            "foreach shift {0 8 16 24} {"
            "set one [expr {($word >> $shift) & 0xff}]; "
            "if {$one > 32 && $one < 127} {"
            "append pins [format %%c $one]}}}",
            request->chip->place.flash_start + request->chip->identity_offset,
            sizeof(struct image_identity) / 4,
            offsetof(struct image_identity, pins) / 4);
        add(builder, "-c");
        add(builder,
            "if {[lindex $old 0] == 0x%08x && ([lindex $old 1] & 0xffff) >= %u "
            "&& $pins ne {%s}} {error \"" FLASH_OTHER_PINS "\"}",
            IMAGE_MAGIC, IMAGE_VERSION_PINS, request->pins, "$pins",
            request->pins);
    }
}

/*
 * Half an image must not start at the next power-up: where writing or reading
 * back fails, the sector with the vector table is erased, and the core then
 * stops at reset, its pins all inputs.
 */
static void add_guarded(struct builder *builder, const char *command)
{
    add(builder, "-c");
    add(builder,
        "if {[catch {%s} why]} {catch {flash erase_sector 0 0 0}; error $why}",
        command);
}

void flash_openocd_line(struct flash_openocd *line, const char *interface,
                        const struct flash_request *request)
{
    struct builder builder = {.line = line};

    add(&builder, "%s", request->program);
    /* Many of them run at once: no servers, whose ports would clash. */
    add_command(&builder,
                "gdb_port disabled; tcl_port disabled; telnet_port disabled");
    add(&builder, "-f");
    add(&builder, "interface/%s.cfg", interface);
    add(&builder, "-c");
    add(&builder, "transport select %s", interfaces[find(interface)].transport);
    add(&builder, "-c");
    add(&builder, "adapter serial %s", request->name);
    add(&builder, "-f");
    add(&builder, "%s", request->chip->target);
    add_step(&builder, FLASH_STEP_CONNECT);
    add_command(&builder, "init");
    add_step(&builder, FLASH_STEP_IDENTITY);
    add_chip(&builder, request->chip, request->bytes);
    add_board(&builder, request);
    add_step(&builder, FLASH_STEP_PROGRAM);
    add_command(&builder, "reset init");
    add_guarded(&builder, "flash write_image erase " FLASH_IMAGE " 0 elf");
    add_step(&builder, FLASH_STEP_VERIFY);
    add_guarded(&builder, "verify_image " FLASH_IMAGE " 0 elf");
    add_step(&builder, FLASH_STEP_RESET);
    add_command(&builder, "reset run");
    add_step(&builder, FLASH_STEP_DONE);
    add_command(&builder, "shutdown");
    line->word[builder.words] = NULL;
}
