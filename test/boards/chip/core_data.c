/* SPDX-License-Identifier: Apache-2.0 */
/* Data processing: registers and flags, no memory. */
#include "test/boards/chip/core_exceptions.h"
#include "test/boards/chip/core_execute.h"
#include "test/boards/chip/core_state.h"

/* ---- operands ---- */

static uint32_t rotate(uint32_t value, uint32_t amount)
{
    return value >> (amount & 31u) | value << (-amount & 31u);
}

/* amount: 1 to 255 (kinds 0 to 2: LSL, LSR, ASR; 3: ROR). */
static uint32_t shift_by(uint32_t value, unsigned kind, uint32_t amount,
                         uint32_t *carry)
{
    uint64_t wide = (uint64_t)value << 32;

    if (kind == 3) {
        value = rotate(value, amount);
        *carry = value >> 31;
        return value;
    }
    amount = amount > 33 ? 33 : amount;
    switch (kind) {
    case 0:
        wide = (uint64_t)value << amount;
        *carry = amount > 32 ? 0 : (uint32_t)(wide >> 32) & 1u;
        return (uint32_t)wide;
    case 1:
        wide >>= amount;
        break;
    default:
        wide = (uint64_t)((int64_t)wide >> amount);
        break;
    }
    *carry = (uint32_t)wide >> 31;
    return (uint32_t)(wide >> 32);
}

/* Kind 3 by 0 is RRX: by one, the carry in at the top. */
static uint32_t shift_fixed(uint32_t value, unsigned shift, uint32_t *carry)
{
    uint32_t before = *carry;

    if ((shift & 63u) != 0) {
        return shift_by(value, shift >> 6, shift & 63u, carry);
    }
    *carry = value & 1u;
    return value >> 1 | before << 31;
}

static inline uint32_t second(const struct core *core,
                              const struct core_instruction *of,
                              uint32_t *carry)
{
    uint32_t value = core->r[of->rm];

    return of->shift == 0 ? value : shift_fixed(value, of->shift, carry);
}

/* ---- flags ---- */

/* Of x + y + carry. */
static inline void added(struct core *core, uint32_t x, uint32_t y,
                         uint32_t carry)
{
    uint64_t sum = (uint64_t)x + y + carry;
    uint32_t result = (uint32_t)sum;

    core_set_nz(core, result);
    core->carry = (uint32_t)(sum >> 32);
    core->overflow = ((x ^ result) & (y ^ result)) >> 31;
}

static inline void logical(struct core *core, uint32_t result, uint32_t carry)
{
    core_set_nz(core, result);
    core->carry = carry;
}

/* ---- one result of x, which is rn, and y: a constant or rm, shifted ---- */

static inline uint32_t constant(const struct core *core,
                                const struct core_instruction *of,
                                uint32_t *carry)
{
    (void)core;
    if (of->ra != CORE_CARRY_AS_IT_WAS) {
        *carry = of->ra;
    }
    return of->imm;
}

#define FORM(name, operand, result, flags, store)                              \
    void core_op_##name(struct core *core, const struct core_instruction *of)  \
    {                                                                          \
        uint32_t carry = core->carry, x = core->r[of->rn];                     \
        uint32_t y = operand(core, of, &carry), value = (result);              \
                                                                               \
        (void)x;                                                               \
        flags;                                                                 \
        store;                                                                 \
    }
