/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/core_decode_parts.h"
#include "test/boards/chip/core_exceptions.h"
#include "test/boards/chip/core_execute.h"
#include "test/boards/chip/core_memory.h"

#define REFILL_CYCLES 2u

unsigned core_refill(const struct core *core, uint32_t target)
{
    uint32_t half;

    return (target & 2u) != 0 && core_code_halfword(core, target, &half) &&
                   core_is_wide(half)
               ? REFILL_CYCLES + 1u
               : REFILL_CYCLES;
}

/* ---- 16 bits ---- */

static void shift_add_move(struct core_instruction *to, uint32_t half,
                           bool flags)
{
    uint32_t rd = bits(half, 2, 0), rn = bits(half, 5, 3);
    uint32_t r8 = bits(half, 10, 8), imm8 = bits(half, 7, 0);

    switch (bits(half, 13, 11)) {
    case 3:
        if ((half & 1u << 10) == 0) {
            set(to,
                (half & 1u << 9) != 0 ? EITHER(flags, core_op_sub_reg)
                                      : EITHER(flags, core_op_add_reg),
                rd, rn, bits(half, 8, 6));
        } else {
            set_imm(to,
                    (half & 1u << 9) != 0 ? EITHER(flags, core_op_sub_imm)
                                          : EITHER(flags, core_op_add_imm),
                    rd, rn, bits(half, 8, 6));
        }
        break;
    case 4:
        set_imm(to, EITHER(flags, core_op_mov_imm), r8, 0, imm8);
        break;
    case 5:
        set_imm(to, core_op_cmp_imm, 0, r8, imm8);
        break;
    case 6:
        set_imm(to, EITHER(flags, core_op_add_imm), r8, r8, imm8);
        break;
    case 7:
        set_imm(to, EITHER(flags, core_op_sub_imm), r8, r8, imm8);
        break;
    default:
        set(to, EITHER(flags, core_op_mov_reg), rd, 0, rn);
        to->shift = fixed_shift(bits(half, 12, 11), bits(half, 10, 6));
        break;
    }
}

static void data_16(struct core_instruction *to, uint32_t half, bool flags)
{
    uint32_t rd = bits(half, 2, 0), rm = bits(half, 5, 3);

#define BOTH(name)                                                             \
    {                                                                          \
        core_op_##name, core_op_##name##_s                                     \
    }
#define COMPARES(name)                                                         \
    {                                                                          \
        core_op_##name, core_op_##name                                         \
    }
    static core_op *const ops[16][2] = {
        BOTH(and_reg),     BOTH(eor_reg), BOTH(shift),       BOTH(shift),
        BOTH(shift),       BOTH(adc_reg), BOTH(sbc_reg),     BOTH(shift),
        COMPARES(tst_reg), BOTH(rsb_imm), COMPARES(cmp_reg), COMPARES(cmn_reg),
        BOTH(orr_reg),     BOTH(mul),     BOTH(bic_reg),     BOTH(mvn_reg),
    };
    uint32_t op = bits(half, 9, 6);

    set(to, ops[op][flags], rd, op == 9 ? rm : rd, rm);
    if (op >= 2 && op <= 4) {
        to->shift = (uint8_t)((op - 2u) << 6);
    } else if (op == 7) {
        to->shift = 3u << 6;
    }
}

/* ADD, CMP, MOV with any registers, BX, BLX. r[15] reads as address + 4. */
static void high_registers(struct core_instruction *to,
                           const struct source *from)
{
    uint32_t half = from->first, pc = from->address + 4u;
    uint32_t rm = bits(half, 6, 3), rd = bits(half, 2, 0) | (half >> 4 & 8u);

    switch (bits(half, 9, 8)) {
    case 0:
        if (rd == 15) {
            set(to, rm == 15 ? core_op_unpredictable : core_op_add_pc, 15, 15,
                rm);
            to->imm = pc;
        } else if (rm == 15) {
            set_imm(to, core_op_add_imm, rd, rd, pc);
        } else {
            set(to, core_op_add_reg, rd, rd, rm);
        }
        break;
    case 1:
        set(to,
            rd == 15 || rm == 15 || (rd < 8 && rm < 8) ? core_op_unpredictable
                                                       : core_op_cmp_reg,
            0, rd, rm);
        break;
    case 2:
        if (rm == 15) {
            set_imm(to, rd == 15 ? core_op_unpredictable : core_op_mov_imm, rd,
                    0, pc);
        } else {
            set(to, rd == 15 ? core_op_mov_pc : core_op_mov_reg, rd, 0, rm);
        }
        break;
    default:
        set(to, (half & 1u << 7) != 0 ? core_op_blx : core_op_bx, 0, 0, rm);
        if ((half & 7u) != 0 || (rm == 15 && (half & 1u << 7) != 0)) {
            to->execute = core_op_unpredictable;
        } else if (rm == 15) {
            set_imm(to, core_op_bx_imm, 0, 0, pc & ~3u);
        }
        break;
    }
}

