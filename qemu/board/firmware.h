/* SPDX-License-Identifier: Apache-2.0 */
/* The image that emulated boards run. */
#ifndef QEMU_BOARD_FIRMWARE_H
#define QEMU_BOARD_FIRMWARE_H

#include "hal/nodiscard.h"
#include "qemu/board/table.h"

#include <limits.h>

/*
 * Finds the image for a kind of board: the file `path`, or, if that is empty,
 * firmware.elf in the board's folder beside this program, whose name is then
 * in `path`. Result: 0; or 1, after a message on stderr, if it
 * cannot be read or is no image that such a board can start.
 */
NODISCARD int firmware_find(char path[PATH_MAX],
                            const struct board_kind *board);

/* Finds the image of boards that become slow later: X_slow.elf beside
   `firmware`, the image X.elf that firmware_find() found. Result: 0; 1 after a
   message. */
NODISCARD int firmware_find_slow(char path[PATH_MAX], const char *firmware,
                                 const struct board_kind *board);

/*
 * The names of the kernels of the image `path`, which firmware_find() found,
 * each behind a space. Result: how many; 0 and "": the file does not tell.
 */
unsigned firmware_kernels(char names[ELF_NAMES_BYTES], const char *path,
                          const struct board_kind *board);

/*
 * Whether a kernel is among the names of an image's, as firmware_kernels() gave
 * them. Result: 0; or 1, after a message with those that it has.
 */
NODISCARD int firmware_check_kernel(const char *names, const char *path,
                                    const struct board_kind *board,
                                    const char *kernel);

/* Only the name: `path` if it is not empty. */
void firmware_default(char path[PATH_MAX], const struct board_kind *board);

#endif
