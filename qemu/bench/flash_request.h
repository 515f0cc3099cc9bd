/* SPDX-License-Identifier: Apache-2.0 */
/* What a process that flashes one board gets: it finds the board by its name,
   checks that it is the right one, writes the image, and reads it back. It
   prints a line with the name of each step before the step. */
#ifndef QEMU_BENCH_FLASH_REQUEST_H
#define QEMU_BENCH_FLASH_REQUEST_H

#include "qemu/board/table.h"
#include "qemu/bench/flash_board.h"

#include <stdint.h>

/* Descriptor of the image in that process, and its path. */
#define FLASH_IMAGE_FD 3
#define FLASH_IMAGE "/proc/self/fd/3"

/* Begins of output lines that name a step, or the chip. */
#define FLASH_STEP "quincunx-step "
#define FLASH_CHIP "quincunx-chip "

/* Names of the steps, in their order; "done" follows the last one. */
#define FLASH_STEP_CONNECT "connect"
#define FLASH_STEP_IDENTITY "identity"
#define FLASH_STEP_PROGRAM "program"
#define FLASH_STEP_VERIFY "verify"
#define FLASH_STEP_RESET "reset"
#define FLASH_STEP_DONE "done"

/* Messages about a wrong board: what was found, and what should be. */
#define FLASH_OTHER_UNIQUE "this chip's unique number is %s, not %s"
#define FLASH_OTHER_PINS                                                       \
    "the image in this board is for the pins '%s', this one for '%s' "         \
    "(--force-pins writes it all the same)"

struct flash_config {
    const struct board_kind *chip;
    /* Names of OpenOCD, stm32flash and dfu-util, which are searched on the
       PATH. */
    const char *program[FLASH_WAYS];
    const char *interface; /* kind of the probe, for boards that name none */
    const char *map_name;  /* name of the map file; NULL: there is none */
    const uint8_t *image;  /* an ELF file that elf_open() accepts */
    uint64_t image_bytes;
    const uint8_t *flash; /* flash contents that the ELF file describes */
    uint32_t flash_bytes; /* at least 1 */
    /* offset in `image` for a board's coordinates; 0: none */
    uint64_t place_offset;
    bool sees_usb; /* true: all boards are plugged into this host */
    /* Name of the pins for which the image was built; "": the pins of the
       board's old image do not matter. */
    const char *pins;
    struct torus_size size;
    unsigned jobs;      /* number of boards at a time, 1 to FLASH_JOBS_MAX */
    unsigned timeout_s; /* longest time for one board, s; not 0 */
};

struct flash_request {
    const struct flash_config *config;
    const struct flash_board *board;
    /* Empty folder for the file into which dfu-util reads the board's flash. */
    const char *folder;
};

static inline uint32_t flash_config_kib(const struct flash_config *config)
{
    return (config->flash_bytes + 1023) / 1024;
}

#endif
