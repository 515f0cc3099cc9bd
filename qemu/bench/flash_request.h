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

struct flash_request {
    const struct board_kind *chip;
    enum flash_way way;
    const char *program; /* looked up in PATH */
    const char *name;    /* of the probe, port or DFU device */
    const char *unique;  /* that the chip must have; empty: any */
    const char *pins;    /* that the image in the board must be for, if it tells
                            any; empty: any */
    const char *folder;  /* an empty folder, to which dfu-util writes what it
                            reads from the board */
    uint32_t bytes;      /* of flash that the image needs; 1 or more */
};

/* KiB of flash that hold so many bytes. */
static inline uint32_t flash_request_kib(uint32_t bytes)
{
    return (bytes + 1023) / 1024;
}

#endif
