/* SPDX-License-Identifier: Apache-2.0 */
/* Flags and conditions, as the parts of the model share them. */
#ifndef TEST_BOARDS_CHIP_CORE_STATE_H
#define TEST_BOARDS_CHIP_CORE_STATE_H

#include "test/boards/chip/core.h"

#include <stdbool.h>
#include <stdint.h>

#define CORE_PSR_Q (1u << 27)
#define CORE_PSR_T (1u << 24)

static inline void core_set_nz(struct core *core, uint32_t result)
{
    core->negative = result;
    core->zero = result;
}

static inline uint32_t core_nzcvq(const struct core *core)
{
    return (core->negative >> 31) << 31 | (core->zero == 0 ? 1u : 0u) << 30 |
           core->carry << 29 | core->overflow << 28 | core->saturated << 27;
}

static inline void core_set_nzcvq(struct core *core, uint32_t psr)
{
    core->negative = psr;
    core->zero = ~psr & 1u << 30;
    core->carry = psr >> 29 & 1u;
    core->overflow = psr >> 28 & 1u;
    core->saturated = psr >> 27 & 1u;
}

/* ITSTATE lies in two parts of xPSR. */
static inline uint32_t core_psr(const struct core *core)
{
    return core_nzcvq(core) | (core->it & 3u) << 25 |
           (core->thumb ? CORE_PSR_T : 0) | core->ge << 16 |
           (core->it >> 2) << 10 | core->exception;
}

/* All but the exception's number. */
static inline void core_set_psr(struct core *core, uint32_t psr)
{
    core_set_nzcvq(core, psr);
    core->it = (psr >> 25 & 3u) | (psr >> 10 & 63u) << 2;
    core->thumb = (psr & CORE_PSR_T) != 0;
    core->ge = psr >> 16 & 15u;
}

static inline bool core_holds(const struct core *core, unsigned condition)
{
    bool negative = core->negative >> 31 != 0;
    bool overflow = core->overflow != 0;
    bool holds;

    switch (condition >> 1) {
    case 0:
        holds = core->zero == 0;
        break;
    case 1:
        holds = core->carry != 0;
        break;
    case 2:
        holds = negative;
        break;
    case 3:
        holds = overflow;
        break;
    case 4:
        holds = core->carry != 0 && core->zero != 0;
        break;
    case 5:
        holds = negative == overflow;
        break;
    case 6:
        holds = negative == overflow && core->zero != 0;
        break;
    default:
        return true;
    }
    return holds != ((condition & 1u) != 0);
}

#endif
