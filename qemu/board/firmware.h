/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the image of emulated boards: the ELF file that they run. */
#ifndef QEMU_BOARD_FIRMWARE_H
#define QEMU_BOARD_FIRMWARE_H

#include "hal/nodiscard.h"
#include "qemu/board/table.h"

#include <limits.h>

/* Finds the image for a kind of board: the file `path`; or, if `path` is "",
   firmware.elf in the board's folder beside this program, whose path is then
   stored. Returns 0, or 1 after a message on stderr if the file cannot be read
   or the board cannot start it. */
NODISCARD int firmware_find(char path[PATH_MAX],
                            const struct board_kind *board);

/* Finds the image of boards that become slow during a run: X_slow.elf beside
   `firmware`, whose name must be X.elf. Returns 0, or 1 after a message. */
NODISCARD int firmware_find_slow(char path[PATH_MAX], const char *firmware,
                                 const struct board_kind *board);

/* Writes the names of the compute kernels in an image, each after a space.
   `path` comes from firmware_find(). Returns their number; or 0 and "" if they
   are unknown. */
unsigned firmware_kernels(char names[ELF_NAMES_BYTES], const char *path,
                          const struct board_kind *board);

/* Checks that a kernel is among `names`, which firmware_kernels() has written.
   Returns 0, or 1 after a message with the kernels of the image. */
NODISCARD int firmware_check_kernel(const char *names, const char *path,
                                    const struct board_kind *board,
                                    const char *kernel);

/* Stores the default path in an empty `path`, as firmware_find() does, but does
   not open the file. */
void firmware_default(char path[PATH_MAX], const struct board_kind *board);

#endif
