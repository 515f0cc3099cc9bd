/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/core_system.h"

#include "test/boards/chip/core_exceptions.h"

#define TICK_ENABLE (1u << 0)
#define TICK_INTERRUPT (1u << 1)
#define TICK_PROCESSOR (1u << 2) /* else the clock / 8 */
#define TICK_COUNTFLAG (1u << 16)
#define TICK_BITS 0xffffffu

#define VECTKEY 0x05fau
#define VECTKEY_READ 0xfa05u

/* Bits of SHCSR: active, pended, enabled, of each exception that has one. */
static const struct {
    uint8_t exception, active, pended, enabled; /* NONE: there is none */
} handlers[] = {
#define NONE 32
    {CORE_MEM_FAULT, 0, 13, 16},         {CORE_BUS_FAULT, 1, 14, 17},
    {CORE_USAGE_FAULT, 3, 12, 18},       {CORE_SVCALL, 7, 15, NONE},
    {CORE_DEBUG_MONITOR, 8, NONE, NONE}, {CORE_PENDSV, 10, NONE, NONE},
    {CORE_SYSTICK, 11, NONE, NONE},
};
#define HANDLERS (sizeof handlers / sizeof *handlers)

/* ---- SysTick ---- */

static uint64_t tick_cycles(const struct core *core)
{
    return (core->system.tick_ctrl & TICK_PROCESSOR) != 0 ? 1u : 8u;
}

static uint64_t next_tick(const struct core *core)
{
    return (core->cycle / tick_cycles(core) + 1u) * tick_cycles(core);
}

/* The counter is 0 until the cycle tick_reload_at. */
static void reload(struct core *core)
{
    struct core_system *s = &core->system;

    s->tick_value = 0;
    s->tick_zero_at = s->tick_load == 0 ? 0
                                        : s->tick_reload_at +
                                              s->tick_load * tick_cycles(core);
}

static void tick_start(struct core *core)
{
    struct core_system *s = &core->system;

    if ((s->tick_ctrl & TICK_ENABLE) == 0) {
        return;
    }
    s->tick_reload_at = next_tick(core);
    if (s->tick_value == 0) {
        reload(core);
    } else {
        s->tick_zero_at =
            s->tick_reload_at + (s->tick_value - 1u) * tick_cycles(core);
        s->tick_reload_at = 0;
    }
}

static uint32_t tick_now(const struct core *core)
{
    const struct core_system *s = &core->system;
    uint64_t scale = tick_cycles(core);

    if (s->tick_zero_at == 0) {
        return s->tick_value;
    }
    if (core->cycle < s->tick_reload_at) {
        return 0;
    }
    return (uint32_t)((s->tick_zero_at - core->cycle + scale - 1u) / scale);
}

void core_tick(struct core *core)
{
    struct core_system *s = &core->system;
    uint64_t at = s->tick_zero_at, period;

    if (at == 0 || core->cycle < at) {
        return;
    }
    s->tick_countflag = true;
    if ((s->tick_ctrl & TICK_INTERRUPT) != 0 &&
        !core_test(core->exceptions.pending, CORE_SYSTICK)) {
        core_pend(core, CORE_SYSTICK);
        core->exceptions.pending_since[CORE_SYSTICK] = at;
    }
    /* The last of all the times at which it was 0. */
    period = (s->tick_load + 1u) * tick_cycles(core);
    at += (core->cycle - at) / period * period;
    s->tick_reload_at = at + tick_cycles(core);
    reload(core);
}

uint64_t core_tick_next(const struct core *core)
{
    const struct core_system *s = &core->system;

    return s->tick_zero_at != 0 && (s->tick_ctrl & TICK_INTERRUPT) != 0
               ? s->tick_zero_at
               : UINT64_MAX;
}

static uint32_t tick_read(struct core *core, uint32_t address)
{
    struct core_system *s = &core->system;
    uint32_t value;

    core_tick(core);
    switch (address & 15u) {
    case 0:
        value = s->tick_ctrl | (s->tick_countflag ? TICK_COUNTFLAG : 0);
        s->tick_countflag = false;
        return value;
    case 4:
        return s->tick_load;
    case 8:
        return tick_now(core);
    default:
        return 0x4000493eu; /* 18750: RM0090, 12.1.2 */
    }
}

static void tick_write(struct core *core, uint32_t address, uint32_t value)
{
    struct core_system *s = &core->system;

    core_tick(core);
    core->limit = 0;
    switch (address & 15u) {
    case 0:
        s->tick_value = tick_now(core);
        s->tick_zero_at = 0;
        s->tick_ctrl = value & 7u;
        tick_start(core);
        break;
    case 4:
        s->tick_load = value & TICK_BITS;
        if (s->tick_zero_at == 0) {
            tick_start(core);
        } else if (core->cycle < s->tick_reload_at) {
            reload(core);
        }
        break;
    case 8:
        s->tick_value = 0;
        s->tick_zero_at = 0;
        s->tick_countflag = false;
        tick_start(core);
        break;
    default:
        break;
    }
}

/* ---- NVIC ---- */

