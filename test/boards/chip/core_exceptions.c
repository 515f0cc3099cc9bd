/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/core_exceptions.h"

#include "test/boards/chip/core_memory.h"
#include "test/boards/chip/core_state.h"

#define ENTRY_CYCLES 12u
#define RETURN_CYCLES 10u
#define CHAIN_CYCLES 6u

#define FRAME_WORDS 8u
#define FRAME_PADDED (1u << 9) /* of the stacked xPSR */

#define IDLE_PRIORITY 256 /* no handler, nothing masked */

#define RETURN_TO_HANDLER 0xfffffff1u
#define RETURN_TO_THREAD 0xfffffff9u

/* ---- priorities ---- */

static int priority_of(const struct core *core, unsigned exception)
{
    return exception == CORE_HARD_FAULT ? -1 : core->exceptions.of[exception];
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int execution_priority(const struct core *core, bool with_primask)
{
    int priority = IDLE_PRIORITY;

    for (unsigned word = 0; word < 4; ++word) {
        uint32_t left = core->exceptions.active[word];

        for (; left != 0; left &= left - 1u) {
            unsigned exception = 32u * word + (unsigned)__builtin_ctz(left);

            priority = least(priority, priority_of(core, exception));
        }
    }
    if (core->basepri != 0) {
        priority = least(priority, (int)core->basepri);
    }
    if (core->primask != 0 && with_primask) {
        priority = least(priority, 0);
    }
    return priority;
}

/* The exception that would be taken next, whatever executes now; 0: none. */
static unsigned next_pending(const struct core *core)
{
    const struct core_exceptions *x = &core->exceptions;
    unsigned best = 0;

    for (unsigned word = 0; word < 4; ++word) {
        uint32_t left = x->pending[word] & x->enabled[word];

        for (; left != 0; left &= left - 1u) {
            unsigned exception = 32u * word + (unsigned)__builtin_ctz(left);

            if (best == 0 ||
                priority_of(core, exception) < priority_of(core, best)) {
                best = exception;
            }
        }
    }
    return best;
}

static bool preempts(const struct core *core, unsigned exception, int priority)
{
    return exception != 0 && priority_of(core, exception) < priority;
}

/* ---- how long levels are held ---- */

/* From now on instructions execute with this priority; levels that are as
   urgent or less are held. */
static void hold(struct core *core, int priority)
{
    core->exceptions.priority = priority;
    for (unsigned level = 0; level < CORE_PRIORITIES; ++level) {
        uint64_t *since = &core->exceptions.held_since[level];
        uint64_t *most = &core->held_max[level];
        bool held = (int)level << 4 >= priority;

        if (held && *since == CORE_NOT_HELD) {
            *since = core->cycle;
        } else if (!held && *since != CORE_NOT_HELD) {
            *most = core->cycle - *since > *most ? core->cycle - *since : *most;
            *since = CORE_NOT_HELD;
        }
    }
}

void core_priority_changed(struct core *core)
{
    hold(core, execution_priority(core, true));
    core->limit = 0;
}

void core_forget(struct core *core)
{
    struct core_exceptions *x = &core->exceptions;

    memset(core->held_max, 0, sizeof core->held_max);
    for (unsigned i = 0; i < CORE_PRIORITIES; ++i) {
        if (x->held_since[i] != CORE_NOT_HELD) {
            x->held_since[i] = core->cycle;
        }
    }
}

/* ---- pending and enabled ---- */

static bool has(const uint32_t *set, unsigned exception)
{
    return (set[exception / 32u] >> exception % 32u & 1u) != 0;
}

static void set_bit(uint32_t *set, unsigned exception, bool value)
{
    uint32_t bit = 1u << exception % 32u;

    set[exception / 32u] =
        value ? set[exception / 32u] | bit : set[exception / 32u] & ~bit;
}

void core_pend(struct core *core, unsigned exception)
{
    set_bit(core->exceptions.pending, exception, true);
    core->limit = 0;
}

/* A request that is high and not being served stays pending. */
void core_unpend(struct core *core, unsigned exception)
{
    struct core_exceptions *x = &core->exceptions;

    if (!has(x->high, exception) || has(x->active, exception)) {
        set_bit(x->pending, exception, false);
    }
}

void core_enable(struct core *core, unsigned exception, bool enabled)
{
    set_bit(core->exceptions.enabled, exception, enabled);
    core->limit = 0;
}

void core_set_priority(struct core *core, unsigned exception, uint8_t priority)
{
    core->exceptions.of[exception] = priority & 0xf0u;
    core_priority_changed(core);
}

void core_set_irq(struct core *core, unsigned irq, bool high)
{
    struct core_exceptions *x = &core->exceptions;
    unsigned exception = CORE_FIRST_IRQ + irq;

    if (irq >= CORE_IRQS || has(x->high, exception) == high) {
        return;
    }
    set_bit(x->high, exception, high);
    if (high) {
        core_pend(core, exception);
    }
}

void core_exceptions_reset(struct core *core)
{
    struct core_exceptions *x = &core->exceptions;
    uint32_t high[4];

    memcpy(high, x->high, sizeof high);
    memset(x, 0, sizeof *x);
    memcpy(x->high, high, sizeof high);
    x->enabled[0] = 1u << CORE_HARD_FAULT | 1u << CORE_SYSTICK;
    for (unsigned i = 0; i < CORE_PRIORITIES; ++i) {
        x->held_since[i] = CORE_NOT_HELD;
    }
    x->priority = IDLE_PRIORITY;
}

/* ---- entry ---- */

/* In place of a fault of its own, which no image enables. */
static void pend_hard_fault(struct core *core, uint32_t cfsr)
{
    core->system.cfsr |= cfsr;
    core->system.hfsr |= CORE_HFSR_FORCED;
    core_pend(core, CORE_HARD_FAULT);
}

/* Leaves r[13] behind the frame. One that could not be pushed is a fault, which
   competes with the exception at the end of the entry. */
static void push_frame(struct core *core)
{
    bool pad = (core->r[13] & 4u) != 0, pushed = true;
    uint32_t words[FRAME_WORDS] = {core->r[0],  core->r[1],    core->r[2],
                                   core->r[3],  core->r[12],   core->r[14],
                                   core->r[15], core_psr(core)};

    words[7] = (words[7] & ~FRAME_PADDED) | (pad ? FRAME_PADDED : 0);
    core->exceptions.entry_lr =
        core->exception != 0 ? RETURN_TO_HANDLER : RETURN_TO_THREAD;
    core->r[13] -= 4u * FRAME_WORDS + (pad ? 4u : 0u);
    for (unsigned i = 0; i < FRAME_WORDS; ++i) {
        pushed = core_write(core, core->r[13] + 4u * i, 4, words[i]) && pushed;
    }
    if (!pushed) {
        pend_hard_fault(core, CORE_CFSR_STKERR);
    }
}

static void begin_entry(struct core *core, unsigned exception, bool chained)
{
    struct core_exceptions *x = &core->exceptions;

    x->entering = true;
    x->entry_ends = core->cycle + (chained ? CHAIN_CYCLES : ENTRY_CYCLES);
    if (!chained) {
        push_frame(core);
    }
    hold(core, priority_of(core, exception));
    core->limit = 0;
}

/* Reads the vector as part of the entry's cycles. */
static void jump_to_vector(struct core *core, unsigned exception)
{
    uint32_t at = core->system.vtor + 4u * exception, low, high;

    if (!core_code_halfword(core, at, &low) ||
        !core_code_halfword(core, at + 2u, &high) || (low & 1u) == 0) {
        core_stop(core, "vector", at);
        return;
    }
    core->r[15] = (high << 16 | low) & ~1u;
}

static void finish_entry(struct core *core)
{
    struct core_exceptions *x = &core->exceptions;
    unsigned exception = next_pending(core);

    x->entering = false;
    set_bit(x->pending, exception, false);
    set_bit(x->active, exception, true);
    core->exception = exception;
    core->r[14] = x->entry_lr;
    core->it = 0;
    core->it_at = 0;
    core_priority_changed(core);
    jump_to_vector(core, exception);
}

/* ---- return ---- */

static void deactivate(struct core *core, unsigned exception)
{
    struct core_exceptions *x = &core->exceptions;

    set_bit(x->active, exception, false);
    if (has(x->high, exception)) {
        core_pend(core, exception);
    }
}

/* Enters an exception in place of the return: the frame of what was
   interrupted first stays where it is. An interrupt that is as urgent could
   have begun now; what is less urgent is held on. */
static void chain(struct core *core, unsigned exception, uint32_t exc_return)
{
    int priority = priority_of(core, exception);

    hold(core, least(execution_priority(core, true), priority + 1));
    core->exceptions.entry_lr = exc_return;
    begin_entry(core, exception, true);
}

static void restore(struct core *core, const uint32_t *words)
{
    core->r[13] += 4u * FRAME_WORDS;
    if ((words[7] & FRAME_PADDED) != 0) {
        core->r[13] += 4u;
    }
    memcpy(core->r, words, 4 * sizeof *words);
    core->r[12] = words[4];
    core->r[14] = words[5];
    core->r[15] = words[6] & ~1u;
    core_set_psr(core, words[7]);
    core->exception = words[7] & 0x1ffu;
}

static void unstack(struct core *core, uint32_t exc_return)
{
    uint32_t words[FRAME_WORDS];
    bool popped = true;

    for (unsigned i = 0; i < FRAME_WORDS; ++i) {
        popped = core_read(core, core->r[13] + 4u * i, 4, &words[i]) && popped;
    }
    if (!popped ||
        ((words[7] & 0x1ffu) != 0) != (exc_return == RETURN_TO_HANDLER)) {
        core_stop(core, "exception return with the frame", core->r[13]);
        return;
    }
    restore(core, words);
    core->it_at = 0;
    core->cycle += RETURN_CYCLES;
    core_priority_changed(core);
}

void core_exception_return(struct core *core, uint32_t exc_return)
{
    unsigned next;

    if (exc_return != RETURN_TO_HANDLER && exc_return != RETURN_TO_THREAD) {
        core_stop(core, "exception return", exc_return);
        return;
    }
    core_tick(core);
    deactivate(core, core->exception);
    next = next_pending(core);
    if (preempts(core, next, execution_priority(core, true))) {
        chain(core, next, exc_return);
    } else {
        unstack(core, exc_return);
    }
}

/* ---- faults ---- */

void core_stop(struct core *core, const char *what, uint32_t which)
{
    if (core->missing == NULL) {
        core->missing = what;
        core->missing_which = which;
        core->missing_pc = core->at;
    }
    core->limit = 0;
}

void core_fault(struct core *core, uint32_t cfsr)
{
    core->system.cfsr |= cfsr;
    core->fault = true;
    core->r[15] = core->at;
    core->it = core->it_at;
    core->limit = 0;
}

void core_bus_fault(struct core *core, uint32_t address)
{
    if (!core->fault) {
        core->system.bfar = address;
        core_fault(core, CORE_CFSR_PRECISERR | CORE_CFSR_BFARVALID);
    }
}

void core_bus_fault_later(struct core *core)
{
    core->imprecise_at = core->cycle + 1u;
    if (core->limit > core->imprecise_at) {
        core->limit = core->imprecise_at;
    }
}

void core_bus_fault_now(struct core *core)
{
    if (core->imprecise_at != 0) {
        core->imprecise_at = 0;
        pend_hard_fault(core, CORE_CFSR_IMPRECISERR);
    }
}

static void take_fault(struct core *core)
{
    core->fault = false;
    if (core->exceptions.priority <= -1) {
        core->locked_up = true;
    } else {
        pend_hard_fault(core, 0);
        begin_entry(core, CORE_HARD_FAULT, false);
    }
}

/* ---- sleep ---- */

/* An interrupt that would wake the core is not held by the sleep, though its
   handler may be, by PRIMASK. */
void core_sleep(struct core *core)
{
    int priority = execution_priority(core, false);

    core->sleeping = true;
    if (priority > core->exceptions.priority) {
        hold(core, priority);
    }
    core->limit = 0;
}

/* WFI ignores PRIMASK (B1.5.19), so that what wakes it may be served later. */
static bool wakes(struct core *core)
{
    return preempts(core, next_pending(core), execution_priority(core, false));
}

/* Result: false: nothing wakes it before core->until. */
static bool sleep_on(struct core *core)
{
    while (!wakes(core)) {
        uint64_t next = core_tick_next(core);

        if (core->cycle >= core->until) {
            return false;
        }
        next = next > core->until ? core->until : next;
        core->slept += next - core->cycle;
        core->cycle = next;
        core_tick(core);
    }
    core->sleeping = false;
    hold(core, execution_priority(core, true));
    return true;
}

/* ---- between instructions ---- */

/* The frame may be pushed when `until` has come, and the vector not read: an
   interrupt that the caller then requests may still be the one taken. */
static bool go_on_entering(struct core *core, enum core_event *event)
{
    uint64_t ends = core->exceptions.entry_ends;

    core_stand_until(core, core->until < ends ? core->until : ends);
    if (core->until < ends) {
        *event = CORE_RAN;
        return false;
    }
    core_tick(core);
    finish_entry(core);
    return true;
}

static bool stands_still(struct core *core, enum core_event *event)
{
    if (core->missing != NULL) {
        *event = CORE_STOPS;
        return true;
    }
    if (core->resets) {
        *event = CORE_RESETS;
        return true;
    }
    if (core->locked_up) {
        core_stand_until(core, core->until);
        *event = CORE_LOCKED_UP;
        return true;
    }
    if (core->sleeping && !sleep_on(core)) {
        *event = CORE_SLEEPS;
        return true;
    }
    return false;
}

static void take_what_is_due(struct core *core)
{
    unsigned next;

    if (core->fault) {
        take_fault(core);
        return;
    }
    next = next_pending(core);
    if (preempts(core, next, core->exceptions.priority)) {
        begin_entry(core, next, false);
        return;
    }
    core->limit = core->until;
    if (core_tick_next(core) < core->limit) {
        core->limit = core_tick_next(core);
    }
    if (core->imprecise_at != 0 && core->imprecise_at < core->limit) {
        core->limit = core->imprecise_at;
    }
}

bool core_attend(struct core *core, enum core_event *event)
{
    core->limit = 0;
    core_tick(core);
    if (core->cycle >= core->imprecise_at) {
        core_bus_fault_now(core);
    }
    if (stands_still(core, event)) {
        return false;
    }
    if (core->exceptions.entering) {
        return go_on_entering(core, event);
    }
    if (core->cycle >= core->until) {
        *event = CORE_RAN;
        return false;
    }
    take_what_is_due(core);
    return true;
}
