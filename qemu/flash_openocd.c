/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/flash_openocd.h"
#include "hal/image.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define IMAGE "/proc/self/fd/3"
static_assert(FLASH_OPENOCD_IMAGE_FD == 3, "the image's name has the number");

static const struct flash_chip chips[] = {
    {{"stm32f405", 0x08000000, 1024 * 1024, 0x20000000, 128 * 1024},
     "target/stm32f4x.cfg",
     0xE0042000,
     0x413,
     "STM32F405/407",
     IMAGE_STM32F405,
     0x1FFF7A22},
};

static const struct {
    const char *name;
    const char *transport;
} interfaces[] = {
    {"stlink", "hla_swd"},
    {"stlink-dap", "dapdirect_swd"},
    {"cmsis-dap", "swd"},
    {"jlink", "swd"},
};

const struct flash_chip *flash_openocd_chip(const char *board)
{
    for (size_t i = 0; i < sizeof chips / sizeof *chips; ++i) {
        if (strcmp(chips[i].place.board, board) == 0) {
            return &chips[i];
        }
    }
    return NULL;
}

const char *flash_openocd_transport(const char *interface)
{
    for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; ++i) {
        if (strcmp(interfaces[i].name, interface) == 0) {
            return interfaces[i].transport;
        }
    }
    return NULL;
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
    add(builder, "echo {" FLASH_OPENOCD_STEP "%s}", step);
}

/* An error ends OpenOCD before anything is written. */
static void add_identity(struct builder *builder, const struct flash_chip *chip,
                         uint32_t bytes)
{
    add(builder, "-c");
    add(builder,
        "set id [read_memory 0x%08" PRIx32 " 32 1]; "
        "set kib [read_memory 0x%08" PRIx32 " 16 1]; "
        "echo [format {" FLASH_OPENOCD_CHIP "IDCODE 0x%%08x, %%d KiB} "
        "$id $kib]",
        chip->idcode_address, chip->size_address);
    add(builder, "-c");
    add(builder,
        "if {($id & 0xfff) != 0x%03" PRIx32 "} {error {this is no %s: "
        "DEV_ID is not 0x%03" PRIx32 "}}",
        chip->device, chip->device_name, chip->device);
    add(builder, "-c");
    add(builder,
        "if {$kib < %" PRIu32 " || $kib > %" PRIu32 "} {error {the flash must "
        "have %" PRIu32 " KiB for this image, and at most %" PRIu32 "}}",
        (bytes + 1023) / 1024, chip->place.flash_bytes / 1024,
        (bytes + 1023) / 1024, chip->place.flash_bytes / 1024);
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

void flash_openocd_line(struct flash_openocd *line, const char *program,
                        const struct flash_chip *chip, const char *interface,
                        const char *probe, uint32_t bytes)
{
    struct builder builder = {.line = line};

    add(&builder, "%s", program);
    /* Many of them run at once: no servers, whose ports would clash. */
    add_command(&builder,
                "gdb_port disabled; tcl_port disabled; telnet_port disabled");
    add(&builder, "-f");
    add(&builder, "interface/%s.cfg", interface);
    add(&builder, "-c");
    add(&builder, "transport select %s", flash_openocd_transport(interface));
    add(&builder, "-c");
    add(&builder, "adapter serial %s", probe);
    add(&builder, "-f");
    add(&builder, "%s", chip->target);
    add_step(&builder, FLASH_STEP_CONNECT);
    add_command(&builder, "init");
    add_step(&builder, FLASH_STEP_IDENTITY);
    add_identity(&builder, chip, bytes);
    add_step(&builder, FLASH_STEP_PROGRAM);
    add_command(&builder, "reset init");
    add_guarded(&builder, "flash write_image erase " IMAGE " 0 elf");
    add_step(&builder, FLASH_STEP_VERIFY);
    add_guarded(&builder, "verify_image " IMAGE " 0 elf");
    add_step(&builder, FLASH_STEP_RESET);
    add_command(&builder, "reset run");
    add_step(&builder, FLASH_STEP_DONE);
    add_command(&builder, "shutdown");
    line->word[builder.words] = NULL;
}
