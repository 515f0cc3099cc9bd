/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/tim.h"

#include "test/boards/chip/chip.h"

#include <string.h>

enum offset {
    CR1 = 0x00,
    CR2 = 0x04,
    SMCR = 0x08,
    DIER = 0x0c,
    SR = 0x10,
    EGR = 0x14,
    CCMR1 = 0x18,
    CCMR2 = 0x1c,
    CCER = 0x20,
    CNT = 0x24,
    PSC = 0x28,
    ARR = 0x2c,
    CCR1 = 0x34,
    CCR4 = 0x40,
    OPTION = 0x50
};

#define CR1_CEN (1u << 0)
#define CR1_URS (1u << 2)
#define CR1_MODES 0x7au /* one pulse, down, centred, no update: not here */
#define SR_UIF (1u << 0)
#define EGR_UG (1u << 0)
#define OPTION_CRYSTAL 2u /* of TIM11: the crystal over RTCPRE */

__extension__ typedef unsigned __int128 wide;

/* Table 62; 7.3.13 and 7.3.14. */
static const struct {
    uint8_t apb;
    uint8_t bit;
    uint8_t irq;
    bool wide; /* 32 bits */
    char name[6];
} places[TIM_COUNT] = {
    [TIM_2] = {0, 0, 28, true, "TIM2"},
    [TIM_3] = {0, 1, 29, false, "TIM3"},
    [TIM_4] = {0, 2, 30, false, "TIM4"},
    [TIM_5] = {0, 3, 50, true, "TIM5"},
    [TIM_6] = {0, 4, 54, false, "TIM6"},
    [TIM_7] = {0, 5, 55, false, "TIM7"},
    [TIM_10] = {1, 17, 25, false, "TIM10"},
    [TIM_11] = {1, 18, 26, false, "TIM11"},
};

static uint32_t mask_of(unsigned index)
{
    return places[index].wide ? UINT32_MAX : UINT16_MAX;
}

static bool is_clocked(struct chip *chip, unsigned index)
{
    return chip_clocked(chip,
                        places[index].apb != 0 ? RCC_APB2ENR : RCC_APB1ENR,
                        places[index].bit, places[index].name);
}

static void update_irq(struct chip *chip, unsigned index)
{
    const struct tim *t = &chip->tim[index];

    core_set_irq(&chip->core, places[index].irq,
                 (t->sr & t->dier & 0x1fu) != 0);
}

/* ---- counting ---- */

static uint64_t tick_cycles(const struct chip *chip, unsigned index)
{
    return (uint64_t)rcc_timer_cycles(&chip->rcc, places[index].apb) *
           (chip->tim[index].psc_active + 1u);
}

static bool is_on(const struct tim *t)
{
    return (t->cr1 & CR1_CEN) != 0;
}

/* Whether a channel compares; else it captures. */
static bool compares(const struct tim *t, unsigned channel)
{
    return (t->ccmr[channel / 2] >> 8 * (channel % 2) & 3u) == 0;
}

/* Ticks from the count until it is `to`, at least one. */
static uint64_t ticks_to(const struct tim *t, uint32_t to)
{
    uint64_t period = (uint64_t)t->arr + 1;

    return to > t->count ? (uint64_t)to - t->count : period - t->count + to;
}

/* Counts up to the processor's present cycle, with the flags on the way. */
static void catch_up(struct chip *chip, unsigned index)
{
    struct tim *t = &chip->tim[index];
    uint64_t each = tick_cycles(chip, index);
    uint64_t ticks = (chip->core.cycle - t->since) / each;
    uint64_t period = (uint64_t)t->arr + 1;

    if (!is_on(t)) {
        t->since = chip->core.cycle;
        return;
    }
    for (unsigned channel = 0; channel < 4; ++channel) {
        if (t->ccr[channel] <= t->arr && compares(t, channel) &&
            ticks >= ticks_to(t, t->ccr[channel])) {
            t->sr |= 2u << channel;
        }
    }
    if (ticks >= ticks_to(t, 0)) {
        t->sr |= SR_UIF;
        t->psc_active = t->psc;
    }
    t->count = (uint32_t)((t->count + ticks) % period);
    t->since += ticks * each;
}

