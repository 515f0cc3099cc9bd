/* SPDX-License-Identifier: Apache-2.0 */
/* Data processing: the instructions of one result and one or two operands. */
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

/* Bits 1 and 0 of sp are 0 whatever is written. */
static inline void put(struct core *core, unsigned rd, uint32_t value)
{
    core->r[rd] = rd == 13 ? value & ~3u : value;
}

/* ---- flags ---- */

static inline uint32_t add(struct core *core, uint32_t x, uint32_t y,
                           uint32_t carry)
{
    uint64_t sum = (uint64_t)x + y + carry;
    uint32_t result = (uint32_t)sum;

    core_set_nz(core, result);
    core->carry = (uint32_t)(sum >> 32);
    core->overflow = ((x ^ result) & (y ^ result)) >> 31;
    return result;
}

static inline void logical(struct core *core, uint32_t result, uint32_t carry)
{
    core_set_nz(core, result);
    core->carry = carry;
}

static inline uint32_t immediate_carry(const struct core *core,
                                       const struct core_instruction *of)
{
    return of->ra == CORE_CARRY_AS_IT_WAS ? core->carry : of->ra;
}

/* ---- logical; x is rn, y the second operand ---- */

#define LOGICAL(name, expression)                                              \
    void core_op_##name##_imm(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        uint32_t x = core->r[of->rn], y = of->imm;                             \
                                                                               \
        (void)x;                                                               \
        core->r[of->rd] = expression;                                          \
    }                                                                          \
    void core_op_##name##_imm_s(struct core *core,                             \
                                const struct core_instruction *of)             \
    {                                                                          \
        uint32_t x = core->r[of->rn], y = of->imm;                             \
                                                                               \
        (void)x;                                                               \
        core->r[of->rd] = expression;                                          \
        logical(core, expression, immediate_carry(core, of));                  \
    }                                                                          \
    void core_op_##name##_reg(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        uint32_t carry = core->carry;                                          \
        uint32_t x = core->r[of->rn], y = second(core, of, &carry);            \
                                                                               \
        (void)x;                                                               \
        put(core, of->rd, expression);                                         \
    }                                                                          \
    void core_op_##name##_reg_s(struct core *core,                             \
                                const struct core_instruction *of)             \
    {                                                                          \
        uint32_t carry = core->carry;                                          \
        uint32_t x = core->r[of->rn], y = second(core, of, &carry);            \
                                                                               \
        (void)x;                                                               \
        core->r[of->rd] = expression;                                          \
        logical(core, expression, carry);                                      \
    }

LOGICAL(and, (x & y))
LOGICAL(bic, (x & ~y))
LOGICAL(orr, (x | y))
LOGICAL(orn, (x | ~y))
LOGICAL(eor, (x ^ y))
LOGICAL(mov, (y))
LOGICAL(mvn, (~y))

/* ---- arithmetic: a + b + c in terms of x, y and the carry ---- */

#define ARITHMETIC(name, a, b, c)                                              \
    void core_op_##name##_imm(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        uint32_t x = core->r[of->rn], y = of->imm;                             \
                                                                               \
        put(core, of->rd, (a) + (b) + (c));                                    \
    }                                                                          \
    void core_op_##name##_imm_s(struct core *core,                             \
                                const struct core_instruction *of)             \
    {                                                                          \
        uint32_t x = core->r[of->rn], y = of->imm;                             \
                                                                               \
        put(core, of->rd, add(core, a, b, c));                                 \
    }                                                                          \
    void core_op_##name##_reg(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        uint32_t carry = core->carry;                                          \
        uint32_t x = core->r[of->rn], y = second(core, of, &carry);            \
                                                                               \
        put(core, of->rd, (a) + (b) + (c));                                    \
    }                                                                          \
    void core_op_##name##_reg_s(struct core *core,                             \
                                const struct core_instruction *of)             \
    {                                                                          \
        uint32_t carry = core->carry;                                          \
        uint32_t x = core->r[of->rn], y = second(core, of, &carry);            \
                                                                               \
        put(core, of->rd, add(core, a, b, c));                                 \
    }

ARITHMETIC(add, x, y, 0)
ARITHMETIC(adc, x, y, core->carry)
ARITHMETIC(sbc, x, ~y, core->carry)
ARITHMETIC(sub, x, ~y, 1u)
ARITHMETIC(rsb, ~x, y, 1u)

/* ---- comparisons ---- */

