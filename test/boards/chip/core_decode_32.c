/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of 32 bits. */
#include "test/boards/chip/core_decode_parts.h"
#include "test/boards/chip/core_execute.h"

#include <stddef.h>

/* ---- 32 bits: data processing ---- */

struct forms {
    core_op *imm, *imm_s, *reg, *reg_s;
};

#define FORMS(name)                                                            \
    {                                                                          \
        core_op_##name##_imm, core_op_##name##_imm_s, core_op_##name##_reg,    \
            core_op_##name##_reg_s                                             \
    }
/* Flags only: without S there is no such instruction. */
#define FLAGS_ONLY(name)                                                       \
    {                                                                          \
        core_op_unpredictable, core_op_##name##_imm, core_op_unpredictable,    \
            core_op_##name##_reg                                               \
    }

static const struct forms data_forms[16] = {
    [0] = FORMS(and),  [1] = FORMS(bic),  [2] = FORMS(orr),  [3] = FORMS(orn),
    [4] = FORMS(eor),  [8] = FORMS(add),  [10] = FORMS(adc), [11] = FORMS(sbc),
    [13] = FORMS(sub), [14] = FORMS(rsb),
};
static const struct forms form_mov = FORMS(mov), form_mvn = FORMS(mvn);
static const struct forms form_tst = FLAGS_ONLY(tst);
static const struct forms form_teq = FLAGS_ONLY(teq);
static const struct forms form_cmp = FLAGS_ONLY(cmp);
static const struct forms form_cmn = FLAGS_ONLY(cmn);

static const struct forms *form_of(uint32_t op, uint32_t rd, uint32_t rn)
{
    if (rn == 15 && op == 2) {
        return &form_mov;
    }
    if (rn == 15 && op == 3) {
        return &form_mvn;
    }
    if (rd == 15) {
        switch (op) {
        case 0:
            return &form_tst;
        case 4:
            return &form_teq;
        case 8:
            return &form_cmn;
        case 13:
            return &form_cmp;
        default:
            break;
        }
    }
    return data_forms[op].imm != NULL ? &data_forms[op] : NULL;
}

/* sp is for moves, and as rn of ADD, SUB, CMP and CMN; as rd then, too. */
static bool data_registers_allowed(uint32_t op, uint32_t rd, uint32_t rn,
                                   bool moves)
{
    bool adds = op == 8 || op == 13;

    if (moves) {
        return rd != 15;
    }
    if (rn == 15 || (rn == 13 && !adds)) {
        return false;
    }
    return rd == 13 ? adds && rn == 13 : true;
}

static void shifted_register(struct core_instruction *to,
                             const struct source *from)
{
    uint32_t op = bits(from->first, 8, 5), rn = bits(from->first, 3, 0);
    uint32_t rd = bits(from->second, 11, 8), rm = bits(from->second, 3, 0);
    uint32_t amount =
        bits(from->second, 14, 12) << 2 | bits(from->second, 7, 6);
    uint32_t kind = bits(from->second, 5, 4);
    bool flags = (from->first & 0x10u) != 0;
    const struct forms *form = form_of(op, rd, rn);

    to->shift = fixed_shift(kind, amount);
    if (form == NULL) {
        to->execute = core_op_undefined;
        return;
    }
    set(to, flags ? form->reg_s : form->reg, rd, rn, rm);
    if (form == &form_mov) {
        /* A plain MOV may name sp, once. */
        if (rd == 15 || rm == 15 || (rd == 13 && rm == 13) ||
            ((flags || to->shift != 0) && (rd == 13 || rm == 13))) {
            to->execute = core_op_unpredictable;
        }
    } else if (bad(rm) ||
               !data_registers_allowed(op, rd, rn, form == &form_mvn) ||
               (form == &form_mvn && rd == 13) ||
               (form == &data_forms[op] && rd == 15)) {
        to->execute = core_op_unpredictable;
    }
}

/* The constant of 12 bits (A5.3.2); *carry: 2 if it leaves the flag. */
static uint32_t expand(uint32_t imm12, uint8_t *carry)
{
    uint32_t byte = imm12 & 255u, value, rotation;

    *carry = CORE_CARRY_AS_IT_WAS;
    switch (imm12 >> 8) {
    case 0:
        return byte;
    case 1:
        return byte << 16 | byte;
    case 2:
        return byte << 24 | byte << 8;
    case 3:
        return byte * 0x01010101u;
    default:
        rotation = imm12 >> 7;
        value = 0x80u | (imm12 & 0x7fu);
        value = value >> rotation | value << (32u - rotation);
        *carry = (uint8_t)(value >> 31);
        return value;
    }
}

