/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches and system instructions. A branch that is taken refills the
 * pipeline: 2 cycles more, 3 if the target is an instruction of 32 bits that is
 * not word-aligned.
 */
#include "test/boards/chip/core_exceptions.h"
#include "test/boards/chip/core_execute.h"
#include "test/boards/chip/core_forms.h"
#include "test/boards/chip/core_memory.h"
#include "test/boards/chip/core_state.h"

#define EXC_RETURN 0xf0000000u /* and above, in a handler */

/* ---- branches ---- */

static inline void jump(struct core *core, const struct core_instruction *of)
{
    core->r[15] = of->imm;
    core->cycle += of->refill;
}

static void jump_to(struct core *core, uint32_t target)
{
    core->r[15] = target & ~1u;
    core->cycle += core_refill(core, target & ~1u);
}

/* The processor has no other code than Thumb. */
static void exchange(struct core *core, uint32_t target)
{
    jump_to(core, target);
    if ((target & 1u) == 0) {
        core_stop(core, "code of ARM", target);
    }
}

void core_branch_exchange(struct core *core, uint32_t target)
{
    if (target >= EXC_RETURN && core->exception != 0) {
        core_exception_return(core, target);
    } else {
        exchange(core, target);
    }
}

CORE_OP(b, jump(core, of))
CORE_OP(bl, core->r[14] = core->r[15] | 1u; jump(core, of))
CORE_OP(blx, core->r[14] = core->r[15] | 1u; exchange(core, y))
CORE_OP(bx, core_branch_exchange(core, y))

#define BRANCH_IF(name, condition)                                             \
    static void name(struct core *core, const struct core_instruction *of)     \
    {                                                                          \
        if (core_holds(core, condition)) {                                     \
            jump(core, of);                                                    \
        }                                                                      \
    }

BRANCH_IF(beq, 0)
BRANCH_IF(bne, 1)
BRANCH_IF(bcs, 2)
BRANCH_IF(bcc, 3)
BRANCH_IF(bmi, 4)
BRANCH_IF(bpl, 5)
BRANCH_IF(bvs, 6)
BRANCH_IF(bvc, 7)
BRANCH_IF(bhi, 8)
BRANCH_IF(bls, 9)
BRANCH_IF(bge, 10)
BRANCH_IF(blt, 11)
BRANCH_IF(bgt, 12)
BRANCH_IF(ble, 13)

core_op *const core_op_b_if[14] = {beq, bne, bcs, bcc, bmi, bpl, bvs,
                                   bvc, bhi, bls, bge, blt, bgt, ble};

void core_op_cbz(struct core *core, const struct core_instruction *of)
{
    if (core->r[of->rn] == 0) {
        jump(core, of);
    }
}

void core_op_cbnz(struct core *core, const struct core_instruction *of)
{
    if (core->r[of->rn] != 0) {
        jump(core, of);
    }
}

/* The table is at imm; a load before the branch. */
static void table_branch(struct core *core, const struct core_instruction *of,
                         unsigned bytes)
{
    uint32_t offset;

    core->cycle += 1;
    if (core_load_quick(core, of->imm + core->r[of->rm] * bytes, bytes,
                        &offset)) {
        jump_to(core, of->imm + 2u * offset);
    }
}

CORE_OP(tbb, table_branch(core, of, 1))
CORE_OP(tbh, table_branch(core, of, 2))

/* ---- hints ---- */

CORE_OP(nop, (void)core)
CORE_OP(it, core->it = of->imm)
CORE_OP(dmb, core_bus_fault_now(core)) /* DSB, ISB */
CORE_OP(wfi, core_sleep(core))

/* ---- special registers ---- */

enum {
    SYS_APSR = 0, /* flags of conditions, and GE */
    SYS_IPSR = 5,
    SYS_MSP = 8,
    SYS_PRIMASK = 16,
    SYS_BASEPRI = 17,
    SYS_BASEPRI_MAX = 18
};

/* Written as one: N, Z, C, V, Q. */
#define APSR_NZCVQ 0xf8000000u
#define APSR_GE 0x000f0000u

/* Of PRIMASK: imm 1 disables. */
CORE_OP(cps, core->primask = of->imm; core_priority_changed(core))

void core_op_mrs(struct core *core, const struct core_instruction *of)
{
    uint32_t *to = &core->r[of->rd];

    switch (of->imm) {
    case SYS_APSR:
        *to = core_psr(core) & (APSR_NZCVQ | APSR_GE);
        break;
    case SYS_IPSR:
        *to = core->exception;
        break;
    case SYS_MSP:
        *to = core->r[13];
        break;
    case SYS_PRIMASK:
        *to = core->primask;
        break;
    case SYS_BASEPRI:
        *to = core->basepri;
        break;
    default:
        core_stop(core, "special register", of->imm);
        break;
    }
}

void core_op_msr(struct core *core, const struct core_instruction *of)
{
    uint32_t value = core->r[of->rn], level = value & 0xf0u;

    switch (of->imm) {
    case SYS_APSR:
        core_set_psr(core,
                     (core_psr(core) & ~APSR_NZCVQ) | (value & APSR_NZCVQ));
        return;
    case SYS_MSP:
        core->r[13] = value & ~3u;
        return;
    case SYS_PRIMASK:
        core->primask = value & 1u;
        break;
    case SYS_BASEPRI:
        core->basepri = level;
        break;
    case SYS_BASEPRI_MAX:
        if (level != 0 && (level < core->basepri || core->basepri == 0)) {
            core->basepri = level;
        }
        break;
    default:
        core_stop(core, "special register", of->imm);
        break;
    }
    core_priority_changed(core);
}

/* ---- what cannot be executed ---- */

CORE_OP(undefined, core_fault(core, CORE_CFSR_UNDEFINSTR))

void core_op_missing(struct core *core, const struct core_instruction *of)
{
    core_stop(core, of->bytes == 0 ? "code" : "instruction", of->imm);
}