/* Asks for the next event that sets a flag which interrupts. */
static void plan(struct chip *chip, unsigned index)
{
    const struct tim *t = &chip->tim[index];
    uint64_t ticks = UINT64_MAX;
    uint64_t cycle;

    if (is_on(t)) {
        if ((t->dier & 1u) != 0) {
            ticks = ticks_to(t, 0);
        }
        for (unsigned channel = 0; channel < 4; ++channel) {
            uint64_t own;

            if ((t->dier >> (1 + channel) & 1u) == 0 ||
                t->ccr[channel] > t->arr || !compares(t, channel)) {
                continue;
            }
            own = ticks_to(t, t->ccr[channel]);
            ticks = own < ticks ? own : ticks;
        }
    }
    if (ticks == UINT64_MAX) {
        chip_at(chip, CHIP_TIM + index, CHIP_NEVER);
        return;
    }
    cycle = t->since + ticks * tick_cycles(chip, index);
    chip_at(chip, CHIP_TIM + index, rcc_fs_of(&chip->rcc, cycle));
}

void tim_event(struct chip *chip, unsigned index)
{
    catch_up(chip, index);
    plan(chip, index);
    update_irq(chip, index);
}

void tim_hold(struct chip *chip, unsigned index)
{
    catch_up(chip, index);
}

void tim_retime(struct chip *chip, unsigned index)
{
    plan(chip, index);
}

/* ---- capture of the crystal by TIM11 ---- */

/* Captured edges since the input was enabled; *last_fs: when the last was. */
static uint64_t captures(const struct chip *chip, uint64_t *last_fs)
{
    const struct tim *t = &chip->tim[TIM_11];
    unsigned divider = chip->rcc.reg[RCC_CFGR / 4] >> 16 & 0x1fu;
    uint64_t hse = rcc_hse_uhz(chip);
    uint64_t now_fs = chip_now_fs(chip);
    uint64_t from_fs = chip->rcc.hse_ready_fs;
    uint64_t late_fs =
        t->capture_from_fs > from_fs ? t->capture_from_fs - from_fs : 0;
    unsigned each = 1u << (t->ccmr[0] >> 2 & 3u);
    wide period; /* of the input, fs times hse */
    uint64_t first;
    uint64_t edges;

    if (t->capture_from_fs == 0 || hse == 0 || divider < 2 ||
        (t->option & 3u) != OPTION_CRYSTAL) {
        return 0;
    }
    period = (wide)divider * FS_PER_S * 1000000u;
    first = (uint64_t)((wide)late_fs * hse / period) + 1;
    edges = (uint64_t)((wide)(now_fs - from_fs) * hse / period);
    edges = edges < first ? 0 : (edges - first + 1) / each;
    *last_fs = from_fs + (uint64_t)((first + edges * each - 1) * period / hse);
    return edges;
}

static void read_captures(struct chip *chip, unsigned index)
{
    struct tim *t = &chip->tim[index];
    uint64_t last_fs = 0;
    uint64_t count;

    if (index != TIM_11) {
        return;
    }
    count = captures(chip, &last_fs);
    t->sr &= ~((1u << 1) | (1u << 9));
    t->sr |= (uint32_t)(count > t->captured) << 1 |
             (uint32_t)(count > t->captured + 1) << 9;
}

static uint32_t read_captured(struct chip *chip, unsigned index)
{
    struct tim *t = &chip->tim[index];
    uint64_t last_fs = 0;
    uint64_t count = index == TIM_11 ? captures(chip, &last_fs) : 0;
    uint64_t behind;

    if (count == 0 || count == t->captured) {
        return t->ccr[0];
    }
    t->captured = count;
    behind = (chip->core.cycle - rcc_cycle_of(&chip->rcc, last_fs)) /
             tick_cycles(chip, index);
    t->ccr[0] = (t->count - (uint32_t)behind) & mask_of(index);
    return t->ccr[0];
}