static uint32_t imm12_of(const struct source *from)
{
    return bits(from->first, 10, 10) << 11 | bits(from->second, 14, 12) << 8 |
           bits(from->second, 7, 0);
}

static void modified_immediate(struct core_instruction *to,
                               const struct source *from)
{
    uint32_t op = bits(from->first, 8, 5), rn = bits(from->first, 3, 0);
    uint32_t rd = bits(from->second, 11, 8);
    bool flags = (from->first & 0x10u) != 0;
    const struct forms *form = form_of(op, rd, rn);
    bool moves = form == &form_mov || form == &form_mvn;
    uint32_t imm12 = imm12_of(from);
    uint8_t carry;
    uint32_t imm = expand(imm12, &carry);

    if (form == NULL || op == 6) {
        to->execute = core_op_undefined;
        return;
    }
    set_imm(to, flags ? form->imm_s : form->imm, rd, rn, imm);
    to->ra = carry;
    if (!data_registers_allowed(op, rd, rn, moves) || (moves && bad(rd)) ||
        (form == &data_forms[op] && rd == 15) ||
        ((imm12 & 255u) == 0 && imm12 >> 8 >= 1 && imm12 >> 8 <= 3)) {
        to->execute = core_op_unpredictable;
    }
}

/* SSAT, USAT; SBFX, UBFX, BFI. */
static void saturate_or_field(struct core_instruction *to,
                              const struct source *from)
{
    uint32_t op = bits(from->first, 8, 4), rn = bits(from->first, 3, 0);
    uint32_t rd = bits(from->second, 11, 8);
    uint32_t low = bits(from->second, 14, 12) << 2 | bits(from->second, 7, 6);
    uint32_t width = bits(from->second, 4, 0);
    bool is_signed = op < 0x18;

    if (op == 0x14 || op == 0x1c) {
        set_imm(to, is_signed ? core_op_sbfx : core_op_ubfx, rd, rn, low);
        to->ra = (uint8_t)(width + 1u);
        if (low + width > 31) {
            to->execute = core_op_unpredictable;
        }
    } else if (op == 0x16) {
        set_imm(to, width < low ? core_op_unpredictable : core_op_bfi, rd, rn,
                low);
        to->ra = (uint8_t)(width - low + 1u);
    } else {
        set(to,
            (op & 2u) != 0 && low == 0 ? core_op_undefined /* of halves */
            : is_signed                ? core_op_ssat
                                       : core_op_usat,
            rd, rn, 0);
        to->ra = (uint8_t)(width + (is_signed ? 1u : 0u));
        to->shift = (uint8_t)((op & 2u) << 6 | low);
    }
    if (bad(rd) || (bad(rn) && !(op == 0x16 && rn == 15))) {
        to->execute = core_op_unpredictable;
    }
}

/* ADDW, SUBW, ADR. */
static void add_12(struct core_instruction *to, const struct source *from,
                   uint32_t imm, bool subtract)
{
    uint32_t rn = bits(from->first, 3, 0), rd = bits(from->second, 11, 8);

    if (rn == 15) {
        set_imm(to, core_op_mov_imm, rd, 0,
                aligned_pc(from) + (subtract ? -imm : imm));
    } else {
        set_imm(to, subtract ? core_op_sub_imm : core_op_add_imm, rd, rn, imm);
    }
    if (rd == 15 || (rd == 13 && rn != 13)) {
        to->execute = core_op_unpredictable;
    }
}

static void plain_immediate(struct core_instruction *to,
                            const struct source *from)
{
    uint32_t imm = imm12_of(from), rd = bits(from->second, 11, 8);
    uint32_t imm16 = imm | bits(from->first, 3, 0) << 12;

    switch (bits(from->first, 8, 4)) {
    case 0x00:
        add_12(to, from, imm, false);
        break;
    case 0x0a:
        add_12(to, from, imm, true);
        break;
    case 0x04:
        set_imm(to, bad(rd) ? core_op_unpredictable : core_op_mov_imm, rd, 0,
                imm16);
        break;
    case 0x0c:
        set_imm(to, bad(rd) ? core_op_unpredictable : core_op_movt, rd, 0,
                imm16);
        break;
    case 0x10:
    case 0x12:
    case 0x14:
    case 0x16:
    case 0x18:
    case 0x1a:
    case 0x1c:
        saturate_or_field(to, from);
        break;
    default:
        to->execute = core_op_undefined;
        break;
    }
}

