/* SPDX-License-Identifier: Apache-2.0 */
/* Thumb and Thumb-2 into struct core_instruction (ARM DDI 0403, A5). */
#ifndef TEST_BOARDS_CHIP_CORE_DECODE_H
#define TEST_BOARDS_CHIP_CORE_DECODE_H

#include "test/boards/chip/core.h"

#include <stdbool.h>
#include <stdint.h>

/* The instruction at key's address; bit 0 of the key: it is in an IT block,
   where those of 16 bits do not set flags. Where nothing can be fetched: one
   that raises the fault. Never fails. */
void core_decode(struct core_instruction *to, const struct core *core,
                 uint32_t key);

/* The cycles that a taken branch costs besides its own. */
unsigned core_refill(const struct core *core, uint32_t target);

/* A halfword that begins an instruction of 32 bits. */
static inline bool core_is_wide(uint32_t half)
{
    return half >> 11 >= 0x1du;
}

#endif