static uint32_t irq_word(const uint32_t *set, uint32_t word)
{
    return set[word] >> 16 | (word < 3 ? set[word + 1u] << 16 : 0);
}

static uint32_t nvic_read(const struct core *core, uint32_t address)
{
    const struct core_exceptions *x = &core->exceptions;
    uint32_t word = address >> 2 & 31u;

    if (word >= 3) {
        return 0;
    }
    switch (address >> 7 & 7u) {
    case 2: /* ISER at 0x100, ICER at 0x180 */
    case 3:
        return irq_word(x->enabled, word);
    case 4:
    case 5:
        return irq_word(x->pending, word);
    default:
        return irq_word(x->active, word);
    }
}

static void nvic_write(struct core *core, uint32_t address, uint32_t value)
{
    uint32_t first = CORE_FIRST_IRQ + 8u * (address & 0x7cu);

    for (; value != 0; value &= value - 1u) {
        unsigned exception = first + (unsigned)__builtin_ctz(value);

        if (exception >= CORE_EXCEPTIONS) {
            core_complain(core, "an interrupt that the chip does not have");
            return;
        }
        switch (address >> 7 & 7u) {
        case 2:
        case 3:
            core_enable(core, exception, (address & 0x80u) == 0);
            break;
        case 4:
            core_pend(core, exception);
            break;
        case 5:
            core_unpend(core, exception);
            break;
        default:
            core_complain(core, "write of IABR");
            return;
        }
    }
}

/* IPR and SHPR: a byte for each exception, writable one by one. */
static bool priority_bytes(uint32_t address, unsigned *exception)
{
    if (address >= 0xe000e400u && address < 0xe000e400u + CORE_IRQS) {
        *exception = CORE_FIRST_IRQ + (address - 0xe000e400u);
        return true;
    }
    if (address >= 0xe000ed18u && address < 0xe000ed24u) {
        *exception = 4u + (address - 0xe000ed18u);
        return true;
    }
    return false;
}

/* ---- system control ---- */

static uint32_t icsr(const struct core *core)
{
    const struct core_exceptions *x = &core->exceptions;
    int active = 0;
    bool interrupts = (x->pending[0] & x->enabled[0]) >> CORE_FIRST_IRQ != 0;

    for (unsigned word = 0; word < 4; ++word) {
        active += __builtin_popcount(x->active[word]);
        interrupts =
            interrupts || (word > 0 && (x->pending[word] & x->enabled[word]));
    }
    return core->exception | (active <= 1 ? 1u : 0u) << 11 |
           core_next_pending(core) << 12 | (interrupts ? 1u : 0u) << 22 |
           (x->pending[0] >> CORE_SYSTICK & 1u) << 26 |
           (x->pending[0] >> CORE_PENDSV & 1u) << 28 |
           (x->pending[0] >> CORE_NMI & 1u) << 31;
}

static void write_icsr(struct core *core, uint32_t value)
{
    if ((value & 1u << 31) != 0) {
        core_pend(core, CORE_NMI);
    }
    if ((value & 1u << 28) != 0) {
        core_pend(core, CORE_PENDSV);
    } else if ((value & 1u << 27) != 0) {
        core_unpend(core, CORE_PENDSV);
    }
    if ((value & 1u << 26) != 0) {
        core_pend(core, CORE_SYSTICK);
    } else if ((value & 1u << 25) != 0) {
        core_unpend(core, CORE_SYSTICK);
    }
}

static void write_aircr(struct core *core, uint32_t value)
{
    if (value >> 16 != VECTKEY) {
        core_complain(core, "write of AIRCR without the key");
        return;
    }
    core->system.prigroup = value >> 8 & 7u;
    if ((value & 1u << 2) != 0) {
        core->resets = true;
    }
    if ((value & 3u) != 0) {
        core_complain(core, "AIRCR: VECTRESET or VECTCLRACTIVE");
    }
    core_priority_changed(core);
}

static uint32_t flag(const uint32_t *set, unsigned exception, unsigned bit)
{
    return bit != NONE && core_test(set, exception) ? 1u << bit : 0;
}

static uint32_t shcsr(const struct core *core)
{
    const struct core_exceptions *x = &core->exceptions;
    uint32_t value = 0;

    for (unsigned i = 0; i < HANDLERS; ++i) {
        value |= flag(x->active, handlers[i].exception, handlers[i].active) |
                 flag(x->pending, handlers[i].exception, handlers[i].pended) |
                 flag(x->enabled, handlers[i].exception, handlers[i].enabled);
    }
    return value;
}

static void write_shcsr(struct core *core, uint32_t value)
{
    for (unsigned i = 0; i < HANDLERS; ++i) {
        unsigned exception = handlers[i].exception;

        if (handlers[i].enabled != NONE) {
            core_enable(core, exception,
                        (value >> handlers[i].enabled & 1u) != 0);
        }
        if (handlers[i].pended == NONE) {
            continue;
        }
        if ((value >> handlers[i].pended & 1u) != 0) {
            core_pend(core, exception);
        } else {
            core_unpend(core, exception);
        }
    }
    if (((value ^ shcsr(core)) & 0xfffu) != 0) {
        core_complain(core, "write of an active bit of SHCSR");
    }
}