/* ---- 32 bits: shifts, extensions, parallel, bits ---- */

static void extend_32(struct core_instruction *to, const struct source *from)
{
    static core_op *const ops[6] = {core_op_sxth, core_op_uxth, NULL,
                                    NULL,         core_op_sxtb, core_op_uxtb};
    uint32_t op = bits(from->first, 6, 4), rn = bits(from->first, 3, 0);
    uint32_t rd = bits(from->second, 11, 8), rm = bits(from->second, 3, 0);

    if (op > 5 || ops[op] == NULL) {
        to->execute = core_op_undefined;
        return;
    }
    set(to, bad(rd) || bad(rm) || rn == 13 ? core_op_unpredictable : ops[op],
        rd, rn, rm);
    to->shift = (uint8_t)(bits(from->second, 5, 4) * 8u);
}

/* REV and its like, SEL, CLZ. */
static core_op *miscellaneous_op(uint32_t op, uint32_t which)
{
    static core_op *const ops[4][4] = {
        [1] = {core_op_rev, core_op_rev16, core_op_rbit, core_op_revsh},
        [2] = {core_op_sel},
        [3] = {core_op_clz}};

    return ops[op][which] != NULL ? ops[op][which] : core_op_undefined;
}

static void data_register(struct core_instruction *to,
                          const struct source *from)
{
    uint32_t op = bits(from->first, 7, 4), rn = bits(from->first, 3, 0);
    uint32_t rd = bits(from->second, 11, 8), rm = bits(from->second, 3, 0);
    uint32_t which = bits(from->second, 7, 4);

    if (bits(from->second, 15, 12) != 15) {
        to->execute = core_op_undefined;
    } else if (which == 0 && op < 8) {
        set(to, EITHER(op & 1u, core_op_shift), rd, rn, rm);
        to->shift = (uint8_t)(op >> 1 << 6);
    } else if (which >= 8 && op < 8) {
        extend_32(to, from);
        return;
    } else if (which < 8 && op >= 8) {
        set(to, op == 8 && which == 4 ? core_op_uadd8 : core_op_undefined, rd,
            rn, rm);
    } else if (which >= 8 && which < 12 && op >= 8 && op < 12) {
        set(to, miscellaneous_op(op & 3u, which & 3u), rd, rn, rm);
        if ((op & 1u) != 0 && rn != rm) {
            to->execute = core_op_unpredictable;
        }
    } else {
        to->execute = core_op_undefined;
    }
    if (to->execute != core_op_undefined && (bad(rd) || bad(rn) || bad(rm))) {
        to->execute = core_op_unpredictable;
    }
}

/* ---- 32 bits: multiplication ---- */

/* The instructions of three factors and an addend, and the same without it
   (ra 15); by bits 6:4 of the first halfword; NULL: there is none here. imm:
   bits 5:4 of the second. */
static const struct {
    core_op *with, *without;
    uint8_t imm_max;
} multiplies[8] = {
    {core_op_mla, core_op_mul, 1},
    {NULL, core_op_smul_half, 3},
};

static void multiply(struct core_instruction *to, const struct source *from)
{
    uint32_t op = bits(from->first, 6, 4), rn = bits(from->first, 3, 0);
    uint32_t ra = bits(from->second, 15, 12), rd = bits(from->second, 11, 8);
    uint32_t imm = bits(from->second, 5, 4), rm = bits(from->second, 3, 0);

    set(to, ra == 15 ? multiplies[op].without : multiplies[op].with, rd, rn,
        rm);
    to->imm = imm;
    to->ra = (uint8_t)ra;
    if (op == 0 && imm == 1) {
        set(to, ra == 15 ? core_op_unpredictable : core_op_mls, rd, rn, rm);
    }
    if (op == 0 && ra != 15) {
        to->cycles = 2;
    }
    if (to->execute == NULL || bits(from->second, 7, 6) != 0 ||
        imm > multiplies[op].imm_max) {
        to->execute = core_op_undefined;
    } else if (bad(rd) || bad(rn) || bad(rm) || ra == 13) {
        to->execute = core_op_unpredictable;
    }
}

