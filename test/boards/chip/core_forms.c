/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/core_forms.h"

#include "test/boards/chip/core_execute.h"
#include "test/boards/chip/core_memory.h"

#include <string.h>

#define REFILL_CYCLES 2u
#define SP 13
#define NO_REGISTER 15 /* where 15 stands for none */
#define LSR_KIND (1u << 6)
#define ASR_KIND (2u << 6)
#define ROR_KIND (3u << 6)

/* ---- the table ---- */

#define ONE(name) .execute = {core_op_##name}
#define BOTH(name) .execute = {core_op_##name, core_op_##name##_s}
#define APART .flags = CORE_APART
#define NOT_IN_IT .flags = CORE_NOT_IN_IT
#define TWICE .flags = CORE_TWICE
#define LIST(how) .constant = CORE_LIST, .fixed = (how)

/* With a constant, and with a shifted register. */
#define DATA(op, name, d, n)                                                   \
    {"11110i0" op "s" n "0iii" d "iiiiiiii", BOTH(name##_imm), CORE_EXPANDED}, \
    {                                                                          \
        "1110101" op "s" n "0vvv" d "vvkkmmmm", BOTH(name##_reg)               \
    }
#define COMPARES(op, name, n)                                                  \
    {"11110i0" op "1" n "0iii1111iiiiiiii", ONE(name##_imm), CORE_EXPANDED},   \
    {                                                                          \
        "1110101" op "1" n "0vvv1111vvkkmmmm", ONE(name##_reg)                 \
    }
#define EXTENDS(op, name)                                                      \
    {"111110100" op "11111111dddd10vvmmmm", ONE(name), .rn = NO_REGISTER},     \
    {                                                                          \
        "111110100" op "nnnn1111dddd10vvmmmm", ONE(name)                       \
    }
#define TRANSFERS(top, op, name)                                               \
    {"1111100" top "1" op "bbbbddddiiiiiiiiiiii", ONE(name##_imm)},            \
        {"1111100" top "0" op "bbbbdddd1100iiiiiiii", ONE(name##_imm),         \
         CORE_DOWN},                                                           \
        {"1111100" top "0" op "bbbbdddd000000vvxxxx", ONE(name##_reg)},        \
        {"1111100" top "0" op "bbbbdddd11u1iiiiiiii", ONE(name##_pre)},        \
    {                                                                          \
        "1111100" top "0" op "bbbbdddd10u1iiiiiiii", ONE(name##_post)          \
    }
#define LITERAL(top, op, name)                                                 \
    {                                                                          \
        "1111100" top "u" op "1111ddddiiiiiiiiiiii", ONE(name##_literal),      \
            CORE_FROM_PC                                                       \
    }
#define PAIRS(op, second, name)                                                \
    {"11101001u10" op "bbbbdddd" second "iiiiiiii", ONE(name##_imm),           \
     CORE_TIMES_4, .cycles = 3},                                               \
        {"11101001u11" op "bbbbdddd" second "iiiiiiii", ONE(name##_pre),       \
         CORE_TIMES_4, .cycles = 3},                                           \
    {                                                                          \
        "11101000u11" op "bbbbdddd" second "iiiiiiii", ONE(name##_post),       \
            CORE_TIMES_4, .cycles = 3                                          \
    }

const struct core_form core_forms[] = {
    /* ---- 16 bits: data ---- */
    {"0001100mmmnnnddd", BOTH(add_reg)},
    {"0001101mmmnnnddd", BOTH(sub_reg)},
    {"0001110iiinnnddd", BOTH(add_imm)},
    {"0001111iiinnnddd", BOTH(sub_imm)},
    {"000kkvvvvvmmmddd", BOTH(mov_reg)},
    {"00100dddiiiiiiii", BOTH(mov_imm)},
    {"00101nnniiiiiiii", ONE(cmp_imm)},
    {"00110qqqiiiiiiii", BOTH(add_imm)},
    {"00111qqqiiiiiiii", BOTH(sub_imm)},
    {"0100000000mmmqqq", BOTH(and_reg)},
    {"0100000001mmmqqq", BOTH(eor_reg)},
    {"0100000010mmmqqq", BOTH(shift)},
    {"0100000011mmmqqq", BOTH(shift), .fixed = LSR_KIND},
    {"0100000100mmmqqq", BOTH(shift), .fixed = ASR_KIND},
    {"0100000101mmmqqq", BOTH(adc_reg)},
    {"0100000110mmmqqq", BOTH(sbc_reg)},
    {"0100000111mmmqqq", BOTH(shift), .fixed = ROR_KIND},
    {"0100001000mmmnnn", ONE(tst_reg)},
    {"0100001001nnnddd", BOTH(rsb_imm)},
    {"0100001010mmmnnn", ONE(cmp_reg)},
    {"0100001011mmmnnn", ONE(cmn_reg)},
    {"0100001100mmmqqq", BOTH(orr_reg)},
    {"0100001101mmmqqq", BOTH(mul)},
    {"0100001110mmmqqq", BOTH(bic_reg)},
    {"0100001111mmmddd", BOTH(mvn_reg)},
    {"01000100QMMMMQQQ", ONE(add_reg)},
    {"01000101NMMMMNNN", ONE(cmp_reg)},
    {"01000110DMMMMDDD", ONE(mov_reg)},
    {"10100dddiiiiiiii", ONE(mov_imm), CORE_FROM_PC_4},
    {"10101dddiiiiiiii", ONE(add_imm), CORE_TIMES_4, .rn = SP},
    {"101100000iiiiiii", ONE(add_imm), CORE_TIMES_4, .rd = SP, .rn = SP},
    {"101100001iiiiiii", ONE(sub_imm), CORE_TIMES_4, .rd = SP, .rn = SP},
    {"1011001000mmmddd", ONE(sxth), .rn = NO_REGISTER},
    {"1011001001mmmddd", ONE(sxtb), .rn = NO_REGISTER},
    {"1011001010mmmddd", ONE(uxth), .rn = NO_REGISTER},
    {"1011001011mmmddd", ONE(uxtb), .rn = NO_REGISTER},
    {"1011101000mmmddd", ONE(rev)},
    {"1011101001mmmddd", ONE(rev16)},
    {"1011101011mmmddd", ONE(revsh)},
    /* ---- 16 bits: loads and stores ---- */
    {"01001dddiiiiiiii", ONE(ldr_literal), CORE_FROM_PC_4},
    {"0101000xxxbbbddd", ONE(str_reg)},
    {"0101001xxxbbbddd", ONE(strh_reg)},
    {"0101010xxxbbbddd", ONE(strb_reg)},
    {"0101011xxxbbbddd", ONE(ldrsb_reg)},
    {"0101100xxxbbbddd", ONE(ldr_reg)},
    {"0101101xxxbbbddd", ONE(ldrh_reg)},
    {"0101110xxxbbbddd", ONE(ldrb_reg)},
    {"0101111xxxbbbddd", ONE(ldrsh_reg)},
    {"01100iiiiibbbddd", ONE(str_imm), CORE_TIMES_4},
    {"01101iiiiibbbddd", ONE(ldr_imm), CORE_TIMES_4},
    {"01110iiiiibbbddd", ONE(strb_imm)},
    {"01111iiiiibbbddd", ONE(ldrb_imm)},
    {"10000iiiiibbbddd", ONE(strh_imm), CORE_TIMES_2},
    {"10001iiiiibbbddd", ONE(ldrh_imm), CORE_TIMES_2},
    {"10010dddiiiiiiii", ONE(str_imm), CORE_TIMES_4, .rn = SP},
    {"10011dddiiiiiiii", ONE(ldr_imm), CORE_TIMES_4, .rn = SP},
    {"1011010lRRRRRRRR", ONE(stm), .rn = SP,
     LIST(CORE_LIST_DOWN | CORE_LIST_WRITE_BACK)},
    {"10111100RRRRRRRR", ONE(ldm), .rn = SP, LIST(CORE_LIST_WRITE_BACK)},
    {"10111101RRRRRRRR", ONE(ldm), .rn = SP,
     LIST(CORE_LIST_WRITE_BACK | CORE_LIST_PC), APART},
    {"11000bbbRRRRRRRR", ONE(stm), LIST(CORE_LIST_WRITE_BACK)},
    {"11001bbbRRRRRRRR", ONE(ldm), LIST(CORE_LIST_WRITE_BACK)},
    /* ---- 16 bits: branches and system ---- */
    {"010001110MMMM000", ONE(bx), APART},
    {"010001111MMMM000", ONE(blx), APART},
    {"101100i1iiiiinnn", ONE(cbz), CORE_FORWARD, NOT_IN_IT},
    {"101110i1iiiiinnn", ONE(cbnz), CORE_FORWARD, NOT_IN_IT},
    {"10110110011i0010", ONE(cps), .flags = CORE_NOT_IN_IT | CORE_APART},
    {"1011111100000000", ONE(nop)},
    {"1011111100110000", ONE(wfi), APART},
    {"10111111cccczzzz", ONE(it), CORE_BLOCK,
     .flags = CORE_NOT_IN_IT | CORE_APART},
    {"11011110iiiiiiii", ONE(undefined), APART},
    {"1101cccciiiiiiii", ONE(b), CORE_NEAR, NOT_IN_IT},
    {"11100iiiiiiiiiii", ONE(b), CORE_NEAR},
    /* ---- 32 bits: data ---- */
    DATA("0000", and, "dddd", "nnnn"),
    DATA("0001", bic, "dddd", "nnnn"),
    DATA("0010", orr, "dddd", "nnnn"),
    DATA("0010", mov, "dddd", "1111"),
    DATA("0011", orn, "dddd", "nnnn"),
    DATA("0011", mvn, "dddd", "1111"),
    DATA("0100", eor, "dddd", "nnnn"),
    DATA("1000", add, "DDDD", "NNNN"),
    DATA("1010", adc, "dddd", "nnnn"),
    DATA("1011", sbc, "dddd", "nnnn"),
    DATA("1101", sub, "DDDD", "NNNN"),
    DATA("1110", rsb, "dddd", "nnnn"),
    COMPARES("0000", tst, "nnnn"),
    COMPARES("0100", teq, "nnnn"),
    COMPARES("1000", cmn, "NNNN"),
    COMPARES("1101", cmp, "NNNN"),
    {"11110i100000NNNN0iiiDDDDiiiiiiii", ONE(add_imm)},
    {"11110i101010NNNN0iiiDDDDiiiiiiii", ONE(sub_imm)},
    {"11110i10000011110iiiddddiiiiiiii", ONE(mov_imm), CORE_FROM_PC},
    {"11110i100100hhhh0iiiddddiiiiiiii", ONE(mov_imm)},
    {"11110i101100hhhh0iiiqqqqiiiiiiii", ONE(movt)},
    {"111100110000nnnn0vvvddddvv0iiiii", ONE(ssat)},
    {"111100110010nnnn0zzzddddzz0iiiii", ONE(ssat), .fixed = ASR_KIND},
    {"111100111000nnnn0vvvddddvv0iiiii", ONE(usat)},
    {"111100111010nnnn0zzzddddzz0iiiii", ONE(usat), .fixed = ASR_KIND},
    {"111100110100nnnn0vvvddddvv0wwwww", ONE(sbfx)},
    {"111100111100nnnn0vvvddddvv0wwwww", ONE(ubfx)},
    {"111100110110nnnn0vvvddddvv0WWWWW", ONE(bfi)},
    {"11110011011011110vvvddddvv0WWWWW", ONE(bfi), .rn = NO_REGISTER},
    {"111110100kksnnnn1111dddd0000mmmm", BOTH(shift)},
    EXTENDS("000", sxth),
    EXTENDS("001", uxth),
    EXTENDS("100", sxtb),
    EXTENDS("101", uxtb),
    {"111110101000nnnn1111dddd0100mmmm", ONE(uadd8)},
    {"111110101010nnnn1111dddd1000mmmm", ONE(sel)},
    {"111110101001nnnn1111dddd1000mmmm", ONE(rev), TWICE},
    {"111110101001nnnn1111dddd1001mmmm", ONE(rev16), TWICE},
    {"111110101001nnnn1111dddd1010mmmm", ONE(rbit), TWICE},
    {"111110101001nnnn1111dddd1011mmmm", ONE(revsh), TWICE},
    {"111110101011nnnn1111dddd1000mmmm", ONE(clz), TWICE},
    {"111110110000nnnn1111dddd0000mmmm", ONE(mul)},
    {"111110110000nnnnaaaadddd0000mmmm", ONE(mla), .cycles = 2},
    {"111110110000nnnnaaaadddd0001mmmm", ONE(mls), .cycles = 2},
    {"111110110001nnnn1111dddd00iimmmm", ONE(smul_half)},
    {"111110111000nnnnddddeeee0000mmmm", ONE(smull)},
    {"111110111010nnnnddddeeee0000mmmm", ONE(umull)},
    {"111110111100nnnnddddeeee0000mmmm", ONE(smlal)},
    {"111110111100nnnnddddeeee10iimmmm", ONE(smlal_half)},
    {"111110111110nnnnddddeeee0000mmmm", ONE(umlal)},
    {"111110111001nnnn1111dddd1111mmmm", ONE(sdiv), .cycles = 2},
    {"111110111011nnnn1111dddd1111mmmm", ONE(udiv), .cycles = 2},
    /* ---- 32 bits: loads and stores ---- */
    TRANSFERS("0", "000", strb),
    TRANSFERS("0", "010", strh),
    TRANSFERS("0", "100", str),
    TRANSFERS("0", "001", ldrb),
    TRANSFERS("0", "011", ldrh),
    TRANSFERS("0", "101", ldr),
    TRANSFERS("1", "001", ldrsb),
    TRANSFERS("1", "011", ldrsh),
    LITERAL("0", "001", ldrb),
    LITERAL("0", "011", ldrh),
    LITERAL("0", "101", ldr),
    LITERAL("1", "001", ldrsb),
    LITERAL("1", "011", ldrsh),
    {"111110001101bbbb1111iiiiiiiiiiii", ONE(ldr_pc_imm), APART},
    {"111110000101bbbb1111000000vvxxxx", ONE(ldr_pc_reg), APART},
    {"111110000101bbbb111110u1iiiiiiii", ONE(ldr_pc_post), APART},
    PAIRS("0", "aaaa", strd),
    PAIRS("1", "eeee", ldrd),
    {"11101001u1011111ddddeeeeiiiiiiii", ONE(ldrd_literal), CORE_FROM_PC_4,
     .cycles = 3},
    {"1110100010y0bbbb0l0RRRRRRRRRRRRR", ONE(stm), LIST(0)},
    {"1110100100y0bbbb0l0RRRRRRRRRRRRR", ONE(stm), LIST(CORE_LIST_DOWN)},
    {"1110100010y1bbbb0l0RRRRRRRRRRRRR", ONE(ldm), LIST(0)},
    {"1110100100y1bbbb0l0RRRRRRRRRRRRR", ONE(ldm), LIST(CORE_LIST_DOWN)},
    {"1110100010y1bbbb100RRRRRRRRRRRRR", ONE(ldm), LIST(CORE_LIST_PC), APART},
    {"1110100100y1bbbb100RRRRRRRRRRRRR", ONE(ldm),
     LIST(CORE_LIST_DOWN | CORE_LIST_PC), APART},
    /* ---- 32 bits: branches and system ---- */
    {"1110100011011111111100000000mmmm", ONE(tbb), CORE_TABLE, APART},
    {"1110100011011111111100000001mmmm", ONE(tbh), CORE_TABLE, APART},
    {"111100111000nnnn10001000iiiiiiii", ONE(msr), .cycles = 2, APART},
    {"11110011111011111000ddddiiiiiiii", ONE(mrs), .cycles = 2, APART},
    {"11110011101011111000000000000000", ONE(nop)},
    /* DSB, DMB, ISB */
    {"1111001110111111100011110100iiii", ONE(dmb), .cycles = 2, APART},
    {"1111001110111111100011110101iiii", ONE(dmb), .cycles = 2, APART},
    {"1111001110111111100011110110iiii", ONE(dmb), .cycles = 2, APART},
    {"111101111111iiii1010iiiiiiiiiiii", ONE(undefined), APART},
    {"11110icccciiiiii10i0iiiiiiiiiiii", ONE(b), CORE_FAR_IF, NOT_IN_IT},
    {"11110iiiiiiiiiii10i1iiiiiiiiiiii", ONE(b), CORE_FAR},
    {"11110iiiiiiiiiii11i1iiiiiiiiiiii", ONE(bl), CORE_FAR},
};
const unsigned core_form_count = sizeof core_forms / sizeof *core_forms;

/* ---- what is of a form ---- */

/* The bits that a form has as they are; worked out once. */
struct fixed_bits {
    uint32_t mask, value;
};

static const struct fixed_bits *fixed_bits(void)
{
    static struct fixed_bits of[sizeof core_forms / sizeof *core_forms];

    for (unsigned i = 0; of[0].mask == 0 && i < core_form_count; ++i) {
        unsigned form = core_form_count - 1u - i;
        uint32_t bit = 1u << 31;

        for (const char *at = core_forms[form].bits; *at != '\0'; ++at) {
            of[form].mask |= *at <= '1' ? bit : 0;
            of[form].value |= *at == '1' ? bit : 0;
            bit >>= 1;
        }
    }
    return of;
}

static void read_fields(struct core_fields *fields, const char *bits,
                        uint32_t word)
{
    memset(fields, 0, sizeof *fields);
    for (; *bits != '\0'; ++bits, word <<= 1) {
        unsigned letter = (unsigned char)*bits;

        if (letter > '1') {
            fields->value[letter] = fields->value[letter] << 1 | word >> 31;
            fields->width[letter] += 1;
        }
    }
}

/* Fields of 4 bits with one of these letters name none of the registers. */
static bool name_none(const struct core_fields *f, const char *letters,
                      uint32_t registers)
{
    for (; *letters != '\0'; ++letters) {
        unsigned letter = (unsigned char)*letters;

        if (f->width[letter] == 4 && (registers >> f->value[letter] & 1u)) {
            return false;
        }
    }
    return true;
}

/* sp is what comes of an addition only to sp. */
static bool destination_fits(const struct core_fields *f)
{
    return (f->width['e'] == 0 || f->value['e'] != f->value['d']) &&
           (f->width['N'] == 0 || f->value['D'] != SP || f->value['N'] == SP);
}

static bool bit_field_fits(const struct core_fields *f)
{
    return f->value['v'] + f->value['w'] <= 31 &&
           (f->width['W'] == 0 || f->value['W'] >= f->value['v']);
}

bool core_form_takes(const struct core_form *form, uint32_t word,
                     struct core_fields *fields)
{
    const struct fixed_bits *fixed = fixed_bits() + (form - core_forms);
    const struct core_fields *f = fields;

    if ((word & fixed->mask) != fixed->value) {
        return false;
    }
    read_fields(fields, form->bits, word);
    return name_none(f, "denmaqx", 1u << 13 | 1u << 15) &&
           name_none(f, "bDNMQ", 1u << 15) && destination_fits(f) &&
           bit_field_fits(f) && f->value['c'] < 14 &&
           (f->width['z'] == 0 || f->value['z'] != 0) &&
           ((form->flags & CORE_TWICE) == 0 || f->value['n'] == f->value['m']);
}

/* ---- what is made of it ---- */

/* What is decoded: where it stands. */
struct source {
    const struct core *core;
    uint32_t address;
    bool in_it;
};

static uint32_t sign_extend(uint32_t value, unsigned width)
{
    uint32_t sign = 1u << (width - 1u);

    return (value ^ sign) - sign;
}

/* A5.3.2; ra: the carry, if the constant has one. */
static uint32_t expanded(struct core_instruction *to, uint32_t imm12)
{
    uint32_t byte = imm12 & 255u, rotation = imm12 >> 7;

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
        byte |= 0x80u;
        byte = byte >> rotation | byte << (32u - rotation);
        to->ra = (uint8_t)(byte >> 31);
        return byte;
    }
}

/* S, 10 bits, J1, J2, 11 bits (A7.7.12, T4). */
static uint32_t far_offset(uint32_t i)
{
    uint32_t sign = i >> 23, i1 = ~((i >> 12) ^ sign) & 1u;
    uint32_t i2 = ~((i >> 11) ^ sign) & 1u;

    return sign_extend(sign << 24 | i1 << 23 | i2 << 22 |
                           (i >> 13 & 0x3ffu) << 12 | (i & 0x7ffu) << 1,
                       25);
}

/* S, 6 bits, J1, J2, 11 bits (T3). */
static uint32_t far_if_offset(uint32_t i)
{
    return sign_extend((i >> 19) << 20 | (i >> 11 & 1u) << 19 |
                           (i >> 12 & 1u) << 18 | (i >> 13 & 0x3fu) << 12 |
                           (i & 0x7ffu) << 1,
                       21);
}

/* ra: how; rd: bytes. An LDM of 16 bits that loads its base does not write it
   back. */
static uint32_t list(struct core_instruction *to, const struct core_form *form,
                     const uint32_t *v)
{
    bool to_pc = (form->fixed & CORE_LIST_PC) != 0;
    uint32_t list = v['R'] | v['l'] << 14 | (to_pc ? 1u << 15 : 0);
    uint32_t back = v['y'] != 0 ? CORE_LIST_WRITE_BACK : 0;
    unsigned words = (unsigned)__builtin_popcount(list);

    to->ra = (uint8_t)(form->fixed | back);
    if (to->execute == core_op_ldm && (list >> to->rn & 1u) != 0) {
        to->ra &= (uint8_t)~CORE_LIST_WRITE_BACK;
    }
    to->rd = (uint8_t)(4u * words);
    to->cycles = (uint8_t)(1u + words);
    return list;
}

static uint32_t constant_of(struct core_instruction *to,
                            const struct core_form *form,
                            const struct core_fields *f, uint32_t address)
{
    const uint32_t *v = f->value;
    uint32_t bits = v['h'] << 12 | v['i'] | v['w'] | v['W'];
    bool down = f->width['u'] != 0 && v['u'] == 0;
    uint32_t imm = down ? -bits : bits, word = (address + 4u) & ~3u;

    switch (form->constant) {
    case CORE_TIMES_2:
        return 2u * imm;
    case CORE_TIMES_4:
        return 4u * imm;
    case CORE_DOWN:
        return -imm;
    case CORE_EXPANDED:
        return expanded(to, imm);
    case CORE_FROM_PC:
        return word + imm;
    case CORE_FROM_PC_4:
        return word + 4u * imm;
    case CORE_TABLE:
        return address + 4u;
    case CORE_BLOCK:
        return v['c'] << 4 | v['z'];
    case CORE_LIST:
        return list(to, form, v);
    case CORE_FORWARD:
        return address + 4u + 2u * imm;
    case CORE_NEAR:
        return address + 4u + sign_extend(2u * imm, f->width['i'] + 1u);
    case CORE_FAR:
        return address + 4u + far_offset(imm);
    case CORE_FAR_IF:
        return address + 4u + far_if_offset(imm);
    default:
        return imm;
    }
}

/* Kind 3 by 0 is RRX; LSR and ASR by 0 are by 32. */
static uint8_t shift_of(const struct core_form *form,
                        const struct core_fields *f)
{
    uint32_t kind = f->value['k'] | form->fixed >> 6;
    uint32_t amount = f->value['v'] | f->value['z'];

    if (amount == 0 && (kind == 1 || kind == 2)) {
        amount = 32;
    }
    return (uint8_t)(kind << 6 | amount);
}

static core_op *operation(const struct core_form *form,
                          const struct core_fields *f, bool in_it)
{
    bool flags = f->width['s'] != 0 ? f->value['s'] != 0 : !in_it;

    if (f->width['c'] != 0 && form->constant != CORE_BLOCK) {
        return core_op_b_if[f->value['c']];
    }
    return form->execute[flags && form->execute[1] != NULL];
}

static void make(struct core_instruction *to, const struct core_form *form,
                 const struct core_fields *f, const struct source *from)
{
    const uint32_t *v = f->value;

    to->execute = operation(form, f, from->in_it);
    to->rd = (uint8_t)(form->rd | v['d'] | v['D'] | v['q'] | v['Q']);
    to->rn = (uint8_t)(form->rn | v['n'] | v['N'] | v['b'] | v['q'] | v['Q']);
    to->rm = (uint8_t)(v['m'] | v['M'] | v['x']);
    to->ra = f->width['a'] + f->width['e'] != 0 ? (uint8_t)(v['a'] | v['e'])
                                                : CORE_CARRY_AS_IT_WAS;
    to->shift = shift_of(form, f);
    to->cycles = form->cycles == 0 ? 1 : form->cycles;
    to->imm = constant_of(to, form, f, from->address);
    if (form->constant >= CORE_FORWARD) {
        to->refill = (uint8_t)core_refill(from->core, to->imm);
    }
}

/* ---- code ---- */

static bool is_wide(uint32_t half)
{
    return half >> 11 >= 0x1du;
}

unsigned core_refill(const struct core *core, uint32_t target)
{
    uint32_t half;

    return (target & 2u) != 0 && core_code_halfword(core, target, &half) &&
                   is_wide(half)
               ? REFILL_CYCLES + 1u
               : REFILL_CYCLES;
}

static void find(struct core_instruction *to, uint32_t word,
                 const struct source *from)
{
    unsigned not_here = from->in_it ? CORE_NOT_IN_IT : 0;
    struct core_fields fields;

    for (unsigned i = 0; i < core_form_count; ++i) {
        const struct core_form *form = &core_forms[i];

        if (core_form_takes(form, word, &fields)) {
            if ((form->flags & not_here) == 0) {
                make(to, form, &fields, from);
            }
            return;
        }
    }
}

void core_decode_plain(struct core_instruction *to, const struct core *core,
                       uint32_t key)
{
    struct source from = {
        .core = core, .address = key & ~1u, .in_it = (key & 1u) != 0};
    uint32_t first = 0, second = 0, offset;

    *to = (struct core_instruction){.execute = core_op_missing,
                                    .key = key,
                                    .line = CORE_MANY_LINES,
                                    .cycles = 1};
    if (!core_code_halfword(core, from.address, &first)) {
        to->imm = from.address;
        return;
    }
    to->bytes = is_wide(first) ? 4 : 2;
    core_code_halfword(core, from.address + 2u, &second);
    to->imm = is_wide(first) ? first << 16 | second : first;
    find(to, first << 16 | second, &from);
    if (core_in_flash(core, from.address, &offset) &&
        offset / 16u == (offset + to->bytes - 2u) / 16u) {
        to->line = offset / 16u;
    }
}

void core_decode(struct core_instruction *to, const struct core *core,
                 uint32_t key)
{
    const struct core_marks *marks = core->config.marks;

    core_decode_plain(to, core, key);
    for (uint32_t i = 0; marks != NULL && i < marks->count; ++i) {
        if (marks->mark[i].at == (key & ~1u)) {
            to->execute = core_op_marked;
        }
    }
}
