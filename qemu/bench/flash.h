/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one image to many boards, some at a time, with a process for each:
 * OpenOCD, or what runs stm32flash or dfu-util. Every one of them ends within a
 * bounded time, and none outlives this process.
 */
#ifndef QEMU_BENCH_FLASH_H
#define QEMU_BENCH_FLASH_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_map.h"
#include "qemu/bench/openocd.h"

#define FLASH_JOBS_MAX 64u

struct flash_config {
    const struct board_kind *chip;
    const char *program[FLASH_WAYS]; /* OpenOCD, stm32flash, dfu-util; looked up
                                        in PATH */
    const char *interface; /* of probes that do not name one; a known one */
    const char *map_name;  /* for messages; NULL: one board without a map */
    const uint8_t *image;  /* has passed elf_check() */
    uint64_t image_bytes;  /* of the file */
    const uint8_t *flash;  /* what the image makes of the flash */
    uint32_t flash_bytes;  /* of it */
    uint64_t place_offset; /* in the file, of each board's place; 0: none set */
    bool sees_usb;         /* every probe and DFU device is plugged in */
    const char *pins;      /* that the image is for; empty: not compared with
                              those of the image in the board */
    struct torus_size size;
    unsigned jobs;      /* at a time; 1 to FLASH_JOBS_MAX */
    unsigned timeout_s; /* for each board; not 0 */
};

/*
 * Flashes the boards, in their order. A line on stdout for each that is done.
 * The first that fails is told on stderr with what its program said; no other
 * is begun then, those at work are let finish. SIGINT, SIGTERM and SIGHUP end
 * all that are at work. Sets handlers for these signals and SIGCHLD and leaves
 * them set; not reentrant. Result: 0 if all boards were flashed; 1; 130 if
 * interrupted.
 */
NODISCARD int flash_boards(const struct flash_config *config,
                           const struct flash_board *board, unsigned boards);

#endif