static core_op *multiply_long_op(uint32_t op, uint32_t which)
{
    switch (op << 4 | which) {
    case 0x00:
        return core_op_smull;
    case 0x1f:
        return core_op_sdiv;
    case 0x20:
        return core_op_umull;
    case 0x3f:
        return core_op_udiv;
    case 0x40:
        return core_op_smlal;
    case 0x48:
    case 0x49:
    case 0x4a:
    case 0x4b:
        return core_op_smlal_half;
    case 0x60:
        return core_op_umlal;
    default:
        return core_op_undefined;
    }
}

static void multiply_long(struct core_instruction *to,
                          const struct source *from)
{
    uint32_t op = bits(from->first, 6, 4), rn = bits(from->first, 3, 0);
    uint32_t low = bits(from->second, 15, 12);
    uint32_t high = bits(from->second, 11, 8);
    uint32_t which = bits(from->second, 7, 4), rm = bits(from->second, 3, 0);
    bool divides = which == 15;

    set(to, multiply_long_op(op, which), divides ? high : low, rn, rm);
    to->ra = (uint8_t)high;
    to->imm = which & 3u;
    if (divides) {
        to->cycles = 2;
    }
    if (to->execute != core_op_undefined &&
        (bad(high) || bad(rn) || bad(rm) ||
         (divides ? low != 15 : bad(low) || low == high))) {
        to->execute = core_op_unpredictable;
    }
}

/* ---- 32 bits: loads and stores ---- */

enum mode {
    IMM,
    REG,
    LITERAL,
    PRE,
    POST,
    MODES
};

#define ALL_MODES(name)                                                        \
    {                                                                          \
        core_op_##name##_imm, core_op_##name##_reg, core_op_##name##_literal,  \
            core_op_##name##_pre, core_op_##name##_post                        \
    }

enum transfer {
    STRB,
    STRH,
    STR,
    LDRB,
    LDRH,
    LDR,
    LDRSB,
    LDRSH,
    LDR_PC
};

static core_op *const transfers[][MODES] = {
    ALL_MODES(strb),  ALL_MODES(strh),  ALL_MODES(str),
    ALL_MODES(ldrb),  ALL_MODES(ldrh),  ALL_MODES(ldr),
    ALL_MODES(ldrsb), ALL_MODES(ldrsh), ALL_MODES(ldr_pc),
};

static void set_transfer(struct core_instruction *to, enum transfer what,
                         enum mode mode, uint32_t imm)
{
    to->execute = transfers[what][mode];
    to->imm = imm;
    if ((mode == PRE || mode == POST) && to->rd == to->rn) {
        to->execute = core_op_unpredictable;
    }
}

static void transfer_address(struct core_instruction *to,
                             const struct source *from, enum transfer what)
{
    uint32_t second = from->second, imm8 = bits(second, 7, 0);
    bool up = (second & 0x200u) != 0, write_back = (second & 0x100u) != 0;

    if (to->rn == 15) {
        uint32_t imm12 = bits(second, 11, 0);

        set_transfer(to, what, LITERAL,
                     aligned_pc(from) +
                         ((from->first & 0x80u) != 0 ? imm12 : -imm12));
    } else if ((from->first & 0x80u) != 0) {
        set_transfer(to, what, IMM, bits(second, 11, 0));
    } else if ((second & 0x800u) == 0) {
        set_transfer(to, what, REG, 0);
        to->rm = (uint8_t)bits(second, 3, 0);
        to->shift = (uint8_t)bits(second, 5, 4);
        if (bits(second, 10, 6) != 0) {
            to->execute = core_op_undefined;
        } else if (bad(to->rm)) {
            to->execute = core_op_unpredictable;
        }
    } else if ((second & 0x400u) == 0) {
        set_transfer(to, what, POST, up ? imm8 : -imm8);
        if (!write_back) {
            to->execute = core_op_undefined;
        }
    } else if (up && write_back) {
        set_transfer(to, what, PRE, imm8);
    } else {
        /* Without write back: down, or LDRT and its like, which is up. */
        set_transfer(to, what, write_back ? PRE : IMM, up ? imm8 : -imm8);
    }
}

