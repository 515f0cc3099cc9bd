/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/core.h"

#include "test/boards/chip/core_exceptions.h"
#include "test/boards/chip/core_execute.h"
#include "test/boards/chip/core_forms.h"
#include "test/boards/chip/core_memory.h"
#include "test/boards/chip/core_state.h"

#include <string.h>

static void forget_code(struct core *core)
{
    for (unsigned i = 0; i < CORE_DECODED; ++i) {
        core->decoded[i].key = CORE_NO_KEY;
    }
}

void core_init(struct core *core, const struct core_config *config)
{
    memset(core, 0, sizeof *core);
    core->config = *config;
    core->decoded = core->own;
    forget_code(core);
    core_reset(core);
}

void core_share(struct core *core, const struct core *other)
{
    core->decoded = other->decoded;
}

void core_reset(struct core *core)
{
    uint32_t words[2];

    memcpy(words, core->config.flash, sizeof words);
    memset(core->r, 0, sizeof core->r);
    memset(&core->system, 0, sizeof core->system);
    core->system.ccr = CORE_CCR_STKALIGN;
    core->primask = core->basepri = 0;
    core->exception = 0;
    core->fault = false;
    core->imprecise_at = 0;
    core->piped_at = UINT64_MAX;
    core->it = core->it_at = 0;
    core->sleeping = core->resets = core->locked_up = false;
    core_set_psr(core, CORE_PSR_T);
    core_exceptions_reset(core);
    core_flash_reset(core);
    core->r[13] = words[0] & ~3u;
    core->r[14] = 0xffffffffu;
    core->r[15] = words[1] & ~1u;
    core->xpsr = core_psr(core);
}

static __attribute__((noinline)) const struct core_instruction *
decoded(struct core *core, uint32_t key)
{
    struct core_instruction *at = &core->decoded[key / 2u % CORE_DECODED];

    core_decode(at, core, key);
    return at;
}

static bool add_mark(struct core *core, uint32_t at, uint32_t call)
{
    struct core_marks *marks = core->config.marks;

    for (uint32_t i = 0; i < marks->count; ++i) {
        if (marks->mark[i].at == at) {
            return true;
        }
    }
    if (marks->count == CORE_MARKS) {
        return false;
    }
    marks->mark[marks->count].at = at;
    marks->mark[marks->count++].call = call;
    core->decoded[at / 2u % CORE_DECODED].key = CORE_NO_KEY;
    return true;
}

bool core_mark(struct core *core, uint32_t address)
{
    return add_mark(core, address, address);
}

/* Where the function will return to is marked when it is called. */
void core_op_marked(struct core *core, const struct core_instruction *of)
{
    const struct core_config *config = &core->config;
    uint32_t at = of->key & ~1u;
    struct core_instruction plain;

    core_decode_plain(&plain, core, of->key);
    for (uint32_t i = 0; i < config->marks->count; ++i) {
        uint32_t call = config->marks->mark[i].call;

        if (config->marks->mark[i].at == at) {
            config->passed(config->context, call, call != at);
            if (call == at && !add_mark(core, core->r[14] & ~1u, call)) {
                core_stop(core, "room for one more mark", at);
            }
            break;
        }
    }
    plain.execute(core, &plain);
}

static void charge(struct core *core, uint32_t address, uint64_t cycles)
{
    uint32_t offset;

    if (core_in_flash(core, address, &offset)) {
        core->config.spent[offset / 2u] += cycles;
    }
}

/* The instruction if its condition in the IT block holds. What it faults with
   finds ITSTATE as it was before (it_at). */
static __attribute__((noinline)) void
execute_in_it(struct core *core, const struct core_instruction *of)
{
    uint32_t it = core->it;
    uint32_t next = (it & 7u) == 0 ? 0 : (it & 0xe0u) | (it << 1 & 0x1fu);
    uint32_t after = core->r[15];

    core->it = next;
    if (core_holds(core, it >> 4)) {
        core->it_at = it;
        of->execute(core, of);
        core->it_at = 0;
        if (next != 0 && core->r[15] != after && !core->fault) {
            core_stop(core, "branch within an IT block", core->at);
        }
    } else {
        core->cycle = core->cycle + 1u - of->cycles;
    }
}

/* One instruction, whatever it is. */
static inline void step(struct core *core)
{
    uint32_t pc = core->r[15], key = pc | (core->it != 0 ? 1u : 0u);
    const struct core_instruction *of = &core->decoded[pc / 2u % CORE_DECODED];

    if (__builtin_expect(of->key != key, false)) {
        of = decoded(core, key);
    }
    if (__builtin_expect(of->line != core->line, false)) {
        core_flash_fetch(core, of);
    }
    core->at = pc;
    core->r[15] = pc + of->bytes;
    core->cycle += of->cycles;
    if (__builtin_expect((key & 1u) == 0, true)) {
        of->execute(core, of);
    } else {
        execute_in_it(core, of);
    }
}

static void run_on(struct core *core)
{
    uint64_t count = 0;

    for (; core->cycle < core->limit; ++count) {
        step(core);
    }
    core->instructions += count;
}

static void run_on_charging(struct core *core)
{
    for (; core->cycle < core->limit; core->instructions += 1) {
        uint64_t from = core->cycle;

        step(core);
        charge(core, core->at, core->cycle - from);
    }
}

enum core_event core_run(struct core *core, uint64_t until)
{
    enum core_event event;

    core->until = until;
    core_set_psr(core, core->xpsr);
    core->exception = core->xpsr & 0x1ffu;
    while (core_attend(core, &event)) {
        if (core->config.spent != NULL) {
            run_on_charging(core);
        } else {
            run_on(core);
        }
    }
    core->xpsr = core_psr(core);
    return event;
}
