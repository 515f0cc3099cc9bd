/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores. Cycles: a load of one value takes 2, or 1 if it directly
 * follows another such load or store; a store 1; of N words 1 + N. Unaligned
 * ones take one more; what a bus or the flash makes wait is added.
 */
#include "test/boards/chip/core_exceptions.h"
#include "test/boards/chip/core_execute.h"
#include "test/boards/chip/core_memory.h"

/* The fixed cycle of the instruction under way is charged already. */
static inline void begin_load(struct core *core)
{
    if (core->piped_at + 1u != core->cycle) {
        core->cycle += 1;
    }
}

static inline void end_access(struct core *core)
{
    core->piped_at = core->cycle;
}

/* ---- what is done at an address; false: a fault ---- */

#define LOAD(name, bytes, type)                                                \
    static inline bool name(struct core *core,                                 \
                            const struct core_instruction *of,                 \
                            uint32_t address)                                  \
    {                                                                          \
        uint32_t value;                                                        \
                                                                               \
        begin_load(core);                                                      \
        if (!core_load_quick(core, address, bytes, &value)) {                  \
            return false;                                                      \
        }                                                                      \
        end_access(core);                                                      \
        core->r[of->rd] = (uint32_t)(type)value;                               \
        return true;                                                           \
    }

LOAD(ldrb, 1, uint8_t)
LOAD(ldrh, 2, uint16_t)
LOAD(ldrsb, 1, int8_t)
LOAD(ldrsh, 2, int16_t)
LOAD(ldr, 4, uint32_t)

#define STORE(name, bytes)                                                     \
    static inline bool name(struct core *core,                                 \
                            const struct core_instruction *of,                 \
                            uint32_t address)                                  \
    {                                                                          \
        core_store_quick(core, address, bytes, core->r[of->rd]);               \
        end_access(core);                                                      \
        return true;                                                           \
    }

STORE(str, 4)
STORE(strb, 1)
STORE(strh, 2)

/* The branch waits until the base is written back. */
static inline bool ldr_pc(struct core *core, const struct core_instruction *of,
                          uint32_t address)
{
    begin_load(core);
    (void)of;
    return core_load_quick(core, address, 4, &core->loaded);
}

static bool is_aligned(struct core *core, uint32_t address)
{
    if ((address & 3u) != 0) {
        core_stop(core, "unaligned access", address);
        return false;
    }
    return true;
}

static bool ldrd(struct core *core, const struct core_instruction *of,
                 uint32_t address)
{
    uint32_t low, high;

    if (!is_aligned(core, address) ||
        !core_load_quick(core, address, 4, &low) ||
        !core_load_quick(core, address + 4u, 4, &high)) {
        return false;
    }
    core->r[of->rd] = low;
    core->r[of->ra] = high;
    return true;
}

static bool strd(struct core *core, const struct core_instruction *of,
                 uint32_t address)
{
    if (!is_aligned(core, address)) {
        return false;
    }
    core_store_quick(core, address, 4, core->r[of->rd]);
    core_store_quick(core, address + 4u, 4, core->r[of->ra]);
    return true;
}

/* ---- the same with each way to form an address ---- */

#define NOTHING (void)0
#define JUMP core_branch_exchange(core, core->loaded)
#define WRITE_BACK core->r[of->rn] += of->imm

/* x is the base, y the index. */
#define MODE(name, mode, address, ...)                                         \
    CORE_OP(                                                                   \
        name##_##mode, if (name(core, of, address)) { __VA_ARGS__; })
#define MODES(name, then)                                                      \
    MODE(name, imm, x + of->imm, then)                                         \
    MODE(name, reg, x + (y << of->shift), then)                                \
    MODE(name, pre, x + of->imm, WRITE_BACK; then)                             \
    MODE(name, post, x, WRITE_BACK; then)
#define LITERAL(name) MODE(name, literal, of->imm, NOTHING)

MODES(str, NOTHING)
MODES(strb, NOTHING)
MODES(strh, NOTHING)
MODES(strd, NOTHING)
MODES(ldr, NOTHING)
MODES(ldrb, NOTHING)
MODES(ldrh, NOTHING)
MODES(ldrsb, NOTHING)
MODES(ldrsh, NOTHING)
MODES(ldrd, NOTHING)
MODES(ldr_pc, JUMP)
LITERAL(ldr)
LITERAL(ldrb)
LITERAL(ldrh)
LITERAL(ldrsb)
LITERAL(ldrsh)
LITERAL(ldrd)

/* ---- lists ---- */

static uint32_t list_start(const struct core *core,
                           const struct core_instruction *of)
{
    return core->r[of->rn] - ((of->ra & CORE_LIST_DOWN) != 0 ? of->rd : 0u);
}

static void list_write_back(struct core *core,
                            const struct core_instruction *of)
{
    uint32_t bytes = of->rd;

    if ((of->ra & CORE_LIST_WRITE_BACK) != 0) {
        core->r[of->rn] += (of->ra & CORE_LIST_DOWN) != 0 ? -bytes : bytes;
    }
}

/* A fault half way leaves all registers as they were. */
void core_op_ldm(struct core *core, const struct core_instruction *of)
{
    uint32_t address = list_start(core, of), words[16], count = 0;

    if (!is_aligned(core, address)) {
        return;
    }
    for (uint32_t left = of->imm; left != 0; left &= left - 1u) {
        if (!core_load_quick(core, address + 4u * count, 4, &words[count])) {
            return;
        }
        ++count;
    }
    list_write_back(core, of);
    count = 0;
    for (uint32_t left = of->imm & 0x7fffu; left != 0; left &= left - 1u) {
        core->r[__builtin_ctz(left)] = words[count++];
    }
    if ((of->imm & 0x8000u) != 0) {
        core_branch_exchange(core, words[count]);
    }
}

void core_op_stm(struct core *core, const struct core_instruction *of)
{
    uint32_t address = list_start(core, of);

    if (!is_aligned(core, address)) {
        return;
    }
    for (uint32_t left = of->imm; left != 0; left &= left - 1u) {
        core_store_quick(core, address, 4, core->r[__builtin_ctz(left)]);
        address += 4u;
    }
    list_write_back(core, of);
}