static void single(struct core_instruction *to, const struct source *from)
{
    uint32_t size = bits(from->first, 6, 5), rd = bits(from->second, 15, 12);
    bool load = (from->first & 0x10u) != 0;
    bool extends = (from->first & 0x100u) != 0;
    bool hint = load && size < 2 && rd == 15;
    enum transfer what = (enum transfer)(size + (load ? 3u : 0u));

    set(to, NULL, rd, bits(from->first, 3, 0), 0);
    if (size == 3 || (extends && (!load || size == 2)) ||
        (!load && to->rn == 15)) {
        to->execute = core_op_undefined;
        return;
    }
    what = extends ? (enum transfer)(LDRSB + size) : what;
    transfer_address(to, from, what == LDR && rd == 15 ? LDR_PC : what);
    if (to->execute == core_op_undefined ||
        to->execute == core_op_unpredictable) {
        return;
    }
    if (hint) { /* PLD, PLI */
        to->execute = core_op_nop;
    } else if ((rd == 13 && what != LDR && what != STR) ||
               (rd == 15 && what != LDR)) {
        to->execute = core_op_unpredictable;
    }
}

/* LDRD, STRD; bit 8 of the first halfword: offset first; 7: up; 5: written
   back. */
static void transfer_pair(struct core_instruction *to,
                          const struct source *from)
{
    static core_op *const ops[2][MODES] = {ALL_MODES(strd), ALL_MODES(ldrd)};
    uint32_t first = from->first, imm = bits(from->second, 7, 0) << 2;
    uint32_t rn = bits(first, 3, 0);
    bool load = (first & 0x10u) != 0, write_back = (first & 0x20u) != 0;
    uint32_t t = bits(from->second, 15, 12), t2 = bits(from->second, 11, 8);
    enum mode mode = (first & 0x100u) == 0 ? POST : write_back ? PRE : IMM;

    imm = (first & 0x80u) != 0 ? imm : -imm;
    if (rn == 15) {
        mode = LITERAL;
        imm += aligned_pc(from);
    }
    set_imm(to, ops[load][mode], t, rn, imm);
    to->ra = (uint8_t)t2;
    to->cycles = 3;
    if (bad(t) || bad(t2) || (load && t == t2) ||
        (write_back && (rn == t || rn == t2 || rn == 15)) ||
        (!load && rn == 15)) {
        to->execute = core_op_unpredictable;
    }
}

static void table_branch(struct core_instruction *to, const struct source *from)
{
    uint32_t rn = bits(from->first, 3, 0), rm = bits(from->second, 3, 0);

    set_imm(to, (from->second & 0x10u) != 0 ? core_op_tbh : core_op_tbb, 0, rn,
            from->address + 4u);
    to->rm = (uint8_t)rm;
    if (rn == 13 || bad(rm)) {
        to->execute = core_op_unpredictable;
    }
}

static void pair_or_table(struct core_instruction *to,
                          const struct source *from)
{
    uint32_t first = from->first;

    if ((first & 0x120u) != 0) {
        transfer_pair(to, from);
    } else if ((first & 0x90u) == 0x90u && bits(from->second, 7, 5) == 0) {
        table_branch(to, from);
    } else {
        to->execute = core_op_undefined;
    }
}

static void list_32(struct core_instruction *to, const struct source *from)
{
    uint32_t how = bits(from->first, 8, 7), rn = bits(from->first, 3, 0);
    uint32_t list = from->second;
    bool load = (from->first & 0x10u) != 0;
    bool write_back = (from->first & 0x20u) != 0;

    if (how == 0 || how == 3) {
        to->execute = core_op_undefined;
        return;
    }
    core_decode_list(to, load ? core_op_ldm : core_op_stm, rn, list,
                     (how == 2 ? CORE_LIST_DOWN : 0) |
                         (write_back ? CORE_LIST_WRITE_BACK : 0));
    if (rn == 15 || (list & 0x2000u) != 0 || (list & (list - 1u)) == 0 ||
        (!load && (list & 0x8000u) != 0) || (list & 0xc000u) == 0xc000u ||
        (write_back && (list >> rn & 1u) != 0)) {
        to->execute = core_op_unpredictable;
    }
}

/* ---- 32 bits: branches and system ---- */