static void write_ccr(struct core *core, uint32_t value)
{
    const uint32_t known = CORE_CCR_NONBASETHRDENA | CORE_CCR_UNALIGN_TRP |
                           CORE_CCR_DIV_0_TRP | CORE_CCR_STKALIGN | 1u << 1 |
                           1u << 8;

    if ((value & ~known) != 0) {
        core_complain(core, "reserved bits of CCR");
    }
    if ((value & 1u << 8) != 0) {
        core_complain(core, "CCR.BFHFNMIGN is not modelled");
    }
    core->system.ccr = value & known;
}

/* ---- all of them ---- */

static uint32_t read_control(struct core *core, uint32_t address)
{
    const struct core_system *s = &core->system;

    switch (address) {
    case 0xe000ed00u:
        return 0x410fc241u; /* CPUID: r0p1 */
    case 0xe000ed04u:
        return icsr(core);
    case 0xe000ed08u:
        return s->vtor;
    case 0xe000ed0cu:
        return VECTKEY_READ << 16 | s->prigroup << 8;
    case 0xe000ed14u:
        return s->ccr;
    case 0xe000ed24u:
        return shcsr(core);
    case 0xe000ed28u:
        return s->cfsr;
    case 0xe000ed2cu:
        return s->hfsr;
    case 0xe000ed34u:
        return s->mmfar;
    case 0xe000ed38u:
        return s->bfar;
    default:
        core_complain(core, "read of a system register that is not modelled");
        return 0;
    }
}

static uint32_t read_word(struct core *core, uint32_t address)
{
    if (address >= 0xe000e100u && address < 0xe000e380u) {
        return nvic_read(core, address);
    }
    switch (address) {
    case 0xe000e004u: /* ICTR */
        return (CORE_IRQS - 1u) / 32u;
    case 0xe000e008u: /* ACTLR */
    case 0xe000ed30u: /* DFSR */
    case 0xe000ed3cu: /* AFSR */
    case 0xe000ed88u: /* CPACR: no coprocessor */
    case 0xe000edf0u: /* DHCSR: no debugger */
        return 0;
    case 0xe000e010u:
    case 0xe000e014u:
    case 0xe000e018u:
    case 0xe000e01cu:
        return tick_read(core, address);
    default:
        return read_control(core, address);
    }
}

void core_system_read(struct core *core, uint32_t address, unsigned bytes,
                      uint32_t *value)
{
    unsigned exception;

    *value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        if (!priority_bytes(address + i, &exception)) {
            if (i == 0) {
                *value = read_word(core, address & ~3u) >>
                         8u * (address & 3u) << (32u - 8u * bytes) >>
                         (32u - 8u * bytes);
            }
            return;
        }
        *value |= (uint32_t)core->exceptions.of[exception] << 8 * i;
    }
}

static void write_control(struct core *core, uint32_t address, uint32_t value)
{
    struct core_system *s = &core->system;

    switch (address) {
    case 0xe000ed04u:
        write_icsr(core, value);
        break;
    case 0xe000ed08u:
        s->vtor = value & 0xffffff80u;
        break;
    case 0xe000ed0cu:
        write_aircr(core, value);
        break;
    case 0xe000ed14u:
        write_ccr(core, value);
        break;
    case 0xe000ed24u:
        write_shcsr(core, value);
        break;
    case 0xe000ed28u:
        s->cfsr &= ~value;
        break;
    case 0xe000ed2cu:
        s->hfsr &= ~value;
        break;
    case 0xe000ed34u:
        s->mmfar = value;
        break;
    case 0xe000ed38u:
        s->bfar = value;
        break;
    default:
        core_complain(core, "write of a system register that is not modelled");
        break;
    }
}

static void write_word(struct core *core, uint32_t address, uint32_t value)
{
    if (address >= 0xe000e100u && address < 0xe000e380u) {
        nvic_write(core, address, value);
    } else if (address >= 0xe000e010u && address < 0xe000e020u) {
        tick_write(core, address, value);
    } else if (address == 0xe000ef00u) { /* STIR */
        if ((value & 0x1ffu) < CORE_IRQS) {
            core_pend(core, CORE_FIRST_IRQ + (value & 0x1ffu));
        }
    } else {
        write_control(core, address, value);
    }
}

void core_system_write(struct core *core, uint32_t address, unsigned bytes,
                       uint32_t value)
{
    unsigned exception;

    if (priority_bytes(address, &exception)) {
        for (unsigned i = 0; i < bytes; ++i) {
            if (priority_bytes(address + i, &exception)) {
                core_set_priority(core, exception, (uint8_t)(value >> 8 * i));
            }
        }
        return;
    }
    if ((address & ~3u) == 0xe000ed28u) { /* CFSR: 1 clears, bit by bit */
        value <<= 8u * (address & 3u);
    } else if (bytes != 4) {
        core_complain(core, "part of a system register written");
    }
    write_word(core, address & ~3u, value);
}
