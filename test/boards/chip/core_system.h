/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers of the private peripheral bus (ARM DDI 0403, B3.2 to B3.4), as the
 * firmware uses them:
 *
 *   SysTick  CSR, RVR, CVR written, by the processor's clock
 *   NVIC     ISER, ICER, ISPR, ICPR written; a priority's byte read, written
 *   system   VTOR, a reset by AIRCR written; CCR.DIV_0_TRP, SHPR1 to SHPR3 and
 *            CFSR, HFSR, MMFAR, BFAR read, the first two written
 */
#ifndef TEST_BOARDS_CHIP_CORE_SYSTEM_H
#define TEST_BOARDS_CHIP_CORE_SYSTEM_H

#include "test/boards/chip/core.h"

#include <stdint.h>

/* Aligned. Whatever else stops the model. */
void core_system_read(struct core *core, uint32_t address, unsigned bytes,
                      uint32_t *value);
void core_system_write(struct core *core, uint32_t address, unsigned bytes,
                       uint32_t value);

/* Brings SysTick up to core->cycle: its flag, and its exception if pending. */
void core_tick(struct core *core);

/* When SysTick pends its exception next; UINT64_MAX: it does not. */
uint64_t core_tick_next(const struct core *core);

#endif
