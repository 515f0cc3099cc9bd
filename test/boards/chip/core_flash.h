/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flash accelerator (RM0090, 3.5.2). The flash reads one line of 16 bytes
 * at a time, which takes wait_states + 1 cycles:
 *
 *   cycle       0   1   2   3   4   5   6   7
 *   no stall    [fetch]                        wait_states 0, or a hit
 *   a miss      [read line .......... ]        wait_states 5: 5 stalls
 *   prefetch                          [read the line behind it ...
 *
 * Instructions: the line that the last one came from is at hand; then the 64
 * lines of the cache, least recently used out first; then the prefetch buffer,
 * which begins to read the line behind the one that execution enters, unless
 * the cache has it. A line that execution enters is put into the cache,
 * wherever it came from. Data: 8 lines of cache; without it every read is one
 * of the flash. A read in flight is never broken off.
 */
#ifndef TEST_BOARDS_CHIP_CORE_FLASH_H
#define TEST_BOARDS_CHIP_CORE_FLASH_H

#include "test/boards/chip/core.h"

#include <stdint.h>

/* Charges the stalls of fetching the instruction. */
void core_flash_fetch(struct core *core, const struct core_instruction *of);

/* Charges the stalls of reading data there; offset: into the flash. */
void core_flash_data(struct core *core, uint32_t offset);

/* Nothing is cached, nothing is in flight. */
void core_flash_reset(struct core *core);

#endif
