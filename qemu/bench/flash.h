/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one image to many boards, several at a time, with a process for each
   board: OpenOCD, or a wrapper of stm32flash or dfu-util. Each process ends
   within a time limit, and none outlives this one. */
#ifndef QEMU_BENCH_FLASH_H
#define QEMU_BENCH_FLASH_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_request.h"

#define FLASH_JOBS_MAX 64u

/* Flashes the boards in their order. Prints a line on stdout for each finished
   board. After the first failure, prints its program's output on stderr, starts
   no more boards, and lets running ones finish. SIGINT, SIGTERM and SIGHUP end
   all running programs. Leaves handlers for these signals and SIGCHLD set; not
   reentrant. Returns 0 if all boards were flashed, else 1, or 130 if
   interrupted. */
NODISCARD int flash_boards(const struct flash_config *config,
                           const struct flash_board *board, unsigned boards);

#endif
