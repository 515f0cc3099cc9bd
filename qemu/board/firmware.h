/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the firmware image of emulated boards. */
#ifndef QEMU_BOARD_FIRMWARE_H
#define QEMU_BOARD_FIRMWARE_H

#include "hal/nodiscard.h"
#include "qemu/board/table.h"

#include <limits.h>

/* Finds the image for a kind of board: the file `path`, or, if that is empty,
   firmware.elf in the board's folder beside this program, whose name is stored
   in `path`. Returns 0, or 1 after a message on stderr if the file cannot be
   read or such a board cannot start it. */
NODISCARD int firmware_find(char path[PATH_MAX],
                            const struct board_kind *board);

/* Finds the image of boards that become slow during a run: X_slow.elf beside
   `firmware`, which is named X.elf. Returns 0, or 1 after a message. */
NODISCARD int firmware_find_slow(char path[PATH_MAX], const char *firmware,
                                 const struct board_kind *board);

/* Writes the names of the compute kernels in the image `path` of
   firmware_find(), each behind a space. Returns their number; 0 and "":
   unknown. */
unsigned firmware_kernels(char names[ELF_NAMES_BYTES], const char *path,
                          const struct board_kind *board);

/* Checks that a kernel is among the names of firmware_kernels(). Returns 0, or
   1 after a message with the kernels of the image. */
NODISCARD int firmware_check_kernel(const char *names, const char *path,
                                    const struct board_kind *board,
                                    const char *kernel);

/* Sets an empty `path` as firmware_find() does, without opening the file. */
void firmware_default(char path[PATH_MAX], const struct board_kind *board);

#endif
