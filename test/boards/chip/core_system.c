/* SPDX-License-Identifier: Apache-2.0 */

#include "test/boards/chip/core_exceptions.h"

#define TICK_CSR 0xe000e010u
#define TICK_RVR 0xe000e014u
#define TICK_CVR 0xe000e018u
#define NVIC_BASE 0xe000e100u /* sets and clears, of enabled and pending */
#define NVIC_END 0xe000e300u
#define NVIC_IPR 0xe000e400u
#define SCB_VTOR 0xe000ed08u
#define SCB_AIRCR 0xe000ed0cu
#define SCB_CCR 0xe000ed14u
#define SCB_SHPR 0xe000ed18u /* of exceptions 4 to 15 */
#define SCB_SHPR_END 0xe000ed24u
#define SCB_CFSR 0xe000ed28u
#define SCB_HFSR 0xe000ed2cu
#define SCB_MMFAR 0xe000ed34u
#define SCB_BFAR 0xe000ed38u

#define TICK_ENABLE (1u << 0)
#define TICK_INTERRUPT (1u << 1)
#define TICK_PROCESSOR (1u << 2) /* its clock, not that of the bus / 8 */
#define TICK_BITS 0xffffffu
#define RESET_REQUEST 0x05fa0004u /* the key, SYSRESETREQ */

/* ---- SysTick ---- */

/* The counter is 0 until the cycle tick_reload_at. */
static void reload(struct core *core)
{
    struct core_system *s = &core->system;

    s->tick_value = 0;
    s->tick_zero_at = s->tick_load == 0 ? 0 : s->tick_reload_at + s->tick_load;
}

static void tick_start(struct core *core)
{
    struct core_system *s = &core->system;

    if ((s->tick_ctrl & TICK_ENABLE) == 0) {
        return;
    }
    s->tick_reload_at = core->cycle + 1u;
    if (s->tick_value == 0) {
        reload(core);
    } else {
        s->tick_zero_at = s->tick_reload_at + s->tick_value - 1u;
        s->tick_reload_at = 0;
    }
}

static uint32_t tick_now(const struct core *core)
{
    const struct core_system *s = &core->system;

    if (s->tick_zero_at == 0) {
        return s->tick_value;
    }
    return core->cycle < s->tick_reload_at
               ? 0
               : (uint32_t)(s->tick_zero_at - core->cycle);
}

void core_tick(struct core *core)
{
    struct core_system *s = &core->system;
    uint64_t at = s->tick_zero_at;

    if (at == 0 || core->cycle < at) {
        return;
    }
    if ((s->tick_ctrl & TICK_INTERRUPT) != 0) {
        core_pend(core, CORE_SYSTICK);
    }
    /* The last of all the times at which it was 0. */
    at += (core->cycle - at) / (s->tick_load + 1u) * (s->tick_load + 1u);
    s->tick_reload_at = at + 1u;
    reload(core);
}

uint64_t core_tick_next(const struct core *core)
{
    const struct core_system *s = &core->system;

    return s->tick_zero_at != 0 && (s->tick_ctrl & TICK_INTERRUPT) != 0
               ? s->tick_zero_at
               : UINT64_MAX;
}

static void tick_control(struct core *core, uint32_t value)
{
    struct core_system *s = &core->system;

    if ((value & (TICK_ENABLE | TICK_PROCESSOR)) == TICK_ENABLE) {
        core_stop(core, "clock of SysTick", value);
    }
    s->tick_value = tick_now(core);
    s->tick_zero_at = 0;
    s->tick_ctrl = value & 7u;
    tick_start(core);
}

static void tick_write(struct core *core, uint32_t address, uint32_t value)
{
    struct core_system *s = &core->system;

    core_tick(core);
    core->limit = 0;
    switch (address) {
    case TICK_CSR:
        tick_control(core, value);
        break;
    case TICK_RVR:
        s->tick_load = value & TICK_BITS;
        if (s->tick_zero_at == 0) {
            tick_start(core);
        } else if (core->cycle < s->tick_reload_at) {
            reload(core);
        }
        break;
    default:
        s->tick_value = 0;
        s->tick_zero_at = 0;
        tick_start(core);
        break;
    }
}

