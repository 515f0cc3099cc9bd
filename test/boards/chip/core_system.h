/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers of the private peripheral bus (ARM DDI 0403, B3.2 to B3.4, C1):
 * system control, NVIC, SysTick; of the debug parts nothing.
 */
#ifndef TEST_BOARDS_CHIP_CORE_SYSTEM_H
#define TEST_BOARDS_CHIP_CORE_SYSTEM_H

#include "test/boards/chip/core.h"

#include <stdint.h>

/* Privileged, aligned. What is not there reads 0, with a complaint. */
void core_system_read(struct core *core, uint32_t address, unsigned bytes,
                      uint32_t *value);
void core_system_write(struct core *core, uint32_t address, unsigned bytes,
                       uint32_t value);

/* Brings SysTick up to core->cycle: its flag, and its exception if pending. */
void core_tick(struct core *core);

/* When SysTick pends its exception next; UINT64_MAX: it does not. */
uint64_t core_tick_next(const struct core *core);

#endif
