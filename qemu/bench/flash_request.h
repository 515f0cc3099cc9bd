/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request to the program that flashes one board, whichever program it is:
 * find the board by its name and no other, check that it is the right one,
 * write the image, read it back. Before each step it prints a line with the
 * step's name.
 */
#ifndef QEMU_BENCH_FLASH_REQUEST_H
#define QEMU_BENCH_FLASH_REQUEST_H

#include "qemu/board/table.h"
#include "qemu/bench/flash_board.h"

#include <stdint.h>

/* The descriptor through which the program reads the image, and its name. */
#define FLASH_IMAGE_FD 3
#define FLASH_IMAGE "/proc/self/fd/3"

/* The beginning of a line that names a step, or the chip. */
#define FLASH_STEP "quincunx-step "
#define FLASH_CHIP "quincunx-chip "

/* The steps' names, in their order; the last follows when all is done. */
#define FLASH_STEP_CONNECT "connect"
#define FLASH_STEP_IDENTITY "identity"
#define FLASH_STEP_PROGRAM "program"
#define FLASH_STEP_VERIFY "verify"
#define FLASH_STEP_RESET "reset"
#define FLASH_STEP_DONE "done"

/* Why a board is not the right one; found and wanted are strings. */
#define FLASH_OTHER_UNIQUE "this chip's unique number is %s, not %s"
#define FLASH_OTHER_PINS                                                       \
    "the image in this board is for the pins '%s', this one for '%s' "         \
    "(--force-pins writes it all the same)"

/* The part of a request that all boards of a command have in common. */
struct flash_config {
    const struct board_kind *chip;
    const char *program[FLASH_WAYS]; /* OpenOCD, stm32flash, dfu-util; looked up
                                        in PATH */
    const char *interface; /* of probes that do not name one; a known one */
    const char *map_name;  /* for messages; NULL: one board without a map */
    const uint8_t *image;  /* has passed elf_open() */
    uint64_t image_bytes;  /* of the file */
    const uint8_t *flash;  /* what the image makes of the flash */
    uint32_t flash_bytes;  /* of it; 1 or more */
    uint64_t place_offset; /* in the file, of each board's place; 0: none set */
    bool sees_usb;         /* every probe and DFU device is plugged in */
    const char *pins;      /* that the image is for; empty: not compared with
                              those of the image in the board */
    struct torus_size size;
    unsigned jobs;      /* at a time; 1 to FLASH_JOBS_MAX */
    unsigned timeout_s; /* for each board; not 0 */
};

struct flash_request {
    const struct flash_config *config;
    const struct flash_board *board;
    const char *folder; /* an empty folder, to which dfu-util writes what it
                           reads from the board */
};

/* KiB of flash that the image needs. */
static inline uint32_t flash_config_kib(const struct flash_config *config)
{
    return (config->flash_bytes + 1023) / 1024;
}

#endif
