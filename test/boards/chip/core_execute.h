/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What executes instructions: a function for each kind, which core_decode()
 * puts into struct core_instruction. When it is called, r[15] is the address
 * of the next instruction and the fixed cycles are charged; it charges the
 * rest. A name's end: _imm, second operand imm; _reg, rm with its shift; _s,
 * sets the flags.
 */
#ifndef TEST_BOARDS_CHIP_CORE_EXECUTE_H
#define TEST_BOARDS_CHIP_CORE_EXECUTE_H

#include "test/boards/chip/core.h"

#define CORE_FORMS(name)                                                       \
    extern core_op core_op_##name##_imm, core_op_##name##_imm_s,               \
        core_op_##name##_reg, core_op_##name##_reg_s

/* core_data.c; ra of logical constants: the carry, or that it stays. */
#define CORE_CARRY_AS_IT_WAS 2u
CORE_FORMS(and);
CORE_FORMS(bic);
CORE_FORMS(orr);
CORE_FORMS(orn);
CORE_FORMS(eor);
CORE_FORMS(mov);
CORE_FORMS(mvn);
CORE_FORMS(add);
CORE_FORMS(adc);
CORE_FORMS(sbc);
CORE_FORMS(sub);
CORE_FORMS(rsb);
extern core_op core_op_tst_imm, core_op_tst_reg, core_op_teq_imm,
    core_op_teq_reg, core_op_cmp_imm, core_op_cmp_reg, core_op_cmn_imm,
    core_op_cmn_reg;
/* rn shifted by rm; shift: the kind << 6. */
extern core_op core_op_shift, core_op_shift_s;
extern core_op core_op_movt, core_op_clz, core_op_rbit, core_op_rev,
    core_op_rev16, core_op_revsh;
/* rn; shift: lowest bit; imm: width - 1, or of BFI the highest bit. */
extern core_op core_op_ubfx, core_op_sbfx, core_op_bfi;
/* rm, rotated by shift bytes, plus rn; the latter 15: plus nothing. */
extern core_op core_op_sxtb, core_op_sxth, core_op_uxtb, core_op_uxth;
extern core_op core_op_mul, core_op_mul_s, core_op_mla, core_op_mls,
    core_op_smull, core_op_umull, core_op_smlal, core_op_umlal, core_op_sdiv,
    core_op_udiv;
/* imm: which halves (bit 1: rn's upper, bit 0: rm's). */
extern core_op core_op_smul_half, core_op_smlal_half;
extern core_op core_op_sel, core_op_uadd8;
/* imm: the bit to saturate at. */
extern core_op core_op_ssat, core_op_usat;

/* core_transfer.c: an address of rn + imm; rn + (rm << shift); rn + imm,
   written back; rn, then written back plus imm; imm alone. */
#define CORE_MODES(name)                                                       \
    extern core_op core_op_##name##_imm, core_op_##name##_reg,                 \
        core_op_##name##_pre, core_op_##name##_post, core_op_##name##_literal

CORE_MODES(ldr);
CORE_MODES(ldrb);
CORE_MODES(ldrh);
CORE_MODES(ldrsb);
CORE_MODES(ldrsh);
CORE_MODES(ldr_pc);
CORE_MODES(ldrd);
CORE_MODES(str);
CORE_MODES(strb);
CORE_MODES(strh);
CORE_MODES(strd);
/* imm: the list; rd: its bytes; ra: CORE_LIST_... */
#define CORE_LIST_DOWN 1u /* from rn - 4 * n */
#define CORE_LIST_WRITE_BACK 2u
#define CORE_LIST_PC 4u
extern core_op core_op_ldm, core_op_stm;

/* core_control.c */
extern core_op core_op_b, core_op_bl;
extern core_op *const core_op_b_if[14]; /* by condition */
extern core_op core_op_cbz, core_op_cbnz, core_op_bx, core_op_blx, core_op_tbb,
    core_op_tbh; /* imm: the table */
extern core_op core_op_nop, core_op_it, core_op_dmb, core_op_wfi, core_op_cps,
    core_op_mrs, core_op_msr, core_op_undefined;
/* Tells that a mark is passed, then executes what is there. */
extern core_op core_op_marked;
/* Stops the model: imm is the instruction, or of bytes 0 its address. */
extern core_op core_op_missing;

/* Defines one that is an expression or a few; x is rn, y is rm. */
#define CORE_OP(name, ...)                                                     \
    void core_op_##name(struct core *core, const struct core_instruction *of)  \
    {                                                                          \
        uint32_t x = core->r[of->rn], y = core->r[of->rm];                     \
                                                                               \
        (void)x;                                                               \
        (void)y;                                                               \
        __VA_ARGS__;                                                           \
    }

/* Branches to code whose bit 0 says Thumb, or returns from an exception. */
void core_branch_exchange(struct core *core, uint32_t target);

#endif
