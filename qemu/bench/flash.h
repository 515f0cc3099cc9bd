/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one image to many boards, some at a time, with a process for each:
 * OpenOCD, or what runs stm32flash or dfu-util. Every one of them ends within a
 * bounded time, and none outlives this process.
 */
#ifndef QEMU_BENCH_FLASH_H
#define QEMU_BENCH_FLASH_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_request.h"

#define FLASH_JOBS_MAX 64u

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
