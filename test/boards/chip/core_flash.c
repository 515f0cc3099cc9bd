/* SPDX-License-Identifier: Apache-2.0 */

#include "test/boards/chip/core_memory.h"
#include "test/boards/chip/core_state.h"

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

/* Where the instruction cache has the line; INSTRUCTION_LINES: nowhere. */
static uint32_t find(const struct core *core, uint32_t line)
{
    uint32_t slot = core->accelerator.slot[line % CORE_FLASH_LINES];

    return core->flash.instruction_cache &&
                   core->accelerator.instruction_lines[slot] == line
               ? slot
               : INSTRUCTION_LINES;
}

/* Lines by their last use: a ring, in which the newest follows the oldest. */
static void use(struct core_accelerator *a, uint32_t slot)
{
    uint8_t newer = a->newer[slot];
    uint8_t older = a->older[slot];
    uint8_t oldest = a->newer[a->newest];

    if (slot != oldest && slot != a->newest) {
        a->older[newer] = older;
        a->newer[older] = newer;
        a->older[slot] = a->newest;
        a->newer[slot] = oldest;
        a->newer[a->newest] = (uint8_t)slot;
        a->older[oldest] = (uint8_t)slot;
    }
    a->newest = (uint8_t)slot;
}

/* In place of the line that was used least recently. */
static void keep(struct core_accelerator *a, uint32_t line)
{
    a->newest = a->newer[a->newest];
    a->instruction_lines[a->newest] = line;
    a->slot[line % CORE_FLASH_LINES] = a->newest;
}

static void prefetch(struct core *core, uint32_t line)
{
    struct core_accelerator *a = &core->accelerator;

    if (core->flash.prefetch && a->prefetched != line &&
        find(core, line) == INSTRUCTION_LINES) {
        a->prefetched = line;
        a->prefetched_at = begin_read(core);
    }
}

static void enter_line(struct core *core, uint32_t line)
{
    struct core_accelerator *a = &core->accelerator;
    uint32_t slot = find(core, line);

    core->line = line;
    if (slot != INSTRUCTION_LINES) {
        use(a, slot);
    } else {
        core_stand_until(core, a->prefetched == line ? a->prefetched_at
                                                     : begin_read(core));
        if (core->flash.instruction_cache) {
            keep(a, line);
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
    uint32_t line = offset >> LINE_SHIFT, oldest = 0;

    for (uint32_t i = 0; core->flash.data_cache && i < DATA_LINES; ++i) {
        if (a->data_lines[i] == line) {
            a->data_used[i] = ++a->uses;
            return;
        }
        oldest = a->data_used[i] < a->data_used[oldest] ? i : oldest;
    }
    core_stand_until(core, begin_read(core));
    if (core->flash.data_cache) {
        a->data_lines[oldest] = line;
        a->data_used[oldest] = ++a->uses;
    }
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
        a->newer[i] = (uint8_t)((i + 1) % INSTRUCTION_LINES);
        a->older[i] =
            (uint8_t)((i + INSTRUCTION_LINES - 1) % INSTRUCTION_LINES);
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
