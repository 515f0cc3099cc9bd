/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/core_flash.h"

#include "test/boards/chip/core_memory.h"

#define LINE_SHIFT 4
#define INSTRUCTION_LINES 64u
#define DATA_LINES 8u

/* Begins to read a line as soon as the flash is free; result: the first cycle
   in which it can be used. */
static uint64_t begin_read(struct core *core)
{
    struct core_accelerator *a = &core->accelerator;
    uint64_t from = a->free_at > core->cycle ? a->free_at : core->cycle;

    a->free_at = from + core->flash.wait_states + 1u;
    return a->free_at - 1u;
}

static void stall_until(struct core *core, uint64_t cycle)
{
    if (cycle > core->cycle) {
        core->cycle = cycle;
    }
}

/* Where the instruction cache has the line; INSTRUCTION_LINES: nowhere. */
static uint32_t find(const struct core *core, uint32_t line)
{
    uint32_t slot = core->accelerator.slot[line % CORE_FLASH_LINES];

    return core->accelerator.instruction_lines[slot] == line
               ? slot
               : INSTRUCTION_LINES;
}

static uint32_t least_recent(const uint64_t *used, uint32_t count)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < count; ++i) {
        if (used[i] < used[best]) {
            best = i;
        }
    }
    return best;
}

static void keep(struct core *core, uint32_t line)
{
    struct core_accelerator *a = &core->accelerator;
    uint32_t slot = least_recent(a->instruction_used, INSTRUCTION_LINES);

    a->instruction_lines[slot] = line;
    a->slot[line % CORE_FLASH_LINES] = (uint8_t)slot;
    a->instruction_used[slot] = ++a->uses;
}

static bool cache_has(struct core *core, uint32_t line)
{
    uint32_t slot;

    if (!core->flash.instruction_cache) {
        return false;
    }
    slot = find(core, line);
    if (slot == INSTRUCTION_LINES) {
        return false;
    }
    core->accelerator.instruction_used[slot] = ++core->accelerator.uses;
    return true;
}

static void prefetch(struct core *core, uint32_t line)
{
    struct core_accelerator *a = &core->accelerator;

    if (!core->flash.prefetch || a->prefetched == line ||
        (core->flash.instruction_cache &&
         find(core, line) != INSTRUCTION_LINES)) {
        return;
    }
    a->prefetched = line;
    a->prefetched_at = begin_read(core);
}

static void enter_line(struct core *core, uint32_t line)
{
    struct core_accelerator *a = &core->accelerator;

    core->line = line;
    if (!cache_has(core, line)) {
        if (a->prefetched == line) {
            stall_until(core, a->prefetched_at);
        } else {
            stall_until(core, begin_read(core));
        }
        if (core->flash.instruction_cache) {
            keep(core, line);
        }
    }
    prefetch(core, line + 1u);
}

void core_flash_fetch(struct core *core, const struct core_instruction *of)
{
    uint32_t offset, first, last;

    if (of->line != CORE_MANY_LINES) {
        enter_line(core, of->line);
        return;
    }
    if (!core_in_flash(core, of->key & ~1u, &offset)) {
        core->line = CORE_NO_LINE;
        return;
    }
    first = offset >> LINE_SHIFT;
    last = (offset + of->bytes - 2u) >> LINE_SHIFT;
    if (first != core->line) {
        enter_line(core, first);
    }
    if (last != first) {
        enter_line(core, last);
    }
}

void core_flash_data(struct core *core, uint32_t offset)
{
    struct core_accelerator *a = &core->accelerator;
    uint32_t line = offset >> LINE_SHIFT, slot;

    if (!core->flash.data_cache) {
        stall_until(core, begin_read(core));
        return;
    }
    for (slot = 0; slot < DATA_LINES; ++slot) {
        if (a->data_lines[slot] == line) {
            a->data_used[slot] = ++a->uses;
            return;
        }
    }
    stall_until(core, begin_read(core));
    slot = least_recent(a->data_used, DATA_LINES);
    a->data_lines[slot] = line;
    a->data_used[slot] = ++a->uses;
}

void core_set_flash(struct core *core, const struct core_flash *flash)
{
    core->flash = *flash;
}

void core_flush(struct core *core, bool instructions, bool data)
{
    struct core_accelerator *a = &core->accelerator;

    for (unsigned i = 0; instructions && i < INSTRUCTION_LINES; ++i) {
        a->instruction_lines[i] = CORE_NO_LINE;
        a->instruction_used[i] = 0;
    }
    for (unsigned i = 0; data && i < DATA_LINES; ++i) {
        a->data_lines[i] = CORE_NO_LINE;
        a->data_used[i] = 0;
    }
}

void core_flash_reset(struct core *core)
{
    core_flush(core, true, true);
    core->line = CORE_NO_LINE;
    core->accelerator.prefetched = CORE_NO_LINE;
    core->accelerator.free_at = 0;
}
