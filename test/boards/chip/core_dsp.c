/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplication, division, saturation and the parallel instructions. */
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

static uint32_t rotate16(uint32_t value)
{
    return value >> 16 | value << 16;
}

/* Sets Q if the sum does not fit. */
static uint32_t sum_q(struct core *core, int64_t sum)
{
    if (sum != (int32_t)sum) {
        core->saturated = 1;
    }
    return (uint32_t)sum;
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
OPERATION(umaal, put_pair(core, of,
                          (uint64_t)x *y + core->r[of->rd] + core->r[of->ra]);)

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
#define WIDE_HALF ((int64_t)s32(x) * half(y, of->imm & 1u) >> 16)

OPERATION(smul_half, core->r[of->rd] = (uint32_t)HALVES;)
OPERATION(smla_half,
          core->r[of->rd] = sum_q(core, HALVES + s32(core->r[of->ra]));)
OPERATION(smulw_half, core->r[of->rd] = (uint32_t)WIDE_HALF;)
OPERATION(smlaw_half,
          core->r[of->rd] = sum_q(core, WIDE_HALF + s32(core->r[of->ra]));)
OPERATION(smlal_half, put_pair(core, of, pair(core, of) + (uint64_t)HALVES);)

/* Products of the lower and of the upper halves; imm: y's exchanged. */
#define LOWER ((int64_t)half(x, false) * half(of->imm ? rotate16(y) : y, false))
#define UPPER ((int64_t)half(x, true) * half(of->imm ? rotate16(y) : y, true))

OPERATION(smuad, core->r[of->rd] = sum_q(core, LOWER + UPPER);)
OPERATION(smusd, core->r[of->rd] = (uint32_t)(LOWER - UPPER);)
OPERATION(smlad,
          core->r[of->rd] = sum_q(core, LOWER + UPPER + s32(core->r[of->ra]));)
OPERATION(smlsd,
          core->r[of->rd] = sum_q(core, LOWER - UPPER + s32(core->r[of->ra]));)
OPERATION(smlald,
          put_pair(core, of, pair(core, of) + (uint64_t)(LOWER + UPPER));)
OPERATION(smlsld,
          put_pair(core, of, pair(core, of) + (uint64_t)(LOWER - UPPER));)

/* ---- the most significant words; imm: rounded ---- */

#define PRODUCT ((uint64_t)((int64_t)s32(x) * s32(y)))
#define ROUNDING (of->imm ? 0x80000000u : 0u)
#define TOP(value) (uint32_t)((value) >> 32)

OPERATION(smmul, core->r[of->rd] = TOP(PRODUCT + ROUNDING);)
OPERATION(smmla, core->r[of->rd] = TOP(((uint64_t)core->r[of->ra] << 32) +
                                       PRODUCT + ROUNDING);)
OPERATION(smmls, core->r[of->rd] = TOP(((uint64_t)core->r[of->ra] << 32) -
                                       PRODUCT + ROUNDING);)

/* ---- bytes ---- */

void core_op_usad8(struct core *core, const struct core_instruction *of)
{
    uint32_t x = core->r[of->rn], y = core->r[of->rm];
    uint32_t sum = of->ra == 15 ? 0 : core->r[of->ra];

    for (unsigned i = 0; i < 32; i += 8) {
        uint32_t a = x >> i & 255u, b = y >> i & 255u;

        sum += a > b ? a - b : b - a;
    }
    core->r[of->rd] = sum;
}

void core_op_sel(struct core *core, const struct core_instruction *of)
{
    uint32_t mask = 0;

    for (unsigned i = 0; i < 4; ++i) {
        mask |= (core->ge >> i & 1u) != 0 ? 255u << 8 * i : 0;
    }
    core->r[of->rd] = (core->r[of->rn] & mask) | (core->r[of->rm] & ~mask);
}

/* imm: PKHTB. shift: as of data processing; ASR by 32 is amount 32. */
void core_op_pkh(struct core *core, const struct core_instruction *of)
{
    uint32_t x = core->r[of->rn], y = core->r[of->rm];
    unsigned amount = of->shift & 63u;

    if (of->imm != 0) {
        y = (uint32_t)((int64_t)s32(y) >> amount);
        core->r[of->rd] = (x & 0xffff0000u) | (y & 0xffffu);
    } else {
        core->r[of->rd] = (x & 0xffffu) | (y << amount & 0xffff0000u);
    }
}

/* ---- saturation ---- */

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static uint32_t clamp_q(struct core *core, int64_t value, int64_t least,
                        int64_t most)
{
    int64_t result = clamp(value, least, most);

    if (result != value) {
        core->saturated = 1;
    }
    return (uint32_t)result;
}

static uint32_t clamp32(struct core *core, int64_t value)
{
    return clamp_q(core, value, INT32_MIN, INT32_MAX);
}

OPERATION(qadd, core->r[of->rd] = clamp32(core, (int64_t)s32(y) + s32(x));)
OPERATION(qsub, core->r[of->rd] = clamp32(core, (int64_t)s32(y) - s32(x));)
OPERATION(qdadd,
          core->r[of->rd] = clamp32(
              core, (int64_t)s32(y) + s32(clamp32(core, 2 * (int64_t)s32(x))));)
OPERATION(qdsub,
          core->r[of->rd] = clamp32(
              core, (int64_t)s32(y) - s32(clamp32(core, 2 * (int64_t)s32(x))));)

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

static void saturate_pair(struct core *core, const struct core_instruction *of,
                          int64_t least, int64_t most)
{
    uint32_t x = core->r[of->rn];
    uint32_t low = clamp_q(core, half(x, false), least, most);
    uint32_t high = clamp_q(core, half(x, true), least, most);

    core->r[of->rd] = (low & 0xffffu) | high << 16;
}

void core_op_ssat16(struct core *core, const struct core_instruction *of)
{
    int64_t limit = INT64_C(1) << (of->ra - 1);

    saturate_pair(core, of, -limit, limit - 1);
}

void core_op_usat16(struct core *core, const struct core_instruction *of)
{
    saturate_pair(core, of, 0, (INT64_C(1) << of->ra) - 1);
}

/* ---- parallel addition and subtraction ---- */

/* What becomes of each lane's sum: bits 6:4 of the second halfword. */
enum {
    PLAIN = 0,
    SATURATED = 1,
    HALVED = 2,
    UNSIGNED = 4
};

struct lanes {
    unsigned bits; /* of a lane: 8 or 16 */
    unsigned how;
    uint32_t result;
    uint32_t ge;
};

static int32_t lane(uint32_t value, unsigned at, const struct lanes *lanes)
{
    bool plain = (lanes->how & UNSIGNED) != 0;

    value >>= at;
    if (lanes->bits == 8) {
        return plain ? (int32_t)(uint8_t)value : (int8_t)value;
    }
    return plain ? (int32_t)(uint16_t)value : (int16_t)value;
}

/* One lane's sum or difference goes where the lane `at` is. */
static void put_lane(struct lanes *lanes, unsigned at, int32_t sum, bool adds)
{
    uint32_t mask = (1u << lanes->bits) - 1u;
    bool plain = (lanes->how & UNSIGNED) != 0;
    int32_t limit = 1 << (lanes->bits - 1u);
    bool ge = plain && adds ? sum > (int32_t)mask : sum >= 0;

    switch (lanes->how & 3u) {
    case SATURATED:
        sum = plain ? (int32_t)clamp(sum, 0, (int32_t)mask)
                    : (int32_t)clamp(sum, -limit, limit - 1);
        break;
    case HALVED:
        sum >>= 1;
        break;
    default:
        break;
    }
    lanes->result |= ((uint32_t)sum & mask) << at;
    if (ge) {
        lanes->ge |= (lanes->bits == 8 ? 1u : 3u) << at / 8u;
    }
}

void core_op_parallel(struct core *core, const struct core_instruction *of)
{
    uint32_t x = core->r[of->rn], y = core->r[of->rm];
    unsigned what = of->imm >> 4;
    struct lanes lanes = {.how = of->imm & 7u};
    bool adds = (what & 4u) == 0;

    lanes.bits = (what & 3u) == 0 ? 8 : 16;
    for (unsigned at = 0; at < 32; at += lanes.bits) {
        bool add = adds;
        unsigned from = at;

        /* ASX subtracts in the lower lane, SAX adds there. */
        if ((what & 3u) == 2) {
            add = adds == (at != 0);
            from = 16u - at;
        }
        put_lane(&lanes, at,
                 add ? lane(x, at, &lanes) + lane(y, from, &lanes)
                     : lane(x, at, &lanes) - lane(y, from, &lanes),
                 add);
    }
    core->r[of->rd] = lanes.result;
    if ((lanes.how & 3u) == PLAIN) {
        core->ge = lanes.ge;
    }
}
