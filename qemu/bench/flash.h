/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one image to many boards, several at a time. Each board has a process:
   OpenOCD, or one that runs stm32flash or dfu-util. Each process ends within a
   time limit, and none outlives this program. */
#ifndef QEMU_BENCH_FLASH_H
#define QEMU_BENCH_FLASH_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_request.h"

#define FLASH_JOBS_MAX 64u

/* Flashes the boards in their order. Prints a line on stdout for each board
   that is done. After the first failure, prints the output of the failed
   program on stderr and starts no more boards; running ones go on to their end.
   SIGINT, SIGTERM and SIGHUP end all programs. Handlers of these signals and of
   SIGCHLD stay set; not reentrant. Returns 0 if all boards were flashed, 130 if
   interrupted, else 1. */
NODISCARD int flash_boards(const struct flash_config *config,
                           const struct flash_board *board, unsigned boards);

#endif