/* ---- NVIC ---- */

static void nvic_write(struct core *core, uint32_t address, uint32_t value)
{
    uint32_t first = CORE_FIRST_IRQ + 8u * (address & 0x7cu);

    for (; value != 0; value &= value - 1u) {
        unsigned exception = first + (unsigned)__builtin_ctz(value);

        if (exception >= CORE_EXCEPTIONS) {
            core_stop(core, "interrupt", exception - CORE_FIRST_IRQ);
            return;
        }
        switch ((address - NVIC_BASE) >> 7) {
        case 0:
        case 1:
            core_enable(core, exception, (address & 0x80u) == 0);
            break;
        case 2:
            core_pend(core, exception);
            break;
        default:
            core_unpend(core, exception);
            break;
        }
    }
}

/* IPR and SHPR: a byte for each exception, writable one by one. */
static bool has_priority(uint32_t address, unsigned *exception)
{
    if (address >= NVIC_IPR && address < NVIC_IPR + CORE_IRQS) {
        *exception = CORE_FIRST_IRQ + (address - NVIC_IPR);
        return true;
    }
    *exception = 4u + (address - SCB_SHPR);
    return address >= SCB_SHPR && address < SCB_SHPR_END;
}

/* ---- all of them ---- */

static uint32_t read_word(struct core *core, uint32_t address)
{
    const struct core_system *s = &core->system;

    switch (address) {
    case TICK_RVR:
        return s->tick_load;
    case TICK_CVR:
        core_tick(core);
        return tick_now(core);
    case SCB_CCR:
        return s->ccr;
    case SCB_CFSR:
        return s->cfsr;
    case SCB_HFSR:
        return s->hfsr;
    case SCB_MMFAR:
        return 0;
    case SCB_BFAR:
        return s->bfar;
    default:
        core_stop(core, "system register", address);
        return 0;
    }
}

void core_system_read(struct core *core, uint32_t address, unsigned bytes,
                      uint32_t *value)
{
    unsigned exception;

    *value = 0;
    if (!has_priority(address, &exception)) {
        if (bytes != 4) {
            core_stop(core, "part of a system register", address);
        }
        *value = read_word(core, address);
        return;
    }
    for (unsigned i = 0; i < bytes && has_priority(address + i, &exception);
         ++i) {
        *value |= (uint32_t)core->exceptions.of[exception] << 8 * i;
    }
}

static void write_word(struct core *core, uint32_t address, uint32_t value)
{
    struct core_system *s = &core->system;

    if (address >= NVIC_BASE && address < NVIC_END) {
        nvic_write(core, address, value);
    } else if (address >= TICK_CSR && address <= TICK_CVR) {
        tick_write(core, address, value);
    } else if (address == SCB_CFSR) { /* 1 clears, as in HFSR */
        s->cfsr &= ~value;
    } else if (address == SCB_HFSR) {
        s->hfsr &= ~value;
    } else if (address == SCB_VTOR) {
        s->vtor = value & 0xffffff80u;
    } else if (address == SCB_AIRCR && value == RESET_REQUEST) {
        core->resets = true;
        core->limit = 0;
    } else if (address == SCB_CCR &&
               (value | CORE_CCR_DIV_0_TRP) ==
                   (CORE_CCR_STKALIGN | CORE_CCR_DIV_0_TRP)) {
        s->ccr = value;
    } else {
        core_stop(core, "system register", address);
    }
}

void core_system_write(struct core *core, uint32_t address, unsigned bytes,
                       uint32_t value)
{
    unsigned exception;

    if (!has_priority(address, &exception)) {
        if (bytes != 4) {
            core_stop(core, "part of a system register", address);
        }
        write_word(core, address, value);
        return;
    }
    for (unsigned i = 0; i < bytes && has_priority(address + i, &exception);
         ++i) {
        core_set_priority(core, exception, (uint8_t)(value >> 8 * i));
    }
}