#define TEST(name, expression)                                                 \
    void core_op_##name##_imm(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        uint32_t x = core->r[of->rn], y = of->imm;                             \
                                                                               \
        logical(core, expression, immediate_carry(core, of));                  \
    }                                                                          \
    void core_op_##name##_reg(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        uint32_t carry = core->carry;                                          \
        uint32_t x = core->r[of->rn], y = second(core, of, &carry);            \
                                                                               \
        logical(core, expression, carry);                                      \
    }

TEST(tst, (x & y))
TEST(teq, (x ^ y))

#define COMPARE(name, b, c)                                                    \
    void core_op_##name##_imm(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        uint32_t y = of->imm;                                                  \
                                                                               \
        add(core, core->r[of->rn], b, c);                                      \
    }                                                                          \
    void core_op_##name##_reg(struct core *core,                               \
                              const struct core_instruction *of)               \
    {                                                                          \
        uint32_t carry = core->carry;                                          \
        uint32_t y = second(core, of, &carry);                                 \
                                                                               \
        add(core, core->r[of->rn], b, c);                                      \
    }

COMPARE(cmp, ~y, 1u)
COMPARE(cmn, y, 0)

/* ---- shifts by a register ---- */

static uint32_t shifted(const struct core *core,
                        const struct core_instruction *of, uint32_t *carry)
{
    uint32_t value = core->r[of->rn], amount = core->r[of->rm] & 255u;

    return amount == 0 ? value : shift_by(value, of->shift >> 6, amount, carry);
}

void core_op_shift(struct core *core, const struct core_instruction *of)
{
    uint32_t carry;

    core->r[of->rd] = shifted(core, of, &carry);
}

void core_op_shift_s(struct core *core, const struct core_instruction *of)
{
    uint32_t carry = core->carry;
    uint32_t result = shifted(core, of, &carry);

    core->r[of->rd] = result;
    logical(core, result, carry);
}

/* ---- bits and bytes ---- */

void core_op_movt(struct core *core, const struct core_instruction *of)
{
    core->r[of->rd] = (core->r[of->rd] & 0xffffu) | of->imm << 16;
}

void core_op_clz(struct core *core, const struct core_instruction *of)
{
    uint32_t value = core->r[of->rm];

    core->r[of->rd] = value == 0 ? 32u : (uint32_t)__builtin_clz(value);
}

void core_op_rbit(struct core *core, const struct core_instruction *of)
{
    uint32_t v = core->r[of->rm];

    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    core->r[of->rd] = __builtin_bswap32(v);
}

void core_op_rev(struct core *core, const struct core_instruction *of)
{
    core->r[of->rd] = __builtin_bswap32(core->r[of->rm]);
}

void core_op_rev16(struct core *core, const struct core_instruction *of)
{
    core->r[of->rd] = rotate(__builtin_bswap32(core->r[of->rm]), 16);
}

void core_op_revsh(struct core *core, const struct core_instruction *of)
{
    uint16_t value = __builtin_bswap16((uint16_t)core->r[of->rm]);

    core->r[of->rd] = (uint32_t)(int32_t)(int16_t)value;
}

void core_op_ubfx(struct core *core, const struct core_instruction *of)
{
    core->r[of->rd] =
        core->r[of->rn] >> of->imm & (0xffffffffu >> (32u - of->ra));
}

void core_op_sbfx(struct core *core, const struct core_instruction *of)
{
    uint32_t top = core->r[of->rn] << (32u - of->imm - of->ra);

    core->r[of->rd] = (uint32_t)((int32_t)top >> (32u - of->ra));
}

/* BFC is BFI of rn 15: zeros. */
void core_op_bfi(struct core *core, const struct core_instruction *of)
{
    uint32_t mask = 0xffffffffu >> (32u - of->ra) << of->imm;
    uint32_t value = of->rn == 15 ? 0 : core->r[of->rn];

    core->r[of->rd] = (core->r[of->rd] & ~mask) | (value << of->imm & mask);
}

/* ---- extensions ---- */

static uint32_t addend(const struct core *core,
                       const struct core_instruction *of)
{
    return of->rn == 15 ? 0 : core->r[of->rn];
}

static uint32_t widen(int32_t value)
{
    return (uint32_t)value;
}

#define EXTEND(name, type)                                                     \
    void core_op_##name(struct core *core, const struct core_instruction *of)  \
    {                                                                          \
        type value = (type)rotate(core->r[of->rm], of->shift);                 \
                                                                               \
        core->r[of->rd] = addend(core, of) + widen(value);                     \
    }

EXTEND(sxtb, int8_t)
EXTEND(sxth, int16_t)
EXTEND(uxtb, uint8_t)
EXTEND(uxth, uint16_t)
