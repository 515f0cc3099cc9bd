/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/chip.h"

enum offset {
    CR1 = 0x00,
    DIER = 0x0c,
    SR = 0x10,
    EGR = 0x14,
    CCMR1 = 0x18,
    CCER = 0x20,
    CNT = 0x24,
    PSC = 0x28,
    ARR = 0x2c,
    CCR1 = 0x34,
    CCR2 = 0x38,
    OPTION = 0x50
};

#define TIM2_IRQ 28u /* table 62 */
#define CR1_CEN (1u << 0)
#define EGR_UG (1u << 0)
#define CC_FLAGS 6u /* of channels 1 and 2, in DIER and SR */
#define SR_CC1IF (1u << 1)
#define SR_CC1OF (1u << 9)
#define CHANNELS 2u
#define OPTION_CRYSTAL 2u /* of TIM11: the crystal over RTCPRE */

__extension__ typedef unsigned __int128 wide;

/* ---- TIM2 ---- */

static void update_irq(struct chip *chip)
{
    const struct tim2 *t = &chip->tim2;

    core_set_irq(&chip->core, TIM2_IRQ, (t->sr & t->dier & CC_FLAGS) != 0);
}

static uint64_t tick_cycles(const struct chip *chip)
{
    return (uint64_t)rcc_timer_cycles(&chip->rcc, RCC_APB1) *
           (chip->tim2.psc_active + 1u);
}

/* Ticks from the count until it is `to`, at least one. */
static uint64_t ticks_to(const struct tim2 *t, uint32_t to)
{
    return (uint64_t)(to - t->count - 1u) + 1;
}

/* Counts up to the processor's present cycle, with the flags on the way. */
void tim2_hold(struct chip *chip)
{
    struct tim2 *t = &chip->tim2;
    uint64_t each = tick_cycles(chip);
    uint64_t ticks = (chip->core.cycle - t->since) / each;

    if ((t->cr1 & CR1_CEN) == 0) {
        t->since = chip->core.cycle;
        return;
    }
    for (unsigned channel = 0; channel < CHANNELS; ++channel) {
        if (ticks >= ticks_to(t, t->ccr[channel])) {
            t->sr |= 2u << channel;
        }
    }
    t->count += (uint32_t)ticks;
    t->since += ticks * each;
}

/* Asks for the next event that sets a flag which interrupts. */
void tim2_retime(struct chip *chip)
{
    const struct tim2 *t = &chip->tim2;
    uint64_t ticks = UINT64_MAX;

    for (unsigned channel = 0; channel < CHANNELS; ++channel) {
        uint64_t own = ticks_to(t, t->ccr[channel]);

        if ((t->dier >> (1 + channel) & 1u) != 0 && own < ticks) {
            ticks = own;
        }
    }
    if (ticks == UINT64_MAX || (t->cr1 & CR1_CEN) == 0) {
        chip_at(chip, CHIP_TIM2, CHIP_NEVER);
        return;
    }
    chip_at(chip, CHIP_TIM2,
            rcc_fs_of(&chip->rcc, t->since + ticks * tick_cycles(chip)));
}

void tim2_event(struct chip *chip)
{
    tim2_hold(chip);
    tim2_retime(chip);
    update_irq(chip);
}

void tim2_reset(struct chip *chip)
{
    chip->tim2 = (struct tim2){.since = chip->core.cycle};
    chip_at(chip, CHIP_TIM2, CHIP_NEVER);
}

static uint32_t *plain(struct tim2 *t, unsigned offset)
{
    switch (offset) {
    case DIER:
        return &t->dier;
    case CNT:
        return &t->count;
    case CCR1:
    case CCR2:
        return &t->ccr[(offset - CCR1) / 4];
    default:
        return NULL;
    }
}

bool tim2_read(struct chip *chip, unsigned index, unsigned offset,
               uint32_t *value)
{
    const uint32_t *reg = plain(&chip->tim2, offset);

    (void)index;
    tim2_hold(chip);
    return device_give(reg, value);
}

