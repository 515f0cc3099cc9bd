/* SPDX-License-Identifier: Apache-2.0 */
/* Flags and conditions, as the parts of the model share them. */
#ifndef TEST_BOARDS_CHIP_CORE_STATE_H
#define TEST_BOARDS_CHIP_CORE_STATE_H

#include "test/boards/chip/core.h"

#include <stdbool.h>
#include <stdint.h>

#define CORE_PSR_T (1u << 24)

static inline void core_set_nz(struct core *core, uint32_t result)
{
    core->negative = result;
    core->zero = result;
}

/* ITSTATE lies in two parts of xPSR. */
static inline uint32_t core_psr(const struct core *core)
{
    return (core->negative >> 31) << 31 | (core->zero == 0 ? 1u : 0u) << 30 |
           core->carry << 29 | core->overflow << 28 | core->saturated << 27 |
           (core->it & 3u) << 25 | CORE_PSR_T | core->ge << 16 |
           (core->it >> 2) << 10 | core->exception;
}

/* All but the exception's number. */
static inline void core_set_psr(struct core *core, uint32_t psr)
{
    core->negative = psr;
    core->zero = ~psr & 1u << 30;
    core->carry = psr >> 29 & 1u;
    core->overflow = psr >> 28 & 1u;
    core->saturated = psr >> 27 & 1u;
    core->it = (psr >> 25 & 3u) | (psr >> 10 & 63u) << 2;
    core->ge = psr >> 16 & 15u;
}

/* condition: 0 to 13. */
static inline bool core_holds(const struct core *core, unsigned condition)
{
    bool n = core->negative >> 31 != 0, z = core->zero == 0;
    bool c = core->carry != 0, v = core->overflow != 0;
    const bool holds[7] = {z, c, n, v, c && !z, n == v, n == v && !z};

    return holds[condition >> 1] != ((condition & 1u) != 0);
}

/* Nothing is executed until then. */
static inline void core_stand_until(struct core *core, uint64_t cycle)
{
    if (core->cycle < cycle) {
        core->cycle = cycle;
    }
}

#endif