static void enable_capture(struct chip *chip, unsigned index)
{
    struct tim *t = &chip->tim[index];
    bool captures_now =
        (t->ccer & 1u) != 0 && (t->ccmr[0] & 3u) == 1 && is_on(t);

    if (!captures_now) {
        t->capture_from_fs = 0;
    } else if (t->capture_from_fs == 0) {
        t->capture_from_fs = chip_now_fs(chip);
        t->captured = 0;
        if (index != TIM_11) {
            chip_complain(chip, "%s: capture is not modelled",
                          places[index].name);
        }
    }
}

/* ---- registers ---- */

void tim_reset(struct chip *chip, unsigned index)
{
    chip->tim[index] =
        (struct tim){.arr = mask_of(index), .since = chip->core.cycle};
    chip_at(chip, CHIP_TIM + index, CHIP_NEVER);
}

uint32_t tim_read(struct chip *chip, unsigned index, unsigned offset)
{
    struct tim *t = &chip->tim[index];

    if (!is_clocked(chip, index)) {
        return 0;
    }
    catch_up(chip, index);
    switch (offset) {
    case CR1:
        return t->cr1;
    case CR2:
        return t->cr2;
    case SMCR:
        return t->smcr;
    case DIER:
        return t->dier;
    case SR:
        read_captures(chip, index);
        return t->sr;
    case CCMR1:
    case CCMR2:
        return t->ccmr[(offset - CCMR1) / 4];
    case CCER:
        return t->ccer;
    case CNT:
        return t->count;
    case PSC:
        return t->psc;
    case ARR:
        return t->arr;
    case OPTION:
        return t->option;
    case CCR1:
        return compares(t, 0) ? t->ccr[0] : read_captured(chip, index);
    default:
        return offset > CCR1 && offset <= CCR4 ? t->ccr[(offset - CCR1) / 4]
                                               : 0;
    }
}

/* 18.4.6: the prescaler is loaded, the count begins anew. */
static void generate_update(struct chip *chip, unsigned index)
{
    struct tim *t = &chip->tim[index];

    t->psc_active = t->psc;
    t->count = 0;
    t->since = chip->core.cycle;
    if ((t->cr1 & CR1_URS) == 0) {
        t->sr |= SR_UIF;
    }
}

static void write_counting(struct chip *chip, unsigned index, unsigned offset,
                           uint32_t value)
{
    struct tim *t = &chip->tim[index];

    switch (offset) {
    case CR1:
        if ((value & CR1_MODES) != 0) {
            chip_complain(chip, "%s: CR1 %04x is not modelled",
                          places[index].name, value);
        }
        t->cr1 = value;
        break;
    case EGR:
        if ((value & EGR_UG) != 0) {
            generate_update(chip, index);
        }
        break;
    case CNT:
        t->count = value & mask_of(index);
        t->since = chip->core.cycle;
        break;
    case PSC:
        t->psc = value & 0xffffu;
        break;
    default:
        t->arr = value & mask_of(index);
        break;
    }
}

void tim_write(struct chip *chip, unsigned index, unsigned offset,
               uint32_t value)
{
    struct tim *t = &chip->tim[index];

    if (!is_clocked(chip, index)) {
        return;
    }
    catch_up(chip, index);
    switch (offset) {
    case CR1:
    case EGR:
    case CNT:
    case PSC:
    case ARR:
        write_counting(chip, index, offset, value);
        break;
    case CR2:
        t->cr2 = value;
        break;
    case SMCR:
        t->smcr = value;
        break;
    case DIER:
        t->dier = value;
        break;
    case SR: /* a flag is cleared by writing 0 */
        t->sr &= value;
        break;
    case CCMR1:
    case CCMR2:
        t->ccmr[(offset - CCMR1) / 4] = value;
        break;
    case CCER:
        t->ccer = value;
        break;
    case OPTION:
        t->option = value;
        break;
    default:
        if (offset < CCR1 || offset > CCR4) {
            chip_complain(chip, "%s: a write at %02x", places[index].name,
                          offset);
            return;
        }
        t->ccr[(offset - CCR1) / 4] = value & mask_of(index);
        break;
    }
    enable_capture(chip, index);
    plan(chip, index);
    update_irq(chip, index);
}