/* False: not modelled. */
static bool write(struct chip *chip, unsigned offset, uint32_t value)
{
    struct tim2 *t = &chip->tim2;
    uint32_t *reg = plain(t, offset);

    switch (offset) {
    case CR1:
        t->cr1 = value;
        return (value & ~CR1_CEN) == 0;
    case SR: /* a flag is cleared by writing 0 */
        t->sr &= value;
        return true;
    case EGR: /* 18.4.6: the prescaler is loaded, the count begins anew */
        t->psc_active = t->psc;
        t->count = 0;
        t->since = chip->core.cycle;
        return value == EGR_UG;
    case PSC:
        t->psc = value & 0xffffu;
        return true;
    case ARR:
        return value == UINT32_MAX;
    default:
        if (reg != NULL) {
            *reg = value;
        }
        if (offset == CNT) {
            t->since = chip->core.cycle;
        }
        return reg != NULL;
    }
}

bool tim2_write(struct chip *chip, unsigned index, unsigned offset,
                uint32_t value)
{
    (void)index;
    tim2_hold(chip);
    if (!write(chip, offset, value)) {
        return false;
    }
    tim2_retime(chip);
    update_irq(chip);
    return true;
}

/* ---- TIM11 ---- */

/* Captured edges since the input was enabled; *last_fs: when the last was. */
static uint64_t captures(const struct chip *chip, uint64_t *last_fs)
{
    const struct tim11 *t = &chip->tim11;
    unsigned divider = chip->rcc.cfgr >> 16 & 0x1fu;
    uint64_t hse = rcc_hse_uhz(chip);
    uint64_t from_fs = chip->rcc.hse_ready_fs;
    uint64_t late_fs = t->from_fs > from_fs ? t->from_fs - from_fs : 0;
    unsigned each = 1u << (t->ccmr >> 2 & 3u);
    wide period = (wide)divider * FS_PER_S * 1000000u; /* fs times hse */
    uint64_t first;
    uint64_t edges;

    if (t->from_fs == 0 || hse == 0 || divider < 2 ||
        t->option != OPTION_CRYSTAL) {
        return 0;
    }
    first = (uint64_t)((wide)late_fs * hse / period) + 1;
    edges = (uint64_t)((wide)(chip_now_fs(chip) - from_fs) * hse / period);
    edges = edges < first ? 0 : (edges - first + 1) / each;
    *last_fs = from_fs + (uint64_t)((first + edges * each - 1) * period / hse);
    return edges;
}

/* Only the number of the last capture is kept: whoever reads it has all. */
bool tim11_read(struct chip *chip, unsigned index, unsigned offset,
                uint32_t *value)
{
    struct tim11 *t = &chip->tim11;
    uint64_t last_fs = 0;
    uint64_t count = captures(chip, &last_fs);

    (void)index;
    if (offset == SR) {
        *value = (count > t->captured ? SR_CC1IF : 0) |
                 (count > t->captured + 1 ? SR_CC1OF : 0);
        return true;
    }
    t->captured = count;
    *value = (uint32_t)((rcc_cycle_of(&chip->rcc, last_fs) - t->since) /
                        rcc_timer_cycles(&chip->rcc, RCC_APB2)) &
             UINT16_MAX;
    return offset == CCR1;
}

static uint32_t *setting(struct tim11 *t, unsigned offset)
{
    switch (offset) {
    case CR1:
        return &t->cr1;
    case CCMR1:
        return &t->ccmr;
    case CCER:
        return &t->ccer;
    case OPTION:
        return &t->option;
    default:
        return NULL;
    }
}

bool tim11_write(struct chip *chip, unsigned index, unsigned offset,
                 uint32_t value)
{
    struct tim11 *t = &chip->tim11;
    uint32_t *reg = setting(t, offset);

    (void)index;
    if (reg == NULL) {
        return false;
    }
    if (offset == CR1 && (value & ~t->cr1 & CR1_CEN) != 0) {
        t->since = chip->core.cycle;
    }
    *reg = value;
    if (t->cr1 != CR1_CEN || (t->ccmr & 3u) != 1 || (t->ccer & 1u) == 0) {
        t->from_fs = 0;
    } else if (t->from_fs == 0) {
        t->from_fs = chip_now_fs(chip);
        t->captured = 0;
    }
    return true;
}
