/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches and system instructions. A branch that is taken refills the
 * pipeline: 2 cycles more, 3 if the target is an instruction of 32 bits that is
 * not word-aligned.
 */
#include "test/boards/chip/core_decode.h"
#include "test/boards/chip/core_exceptions.h"
#include "test/boards/chip/core_execute.h"
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

static void exchange(struct core *core, uint32_t target)
{
    jump_to(core, target);
    if ((target & 1u) == 0) {
        core->thumb = false;
        core->limit = 0;
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

void core_op_b(struct core *core, const struct core_instruction *of)
{
    jump(core, of);
}

void core_op_bl(struct core *core, const struct core_instruction *of)
{
    core->r[14] = core->r[15] | 1u;
    jump(core, of);
}

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

void core_op_bx(struct core *core, const struct core_instruction *of)
{
    core_branch_exchange(core, core->r[of->rm]);
}

/* BX pc: to ARM code, which this processor does not have. */
void core_op_bx_imm(struct core *core, const struct core_instruction *of)
{
    exchange(core, of->imm);
}

void core_op_blx(struct core *core, const struct core_instruction *of)
{
    uint32_t target = core->r[of->rm];

    core->r[14] = core->r[15] | 1u;
    exchange(core, target);
}

void core_op_mov_pc(struct core *core, const struct core_instruction *of)
{
    jump_to(core, core->r[of->rm]);
}

/* imm: the instruction's address + 4. */
void core_op_add_pc(struct core *core, const struct core_instruction *of)
{
    jump_to(core, of->imm + core->r[of->rm]);
}

/* The table is at imm if rn is 15; a load before the branch. */
static void table_branch(struct core *core, const struct core_instruction *of,
                         unsigned bytes)
{
    uint32_t table = of->rn == 15 ? of->imm : core->r[of->rn], offset;

    core->cycle += 1;
    if (core_load_quick(core, table + core->r[of->rm] * bytes, bytes,
                        &offset)) {
        jump_to(core, of->imm + 2u * offset);
    }
}

void core_op_tbb(struct core *core, const struct core_instruction *of)
{
    table_branch(core, of, 1);
}

void core_op_tbh(struct core *core, const struct core_instruction *of)
{
    table_branch(core, of, 2);
}

/* ---- hints and calls ---- */

void core_op_nop(struct core *core, const struct core_instruction *of)
{
    (void)core;
    (void)of;
}

void core_op_it(struct core *core, const struct core_instruction *of)
{
    core->it = of->imm;
}

/* DMB, DSB, ISB. */
void core_op_dmb(struct core *core, const struct core_instruction *of)
{
    (void)of;
    core_bus_fault_now(core);
}

void core_op_wfi(struct core *core, const struct core_instruction *of)
{
    (void)of;
    core_sleep(core);
}

void core_op_svc(struct core *core, const struct core_instruction *of)
{
    (void)of;
    core_call(core);
}

void core_op_bkpt(struct core *core, const struct core_instruction *of)
{
    (void)of;
    core_breakpoint(core);
}

/* ---- special registers ---- */

enum {
    SYS_XPSR_LAST = 7, /* APSR and combinations of it with IPSR, EPSR */
    SYS_MSP = 8,
    SYS_PSP = 9,
    SYS_PRIMASK = 16,
    SYS_BASEPRI = 17,
    SYS_BASEPRI_MAX = 18,
    SYS_FAULTMASK = 19,
    SYS_CONTROL = 20
};

static bool is_privileged(const struct core *core)
{
    return core->exception != 0 || (core->control & 1u) == 0;
}

/* imm: bit 4: disables; bit 1: PRIMASK; bit 0: FAULTMASK. */
void core_op_cps(struct core *core, const struct core_instruction *of)
{
    uint32_t disable = of->imm >> 4 & 1u;

    if (!is_privileged(core)) {
        return;
    }
    if ((of->imm & 2u) != 0) {
        core->primask = disable;
    }
    if ((of->imm & 1u) != 0 &&
        (disable == 0 || core->exceptions.priority > -1)) {
        core->faultmask = disable;
    }
    core_priority_changed(core);
}

static uint32_t read_psr(const struct core *core, unsigned which)
{
    uint32_t value = (which & 1u) != 0 ? core->exception : 0;

    /* EPSR reads as 0. */
    return (which & 4u) != 0 ? value
                             : value | core_nzcvq(core) | core->ge << 16;
}

static uint32_t read_special(struct core *core, unsigned which)
{
    if (which <= SYS_XPSR_LAST) {
        return read_psr(core, which);
    }
    if (which == SYS_CONTROL) {
        return core->control;
    }
    if (!is_privileged(core)) {
        return 0;
    }
    switch (which) {
    case SYS_MSP:
    case SYS_PSP:
        return *core_stack(core, which == SYS_PSP);
    case SYS_PRIMASK:
        return core->primask;
    case SYS_BASEPRI:
    case SYS_BASEPRI_MAX:
        return core->basepri;
    case SYS_FAULTMASK:
        return core->faultmask;
    default:
        core_complain(core, "MRS of a register that is not there");
        return 0;
    }
}

void core_op_mrs(struct core *core, const struct core_instruction *of)
{
    core->r[of->rd] = read_special(core, of->imm & 255u);
}

/* mask, bit 1: NZCVQ; bit 0: GE. */
static void write_psr(struct core *core, unsigned which, unsigned mask,
                      uint32_t value)
{
    if ((which & 4u) != 0) {
        return;
    }
    if ((mask & 2u) != 0) {
        core_set_nzcvq(core, value);
    }
    if ((mask & 1u) != 0) {
        core->ge = value >> 16 & 15u;
    }
}

static void write_mask(struct core *core, unsigned which, uint32_t value)
{
    switch (which) {
    case SYS_PRIMASK:
        core->primask = value & 1u;
        break;
    case SYS_BASEPRI:
        core->basepri = value & 0xf0u;
        break;
    case SYS_BASEPRI_MAX:
        value &= 0xf0u;
        if (value != 0 && (value < core->basepri || core->basepri == 0)) {
            core->basepri = value;
        }
        break;
    default:
        if ((value & 1u) == 0 || core->exceptions.priority > -1) {
            core->faultmask = value & 1u;
        }
        break;
    }
    core_priority_changed(core);
}

/* imm: mask << 10 | register. */
void core_op_msr(struct core *core, const struct core_instruction *of)
{
    unsigned which = of->imm & 255u;
    uint32_t value = core->r[of->rn];

    if (which <= SYS_XPSR_LAST) {
        write_psr(core, which, of->imm >> 10, value);
        return;
    }
    if (!is_privileged(core)) {
        return;
    }
    switch (which) {
    case SYS_MSP:
    case SYS_PSP:
        *core_stack(core, which == SYS_PSP) = value & ~3u;
        break;
    case SYS_PRIMASK:
    case SYS_BASEPRI:
    case SYS_BASEPRI_MAX:
    case SYS_FAULTMASK:
        write_mask(core, which, value);
        break;
    case SYS_CONTROL:
        /* In a handler the stack stays MSP. */
        core_set_control(core, core->exception != 0 ? value & 1u : value);
        break;
    default:
        core_complain(core, "MSR of a register that is not there");
        break;
    }
}

/* ---- what cannot be executed ---- */

void core_op_undefined(struct core *core, const struct core_instruction *of)
{
    (void)of;
    core_fault(core, CORE_USAGE_FAULT, CORE_CFSR_UNDEFINSTR);
}

void core_op_unpredictable(struct core *core, const struct core_instruction *of)
{
    core_complain(core, "UNPREDICTABLE instruction");
    core_op_undefined(core, of);
}

void core_op_nocp(struct core *core, const struct core_instruction *of)
{
    (void)of;
    core_fault(core, CORE_USAGE_FAULT, CORE_CFSR_NOCP);
}

void core_op_unfetchable(struct core *core, const struct core_instruction *of)
{
    core_fault(core, of->rd, of->imm);
}