static void transfer_16(struct core_instruction *to, uint32_t half)
{
    static core_op *const by_register[8] = {
        core_op_str_reg, core_op_strh_reg, core_op_strb_reg, core_op_ldrsb_reg,
        core_op_ldr_reg, core_op_ldrh_reg, core_op_ldrb_reg, core_op_ldrsh_reg};
    static core_op *const by_offset[3][2] = {
        {core_op_str_imm, core_op_ldr_imm},
        {core_op_strb_imm, core_op_ldrb_imm},
        {core_op_strh_imm, core_op_ldrh_imm}};
    static const uint8_t scale[3] = {2, 0, 1};
    uint32_t rd = bits(half, 2, 0), rn = bits(half, 5, 3);
    bool load = (half & 1u << 11) != 0;
    uint32_t kind = bits(half, 15, 12);

    if (kind == 5) {
        set(to, by_register[bits(half, 11, 9)], rd, rn, bits(half, 8, 6));
    } else if (kind == 9) {
        set_imm(to, by_offset[0][load], bits(half, 10, 8), 13,
                bits(half, 7, 0) << 2);
    } else {
        set_imm(to, by_offset[kind - 6u][load], rd, rn,
                bits(half, 10, 6) << scale[kind - 6u]);
    }
}

void core_decode_list(struct core_instruction *to, core_op *execute,
                      uint32_t rn, uint32_t list, unsigned how)
{
    int words = __builtin_popcount(list);

    set_imm(to, words == 0 ? core_op_unpredictable : execute,
            4u * (uint32_t)words, rn, list);
    to->ra = (uint8_t)how;
    to->cycles = (uint8_t)(1 + words);
}

void core_decode_hint(struct core_instruction *to, const struct source *from)
{
    uint32_t mask = bits(from->first, 3, 0);
    uint32_t condition = bits(from->first, 7, 4);

    if (mask == 0) {
        set(to,
            condition == 3                     ? core_op_wfi
            : condition == 2 || condition == 4 ? core_op_undefined
                                               : core_op_nop,
            0, 0, 0);
        return;
    }
    set_imm(to, core_op_it, 0, 0, bits(from->first, 7, 0));
    if (from->in_it || condition == 15 ||
        (condition == 14 && (mask & (mask - 1u)) != 0)) {
        to->execute = core_op_unpredictable;
    }
}

static void adjust_sp(struct core_instruction *to, uint32_t half)
{
    set_imm(to, (half & 0x80u) != 0 ? core_op_sub_imm : core_op_add_imm, 13, 13,
            bits(half, 6, 0) << 2);
}

/* CBZ, CBNZ. */
static void compare_branch(struct core_instruction *to,
                           const struct source *from)
{
    uint32_t half = from->first;
    uint32_t offset = bits(half, 7, 3) << 1 | bits(half, 9, 9) << 6;

    set(to, NULL, 0, bits(half, 2, 0), 0);
    set_branch(to, from, (half & 1u << 11) != 0 ? core_op_cbnz : core_op_cbz,
               offset);
    if (from->in_it) {
        to->execute = core_op_unpredictable;
    }
}

static void extend_16(struct core_instruction *to, uint32_t half)
{
    static core_op *const ops[4] = {core_op_sxth, core_op_sxtb, core_op_uxth,
                                    core_op_uxtb};

    set(to, ops[bits(half, 7, 6)], bits(half, 2, 0), 15, bits(half, 5, 3));
}

static void reverse_16(struct core_instruction *to, uint32_t half)
{
    static core_op *const ops[4] = {core_op_rev, core_op_rev16,
                                    core_op_undefined, core_op_revsh};

    set(to, ops[bits(half, 7, 6)], bits(half, 2, 0), 0, bits(half, 5, 3));
}

