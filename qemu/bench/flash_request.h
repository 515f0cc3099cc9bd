/* SPDX-License-Identifier: Apache-2.0 */
/* The request to a program that flashes one board: find the board by its name,
   check that it is the right one, write the image, read it back. The program
   prints each step's name on a line before the step. */
#ifndef QEMU_BENCH_FLASH_REQUEST_H
#define QEMU_BENCH_FLASH_REQUEST_H

#include "qemu/board/table.h"
#include "qemu/bench/flash_board.h"

#include <stdint.h>

/* Descriptor and path of the image for the program. */
#define FLASH_IMAGE_FD 3
#define FLASH_IMAGE "/proc/self/fd/3"

/* Prefix of an output line that names a step, or the chip. */
#define FLASH_STEP "quincunx-step "
#define FLASH_CHIP "quincunx-chip "

/* Names of the steps in their order; "done" follows the last step. */
#define FLASH_STEP_CONNECT "connect"
#define FLASH_STEP_IDENTITY "identity"
#define FLASH_STEP_PROGRAM "program"
#define FLASH_STEP_VERIFY "verify"
#define FLASH_STEP_RESET "reset"
#define FLASH_STEP_DONE "done"

/* Messages for a wrong board; the strings are the found and the wanted name. */
#define FLASH_OTHER_UNIQUE "this chip's unique number is %s, not %s"
#define FLASH_OTHER_PINS                                                       \
    "the image in this board is for the pins '%s', this one for '%s' "         \
    "(--force-pins writes it all the same)"

struct flash_config {
    const struct board_kind *chip;
    /* Names of OpenOCD, stm32flash and dfu-util, looked up in PATH. */
    const char *program[FLASH_WAYS];
    const char *interface; /* kind of probe where a board names none */
    const char *map_name;  /* NULL: no map file */
    const uint8_t *image;  /* ELF file that elf_open() accepted */
    uint64_t image_bytes;
    const uint8_t *flash; /* flash contents */
    uint32_t flash_bytes; /* at least 1 */
    /* Where to write a board's coordinates in `image`; 0: nowhere. */
    uint64_t place_offset;
    bool sees_usb; /* all devices are plugged into this host */
    /* Pins for which the image was built; empty: do not compare with the
       board's old image. */
    const char *pins;
    struct torus_size size;
    unsigned jobs;      /* boards at a time, 1 to FLASH_JOBS_MAX */
    unsigned timeout_s; /* for one board; not 0 */
};

struct flash_request {
    const struct flash_config *config;
    const struct flash_board *board;
    /* Empty folder into which dfu-util writes what it reads from the board. */
    const char *folder;
};

static inline uint32_t flash_config_kib(const struct flash_config *config)
{
    return (config->flash_bytes + 1023) / 1024;
}

#endif
