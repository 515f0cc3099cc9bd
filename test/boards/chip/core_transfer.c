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

static inline uint32_t base(const struct core *core,
                            const struct core_instruction *of)
{
    return core->r[of->rn];
}

static inline void write_back(struct core *core,
                              const struct core_instruction *of)
{
    core->r[of->rn] += of->imm;
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

static inline bool ldr(struct core *core, const struct core_instruction *of,
                       uint32_t address)
{
    uint32_t value;

    begin_load(core);
    if (!core_load_quick(core, address, 4, &value)) {
        return false;
    }
    end_access(core);
    core->r[of->rd] = of->rd == 13 ? value & ~3u : value;
    return true;
}

#define STORE(name, bytes)                                                     \
    static inline bool name(struct core *core,                                 \
                            const struct core_instruction *of,                 \
                            uint32_t address)                                  \
    {                                                                          \
        if (!core_store_quick(core, address, bytes, core->r[of->rd])) {        \
            return false;                                                      \
        }                                                                      \
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
    return core_load_quick(core, address, 4, &core->loaded) && of->rd == 15;
}

static bool is_aligned(struct core *core, uint32_t address)
{
    if ((address & 3u) != 0) {
        core_fault(core, CORE_USAGE_FAULT, CORE_CFSR_UNALIGNED);
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
    return is_aligned(core, address) &&
           core_store_quick(core, address, 4, core->r[of->rd]) &&
           core_store_quick(core, address + 4u, 4, core->r[of->ra]);
}

/* ---- the same with each way to form an address ---- */

#define NOTHING (void)0
#define JUMP core_branch_exchange(core, core->loaded)

#define MODES(name, function, then)                                            \
    void core_op_##name##_imm(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        if (function(core, of, base(core, of) + of->imm)) {                    \
            then;                                                              \
        }                                                                      \
    }                                                                          \
    void core_op_##name##_reg(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        uint32_t offset = core->r[of->rm] << of->shift;                        \
                                                                               \
        if (function(core, of, base(core, of) + offset)) {                     \
            then;                                                              \
        }                                                                      \
    }                                                                          \
    void core_op_##name##_literal(struct core *core,                           \
                                  const struct core_instruction *of)           \
    {                                                                          \
        if (function(core, of, of->imm)) {                                     \
            then;                                                              \
        }                                                                      \
    }                                                                          \
    void core_op_##name##_pre(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        if (function(core, of, base(core, of) + of->imm)) {                    \
            write_back(core, of);                                              \
            then;                                                              \
        }                                                                      \
    }                                                                          \
    void core_op_##name##_post(struct core *core,                              \
                               const struct core_instruction *of)              \
    {                                                                          \
        if (function(core, of, base(core, of))) {                              \
            write_back(core, of);                                              \
            then;                                                              \
        }                                                                      \
    }

MODES(ldr, ldr, NOTHING)
MODES(ldrb, ldrb, NOTHING)
MODES(ldrh, ldrh, NOTHING)
MODES(ldrsb, ldrsb, NOTHING)
MODES(ldrsh, ldrsh, NOTHING)
MODES(str, str, NOTHING)
MODES(strb, strb, NOTHING)
MODES(strh, strh, NOTHING)
MODES(ldr_pc, ldr_pc, JUMP)
MODES(ldrd, ldrd, NOTHING)
MODES(strd, strd, NOTHING)

/* ---- lists ---- */

static uint32_t list_start(const struct core *core,
                           const struct core_instruction *of)
{
    uint32_t bytes = of->rd;

    return base(core, of) - ((of->ra & CORE_LIST_DOWN) != 0 ? bytes : 0);
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
        if (!core_store_quick(core, address, 4, core->r[__builtin_ctz(left)])) {
            return;
        }
        address += 4u;
    }
    list_write_back(core, of);
}