static uint32_t far_offset(const struct source *from)
{
    uint32_t sign = bits(from->first, 10, 10);
    uint32_t i1 = ~(bits(from->second, 13, 13) ^ sign) & 1u;
    uint32_t i2 = ~(bits(from->second, 11, 11) ^ sign) & 1u;

    return sign_extend(sign << 24 | i1 << 23 | i2 << 22 |
                           bits(from->first, 9, 0) << 12 |
                           bits(from->second, 10, 0) << 1,
                       25);
}

static void far_branch_if(struct core_instruction *to,
                          const struct source *from)
{
    uint32_t offset =
        bits(from->first, 10, 10) << 20 | bits(from->second, 11, 11) << 19 |
        bits(from->second, 13, 13) << 18 | bits(from->first, 5, 0) << 12 |
        bits(from->second, 10, 0) << 1;

    set_branch(to, from, core_op_b_if[bits(from->first, 9, 6)],
               sign_extend(offset, 21));
    if (from->in_it) {
        to->execute = core_op_unpredictable;
    }
}

/* Hints are as those of 16 bits. */
static void hint_32(struct core_instruction *to, const struct source *from)
{
    struct source half = {.first = 0xbf00u | bits(from->second, 3, 0) << 4};

    if (bits(from->second, 10, 8) != 0) {
        to->execute = core_op_undefined;
    } else if (bits(from->second, 7, 4) != 0) {
        to->execute = core_op_nop; /* DBG and what is not allocated */
    } else {
        core_decode_hint(to, &half);
    }
}

static void barrier(struct core_instruction *to, const struct source *from)
{
    uint32_t which = bits(from->second, 7, 4);

    to->execute = which >= 4 && which <= 6 ? core_op_dmb : core_op_undefined;
    to->cycles = 2;
}

static void system_32(struct core_instruction *to, const struct source *from)
{
    uint32_t rd = bits(from->second, 11, 8), rn = bits(from->first, 3, 0);

    switch (bits(from->first, 10, 4)) {
    case 0x38:
    case 0x39:
        set_imm(to, bad(rn) ? core_op_unpredictable : core_op_msr, 0, rn,
                bits(from->second, 11, 0));
        to->cycles = 2;
        break;
    case 0x3a:
        hint_32(to, from);
        break;
    case 0x3b:
        barrier(to, from);
        break;
    case 0x3e:
    case 0x3f:
        set_imm(to, bad(rd) ? core_op_unpredictable : core_op_mrs, rd, 0,
                bits(from->second, 7, 0));
        to->cycles = 2;
        break;
    default:
        to->execute = core_op_undefined;
        break;
    }
}

static void branch_or_system(struct core_instruction *to,
                             const struct source *from)
{
    if ((from->second & 0x5000u) == 0x5000u) {
        set_branch(to, from, core_op_bl, far_offset(from));
    } else if ((from->second & 0x1000u) != 0) {
        set_branch(to, from, core_op_b, far_offset(from));
    } else if ((from->second & 0x4000u) != 0) {
        to->execute = core_op_undefined; /* BLX to ARM code */
    } else if (bits(from->first, 9, 7) != 7) {
        far_branch_if(to, from);
    } else {
        system_32(to, from);
    }
}

void core_decode_32(struct core_instruction *to, const struct source *from)
{
    uint32_t op = bits(from->first, 12, 9);

    if ((from->first & 0x0c00u) == 0x0c00u &&
        (from->first & 0x1800u) != 0x1000u) {
        to->execute = core_op_nocp;
    } else if (bits(from->first, 12, 11) == 1) {
        if ((op & 3u) == 0) {
            ((from->first & 0x40u) != 0 ? pair_or_table : list_32)(to, from);
        } else {
            shifted_register(to, from);
        }
    } else if (bits(from->first, 12, 11) == 2) {
        if ((from->second & 0x8000u) != 0) {
            branch_or_system(to, from);
        } else if ((from->first & 0x200u) != 0) {
            plain_immediate(to, from);
        } else {
            modified_immediate(to, from);
        }
    } else if (op == 12) {
        single(to, from);
    } else if ((from->first & 0x100u) == 0) {
        data_register(to, from);
    } else if ((from->first & 0x80u) == 0) {
        multiply(to, from);
    } else {
        multiply_long(to, from);
    }
}