#define FORMS(name, result, flags)                                             \
    FORM(name##_imm, constant, result, (void)0, core->r[of->rd] = value)       \
    FORM(name##_imm_s, constant, result, flags, core->r[of->rd] = value)       \
    FORM(name##_reg, second, result, (void)0, core->r[of->rd] = value)         \
    FORM(name##_reg_s, second, result, flags, core->r[of->rd] = value)
#define COMPARES(name, result, flags)                                          \
    FORM(name##_imm, constant, result, flags, (void)value)                     \
    FORM(name##_reg, second, result, flags, (void)value)

#define LOGICAL logical(core, value, carry)
FORMS(and, x &y, LOGICAL)
FORMS(bic, x & ~y, LOGICAL)
FORMS(orr, x | y, LOGICAL)
FORMS(orn, x | ~y, LOGICAL)
FORMS(eor, x ^ y, LOGICAL)
FORMS(mov, y, LOGICAL)
FORMS(mvn, ~y, LOGICAL)
COMPARES(tst, x &y, LOGICAL)
COMPARES(teq, x ^ y, LOGICAL)

FORMS(add, x + y, added(core, x, y, 0))
FORMS(adc, x + y + core->carry, added(core, x, y, core->carry))
FORMS(sbc, x + ~y + core->carry, added(core, x, ~y, core->carry))
FORMS(sub, x - y, added(core, x, ~y, 1))
FORMS(rsb, y - x, added(core, ~x, y, 1))
COMPARES(cmp, x - y, added(core, x, ~y, 1))
COMPARES(cmn, x + y, added(core, x, y, 0))

/* ---- shifts by a register ---- */

static uint32_t shifted(const struct core *core,
                        const struct core_instruction *of, uint32_t *carry)
{
    uint32_t value = core->r[of->rn], amount = core->r[of->rm] & 255u;

    return amount == 0 ? value : shift_by(value, of->shift >> 6, amount, carry);
}

FORM(shift, shifted, y, (void)0, core->r[of->rd] = value)
FORM(shift_s, shifted, y, LOGICAL, core->r[of->rd] = value)

/* ---- bits and bytes ---- */

static int32_t s32(uint32_t value)
{
    return (int32_t)value;
}

/* The lower half, as a signed number. */
static uint32_t widened(uint32_t value)
{
    return (uint32_t)(int16_t)value;
}

#define RESULT(name, value) CORE_OP(name, core->r[of->rd] = (value))

RESULT(movt, (x & 0xffffu) | of->imm << 16)
RESULT(clz, y == 0 ? 32u : (uint32_t)__builtin_clz(y))
RESULT(rev, __builtin_bswap32(y))
RESULT(rev16, rotate(__builtin_bswap32(y), 16))
RESULT(revsh, widened(__builtin_bswap32(y) >> 16))
RESULT(ubfx, x >> of->shift & 0xffffffffu >> (31u - of->imm))
RESULT(sbfx,
       (uint32_t)(s32(x << (31u - of->imm - of->shift)) >> (31u - of->imm)))

void core_op_rbit(struct core *core, const struct core_instruction *of)
{
    uint32_t v = core->r[of->rm];

    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    core->r[of->rd] = __builtin_bswap32(v);
}

static uint32_t addend(const struct core *core,
                       const struct core_instruction *of)
{
    return of->rn == 15 ? 0 : core->r[of->rn];
}

/* BFC is BFI of rn 15: zeros. */
void core_op_bfi(struct core *core, const struct core_instruction *of)
{
    uint32_t width = of->imm - of->shift + 1u;
    uint32_t mask = 0xffffffffu >> (32u - width) << of->shift;
    uint32_t value = addend(core, of) << of->shift;

    core->r[of->rd] = (core->r[of->rd] & ~mask) | (value & mask);
}

/* ---- extensions ---- */

#define EXTEND(name, type)                                                     \
    void core_op_##name(struct core *core, const struct core_instruction *of)  \
    {                                                                          \
        uint32_t rotated = rotate(core->r[of->rm], 8u * of->shift);            \
        uint32_t value = (uint32_t)(type)rotated;                              \
                                                                               \
        core->r[of->rd] = addend(core, of) + value;                            \
    }

EXTEND(sxtb, int8_t)
EXTEND(sxth, int16_t)
EXTEND(uxtb, uint8_t)
EXTEND(uxth, uint16_t)

/* ---- multiplication; x is rn, y is rm; a pair is ra and rd ---- */

static uint64_t pair(const struct core *core, const struct core_instruction *of)
{
    return (uint64_t)core->r[of->ra] << 32 | core->r[of->rd];
}

static void put_pair(struct core *core, const struct core_instruction *of,
                     uint64_t value)
{
    core->r[of->rd] = (uint32_t)value;
    core->r[of->ra] = (uint32_t)(value >> 32);
}

RESULT(mul, x *y)
CORE_OP(mul_s, core->r[of->rd] = x * y; core_set_nz(core, x *y))
RESULT(mla, core->r[of->ra] + x * y)
RESULT(mls, core->r[of->ra] - x * y)
#define SIGNED_PRODUCT (uint64_t)((int64_t)s32(x) * s32(y))
CORE_OP(umull, put_pair(core, of, (uint64_t)x *y))
CORE_OP(umlal, put_pair(core, of, pair(core, of) + (uint64_t)x * y))
CORE_OP(smull, put_pair(core, of, SIGNED_PRODUCT))
CORE_OP(smlal, put_pair(core, of, pair(core, of) + SIGNED_PRODUCT))

/* ---- division: 2 to 12 cycles, by how many bits the quotient has ---- */

static uint32_t magnitude(uint32_t value, bool is_signed)
{
    return is_signed && s32(value) < 0 ? -value : value;
}

static void divide(struct core *core, const struct core_instruction *of,
                   bool is_signed)
{
    uint32_t x = magnitude(core->r[of->rn], is_signed);
    uint32_t y = magnitude(core->r[of->rm], is_signed);
    bool negative = is_signed && s32(core->r[of->rn] ^ core->r[of->rm]) < 0;
    uint32_t quotient = y == 0 ? 0 : x / y;

    if (y == 0 && (core->system.ccr & CORE_CCR_DIV_0_TRP) != 0) {
        core_fault(core, CORE_CFSR_DIVBYZERO);
        return;
    }
    if (quotient != 0) {
        int bits = __builtin_clz(y) - __builtin_clz(x) + 1;

        core->cycle += (uint64_t)(2 + bits / 4);
    }
    core->r[of->rd] = negative ? -quotient : quotient;
}

CORE_OP(sdiv, divide(core, of, true))
CORE_OP(udiv, divide(core, of, false))

/* ---- halves and bytes ---- */

#define HALVES_PRODUCT                                                         \
    (widened((of->imm & 2u) != 0 ? x >> 16 : x) *                              \
     widened((of->imm & 1u) != 0 ? y >> 16 : y))
RESULT(smul_half, HALVES_PRODUCT)
CORE_OP(smlal_half,
        put_pair(core, of,
                 pair(core, of) + (uint64_t)(int64_t)s32(HALVES_PRODUCT)))

void core_op_uadd8(struct core *core, const struct core_instruction *of)
{
    uint32_t x = core->r[of->rn], y = core->r[of->rm], result = 0;

    core->ge = 0;
    for (unsigned at = 0; at < 32; at += 8) {
        uint32_t sum = (x >> at & 255u) + (y >> at & 255u);

        result |= (sum & 255u) << at;
        core->ge |= (sum >> 8) << at / 8u;
    }
    core->r[of->rd] = result;
}

void core_op_sel(struct core *core, const struct core_instruction *of)
{
    uint32_t mask = 0;

    for (unsigned i = 0; i < 4; ++i) {
        mask |= (core->ge >> i & 1u) != 0 ? 255u << 8 * i : 0;
    }
    core->r[of->rd] = (core->r[of->rn] & mask) | (core->r[of->rm] & ~mask);
}

/* ---- saturation ---- */

/* rn shifted: kind 0, left; kind 2, arithmetically right. */
static void saturate(struct core *core, const struct core_instruction *of,
                     int64_t lowest, int64_t highest)
{
    unsigned amount = of->shift & 63u;
    uint32_t x = core->r[of->rn];
    int64_t value = of->shift >> 6 == 0 ? s32(x << amount) : s32(x) >> amount;

    if (value < lowest || value > highest) {
        value = value < lowest ? lowest : highest;
        core->saturated = 1;
    }
    core->r[of->rd] = (uint32_t)value;
}

#define LIMIT (INT64_C(1) << of->imm)
CORE_OP(ssat, saturate(core, of, -LIMIT, LIMIT - 1))
CORE_OP(usat, saturate(core, of, 0, LIMIT - 1))