static void miscellaneous_16(struct core_instruction *to,
                             const struct source *from)
{
    uint32_t half = from->first;

    switch (bits(half, 11, 8)) {
    case 0:
        adjust_sp(to, half);
        break;
    case 1:
    case 3:
    case 9:
    case 11:
        compare_branch(to, from);
        break;
    case 2:
        extend_16(to, half);
        break;
    case 4:
    case 5:
        core_decode_list(to, core_op_stm, 13,
                         bits(half, 7, 0) | bits(half, 8, 8) << 14,
                         CORE_LIST_DOWN | CORE_LIST_WRITE_BACK);
        break;
    case 6:
        set_imm(to, core_op_cps, 0, 0, bits(half, 4, 0));
        if ((half & 0xe0u) != 0x60u) {
            to->execute = core_op_undefined;
        } else if (from->in_it || (half & 0xcu) != 0) {
            to->execute = core_op_unpredictable;
        }
        break;
    case 10:
        reverse_16(to, half);
        break;
    case 12:
    case 13:
        core_decode_list(to, core_op_ldm, 13,
                         bits(half, 7, 0) | bits(half, 8, 8) << 15,
                         CORE_LIST_WRITE_BACK);
        break;
    case 14:
        set(to, core_op_bkpt, 0, 0, 0);
        break;
    case 15:
        core_decode_hint(to, from);
        break;
    default:
        break;
    }
}

static void branch_16(struct core_instruction *to, const struct source *from)
{
    uint32_t half = from->first, condition = bits(half, 11, 8);

    if (half >> 12 == 14) {
        set_branch(to, from, core_op_b,
                   sign_extend(bits(half, 10, 0) << 1, 12));
    } else if (condition == 15) {
        to->execute = core_op_svc;
    } else if (condition == 14) {
        to->execute = core_op_undefined;
    } else {
        set_branch(to, from, core_op_b_if[condition],
                   sign_extend(bits(half, 7, 0) << 1, 9));
        if (from->in_it) {
            to->execute = core_op_unpredictable;
        }
    }
}

static void decode_16(struct core_instruction *to, const struct source *from)
{
    uint32_t half = from->first, r8 = bits(half, 10, 8);
    uint32_t imm8 = bits(half, 7, 0);
    bool flags = !from->in_it;

    switch (half >> 12) {
    case 0:
    case 1:
    case 2:
    case 3:
        shift_add_move(to, half, flags);
        break;
    case 4:
        if ((half & 0x0800u) != 0) {
            set_imm(to, core_op_ldr_literal, r8, 0,
                    aligned_pc(from) + (imm8 << 2));
        } else if ((half & 0x0400u) != 0) {
            high_registers(to, from);
        } else {
            data_16(to, half, flags);
        }
        break;
    case 10: /* ADR; ADD rd, sp */
        if ((half & 0x0800u) == 0) {
            set_imm(to, core_op_mov_imm, r8, 0, aligned_pc(from) + (imm8 << 2));
        } else {
            set_imm(to, core_op_add_imm, r8, 13, imm8 << 2);
        }
        break;
    case 11:
        miscellaneous_16(to, from);
        break;
    case 12:
        core_decode_list(to, (half & 0x0800u) != 0 ? core_op_ldm : core_op_stm,
                         r8, imm8,
                         (half & 0x0800u) != 0 && (imm8 >> r8 & 1u) != 0
                             ? 0
                             : CORE_LIST_WRITE_BACK);
        break;
    case 13:
    case 14:
        branch_16(to, from);
        break;
    default:
        transfer_16(to, half);
        break;
    }
}

/* ---- all of it ---- */

static void unfetchable(struct core_instruction *to, uint32_t address)
{
    bool never = (address >= 0x40000000u && address < 0x60000000u) ||
                 address >= 0xa0000000u;

    to->execute = core_op_unfetchable;
    to->rd = never ? CORE_MEM_FAULT : CORE_BUS_FAULT;
    to->imm = never ? CORE_CFSR_IACCVIOL : CORE_CFSR_IBUSERR;
}

void core_decode(struct core_instruction *to, const struct core *core,
                 uint32_t key)
{
    struct source from = {
        .core = core, .address = key & ~1u, .in_it = (key & 1u) != 0};
    uint32_t offset;

    *to = (struct core_instruction){
        .execute = core_op_undefined, .bytes = 2, .cycles = 1, .key = key};
    to->line = CORE_MANY_LINES;
    if (!core_code_halfword(core, from.address, &from.first)) {
        unfetchable(to, from.address);
        return;
    }
    if (!core_is_wide(from.first)) {
        decode_16(to, &from);
    } else if (!core_code_halfword(core, from.address + 2u, &from.second)) {
        unfetchable(to, from.address);
        return;
    } else {
        to->bytes = 4;
        core_decode_32(to, &from);
    }
    if (core_in_flash(core, from.address, &offset) &&
        offset / 16u == (offset + to->bytes - 2u) / 16u) {
        to->line = offset / 16u;
    }
}
