/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What OpenOCD (0.12) is asked for one board, as its command line: find this
 * probe and no other, check that the right chip is behind it, write the image,
 * read it back, start it. Before each step it says which, on a line of its own.
 */
#ifndef QEMU_FLASH_OPENOCD_H
#define QEMU_FLASH_OPENOCD_H

#include "qemu/elf.h"

#include <stdint.h>

/* Where OpenOCD finds the image: this descriptor of its own. */
#define FLASH_OPENOCD_IMAGE_FD 3

/* What begins a line that names a step, or the chip. */
#define FLASH_OPENOCD_STEP "quincunx-step "
#define FLASH_OPENOCD_CHIP "quincunx-chip "

/* The steps' names, in their order; the last follows when all is done. */
#define FLASH_STEP_CONNECT "connect"
#define FLASH_STEP_IDENTITY "identity"
#define FLASH_STEP_PROGRAM "program"
#define FLASH_STEP_VERIFY "verify"
#define FLASH_STEP_RESET "reset"
#define FLASH_STEP_DONE "done"

#define FLASH_OPENOCD_WORDS 48
#define FLASH_OPENOCD_TEXT 4096u

/* A board as OpenOCD knows it. */
struct flash_chip {
    struct elf_place place;
    const char *target;      /* OpenOCD's script */
    uint32_t idcode_address; /* of DBGMCU_IDCODE; RM0090, 38.6.1 */
    uint32_t device;         /* its DEV_ID, bits 0 to 11 */
    const char *device_name;
    uint16_t kind;         /* of board, in an image's identity */
    uint32_t size_address; /* KiB of flash, 16 bits; RM0090, 39.2 */
};

/* A command line for execvp(); points into itself. */
struct flash_openocd {
    char *word[FLASH_OPENOCD_WORDS]; /* NULL behind the last */
    char text[FLASH_OPENOCD_TEXT];
};

/* The chip of a board, or NULL if no board of that name can be flashed. */
const struct flash_chip *flash_openocd_chip(const char *board);

/* The transport to ask for with an interface; NULL: none is known. */
const char *flash_openocd_transport(const char *interface);

/* The known interfaces, for people. */
#define FLASH_OPENOCD_INTERFACES "stlink, stlink-dap, cmsis-dap or jlink"

/*
 * Fills `line`. `interface` is a known one and `probe` passes
 * flash_probe_check(); `bytes` of flash, 1 or more, are what the image needs.
 */
void flash_openocd_line(struct flash_openocd *line, const char *program,
                        const struct flash_chip *chip, const char *interface,
                        const char *probe, uint32_t bytes);

#endif
