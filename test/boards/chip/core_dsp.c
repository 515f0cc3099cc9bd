/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplication, division, saturation, and the few instructions on halves and
   bytes that compilers emit: the others are taken as undefined. */
#include "test/boards/chip/core_exceptions.h"
#include "test/boards/chip/core_execute.h"
#include "test/boards/chip/core_state.h"

static int32_t s32(uint32_t value)
{
    return (int32_t)value;
}

/* The signed half that is the lower or the upper. */
static int32_t half(uint32_t value, bool upper)
{
    return (int16_t)(value >> (upper ? 16 : 0));
}

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

/* x is rn, y is rm, a is ra (or, of a pair, RdHi in ra). */
#define OPERATION(name, ...)                                                   \
    void core_op_##name(struct core *core, const struct core_instruction *of)  \
    {                                                                          \
        uint32_t x = core->r[of->rn], y = core->r[of->rm];                     \
                                                                               \
        __VA_ARGS__                                                            \
    }

/* ---- multiplication ---- */

OPERATION(mul, core->r[of->rd] = x * y;)
OPERATION(mul_s, core->r[of->rd] = x * y; core_set_nz(core, x *y);)
OPERATION(mla, core->r[of->rd] = core->r[of->ra] + x * y;)
OPERATION(mls, core->r[of->rd] = core->r[of->ra] - x * y;)
OPERATION(umull, put_pair(core, of, (uint64_t)x *y);)
OPERATION(umlal, put_pair(core, of, pair(core, of) + (uint64_t)x * y);)
OPERATION(smull, put_pair(core, of, (uint64_t)((int64_t)s32(x) * s32(y)));)
OPERATION(smlal,
          put_pair(core, of,
                   pair(core, of) + (uint64_t)((int64_t)s32(x) * s32(y)));)
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
    uint32_t quotient;

    if (y == 0) {
        if ((core->system.ccr & CORE_CCR_DIV_0_TRP) != 0) {
            core_fault(core, CORE_USAGE_FAULT, CORE_CFSR_DIVBYZERO);
        } else {
            core->r[of->rd] = 0;
        }
        return;
    }
    if (x >= y) {
        int bits = __builtin_clz(y) - __builtin_clz(x) + 1;

        core->cycle += (uint64_t)(2 + bits / 4);
    }
    quotient = x / y;
    core->r[of->rd] = negative ? -quotient : quotient;
}

void core_op_sdiv(struct core *core, const struct core_instruction *of)
{
    divide(core, of, true);
}

void core_op_udiv(struct core *core, const struct core_instruction *of)
{
    divide(core, of, false);
}

/* ---- halves ---- */

#define HALVES ((int64_t)half(x, (of->imm & 2u) != 0) * half(y, of->imm & 1u))

OPERATION(smul_half, core->r[of->rd] = (uint32_t)HALVES;)
OPERATION(smlal_half, put_pair(core, of, pair(core, of) + (uint64_t)HALVES);)

/* ---- bytes ---- */

void core_op_sel(struct core *core, const struct core_instruction *of)
{
    uint32_t mask = 0;

    for (unsigned i = 0; i < 4; ++i) {
        mask |= (core->ge >> i & 1u) != 0 ? 255u << 8 * i : 0;
    }
    core->r[of->rd] = (core->r[of->rn] & mask) | (core->r[of->rm] & ~mask);
}

/* ---- saturation ---- */

static uint32_t clamp_q(struct core *core, int64_t value, int64_t least,
                        int64_t most)
{
    int64_t result = value < least ? least : value > most ? most : value;

    if (result != value) {
        core->saturated = 1;
    }
    return (uint32_t)result;
}

/* rn shifted: kind 0, left; kind 2, arithmetically right. */
static int64_t to_saturate(const struct core *core,
                           const struct core_instruction *of)
{
    unsigned amount = of->shift & 63u;

    if (of->shift >> 6 == 0) {
        return (int32_t)(core->r[of->rn] << amount);
    }
    return (int64_t)s32(core->r[of->rn]) >> amount;
}

void core_op_ssat(struct core *core, const struct core_instruction *of)
{
    int64_t limit = INT64_C(1) << (of->ra - 1);

    core->r[of->rd] = clamp_q(core, to_saturate(core, of), -limit, limit - 1);
}

void core_op_usat(struct core *core, const struct core_instruction *of)
{
    core->r[of->rd] =
        clamp_q(core, to_saturate(core, of), 0, (INT64_C(1) << of->ra) - 1);
}

/* ---- the only parallel addition that compilers emit ---- */

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
