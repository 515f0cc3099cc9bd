/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/chip.h"

__extension__ typedef unsigned __int128 wide;

#define HSI_HZ 16000000u
#define UHZ_PER_HZ 1000000u
#define FS_UHZ ((wide)FS_PER_S * UHZ_PER_HZ) /* a period is this over uHz */

/* Data sheet: a crystal starts in 2 ms, an outside clock at once; the PLL locks
   in at most 300 us (5.3.8 to 5.3.10). */
#define HSE_CRYSTAL_FS (2000u * FS_PER_US)
#define HSE_EXTERNAL_FS (1u * FS_PER_US)
#define PLL_LOCK_FS (250u * FS_PER_US)

/* Data sheet, table 14: at most, with PWR_CR's VOS set. */
#define CORE_HZ_MAX 168000000u
#define CORE_HZ_MAX_SCALE_2 144000000u
#define APB1_HZ_MAX 42000000u
#define APB2_HZ_MAX 84000000u
#define WAIT_STATE_HZ 30000000u /* 3.5.1, 2.7 to 3.6 V: one more for each */

enum offset {
    CR = 0x00,
    PLLCFGR = 0x04,
    CFGR = 0x08,
    AHB1ENR = 0x30,
    APB1ENR = 0x40,
    APB2ENR = 0x44,
    CSR = 0x74
};

#define CR_KEPT 0xff00u /* HSICAL */
#define CR_HSION (1u << 0)
#define CR_HSIRDY (1u << 1)
#define CR_HSITRIM 0xf8u
#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_HSEBYP (1u << 18)
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define PLLCFGR_SRC_HSE (1u << 22)
#define CFGR_SW 3u
#define CFGR_SW_PLL 2u
#define CFGR_SWS_SHIFT 2
#define CFGR_MODELLED 0x001ffc0fu /* SW, SWS, PPRE1, PPRE2, RTCPRE */
#define CSR_RMVF (1u << 24)
#define CSR_FLAGS 0xfe000000u
#define PWR_CR_VOS (1u << 14)

/* ---- frequencies ---- */

static uint64_t with_ppm(uint64_t hz, double ppm)
{
    return (uint64_t)((double)hz * UHZ_PER_HZ + (double)hz * ppm + 0.5);
}

uint64_t rcc_hse_uhz(const struct chip *chip)
{
    if ((chip->rcc.cr & CR_HSERDY) == 0) {
        return 0;
    }
    return with_ppm(chip->config.hse_hz, chip->config.hse_ppm);
}

/* The PLL's factors applied to a frequency at its input. */
static uint64_t multiplied(const struct chip *chip, uint64_t in)
{
    uint32_t pll = chip->rcc.pllcfgr;
    unsigned m = pll & 0x3fu;
    unsigned n = pll >> 6 & 0x1ffu;
    unsigned p = 2u * ((pll >> 16 & 3u) + 1u);

    return m == 0 ? 0 : (uint64_t)((wide)in * n / m / p);
}

static bool pll_from_crystal(const struct chip *chip)
{
    return (chip->rcc.pllcfgr & PLLCFGR_SRC_HSE) != 0;
}

static bool runs_from_pll(const struct chip *chip)
{
    return (chip->rcc.cfgr >> CFGR_SWS_SHIFT & CFGR_SW) == CFGR_SW_PLL;
}

/* Of the processor, if the oscillators have these. */
static uint64_t core_frequency(const struct chip *chip, uint64_t hsi,
                               uint64_t hse)
{
    if (!runs_from_pll(chip)) {
        return hsi;
    }
    return multiplied(chip, pll_from_crystal(chip) ? hse : hsi);
}

/* ---- time ---- */

uint64_t rcc_fs_of(const struct rcc *rcc, uint64_t cycle)
{
    if (rcc->core_uhz == 0) {
        return rcc->anchor_fs; /* it has never been powered */
    }
    return rcc->anchor_fs + (uint64_t)((wide)(cycle - rcc->anchor_cycle) *
                                       FS_UHZ / rcc->core_uhz);
}

uint64_t rcc_cycle_of(const struct rcc *rcc, uint64_t fs)
{
    wide product;

    if (fs <= rcc->anchor_fs) {
        return rcc->anchor_cycle;
    }
    product = (wide)(fs - rcc->anchor_fs) * rcc->core_uhz;
    return rcc->anchor_cycle + (uint64_t)((product + FS_UHZ - 1) / FS_UHZ);
}

unsigned rcc_timer_cycles(const struct rcc *rcc, enum rcc_bus bus)
{
    unsigned divider = rcc->divider[bus];

    return divider == 1 ? 1 : divider / 2;
}

/* Everything that counts the processor's clock is told of its change. */
static void retime(struct chip *chip)
{
    struct rcc *rcc = &chip->rcc;
    uint64_t now_fs = chip_now_fs(chip);
    uint64_t uhz =
        core_frequency(chip, with_ppm(HSI_HZ, chip->config.hsi_ppm),
                       with_ppm(chip->config.hse_hz, chip->config.hse_ppm));

    tim2_hold(chip);
    rcc->anchor_fs = now_fs;
    rcc->anchor_cycle = chip->core.cycle;
    rcc->core_uhz = uhz == 0 ? 1 : uhz;
    tim2_retime(chip);
    for (unsigned i = 0; i < USART_COUNT; ++i) {
        usart_retime(chip, i);
    }
    chip->core.until = chip->core.cycle; /* its end is another cycle now */
}

/* ---- limits ---- */

void rcc_check(struct chip *chip)
{
    const struct rcc *rcc = &chip->rcc;
    uint64_t hz = core_frequency(chip, HSI_HZ, chip->config.hse_hz);
    uint64_t most =
        (chip->pwr_cr & PWR_CR_VOS) != 0 ? CORE_HZ_MAX : CORE_HZ_MAX_SCALE_2;

    if (hz > most || hz / rcc->divider[RCC_APB1] > APB1_HZ_MAX ||
        hz / rcc->divider[RCC_APB2] > APB2_HZ_MAX) {
        chip_complain(chip, "a clock is too fast: %u Hz, CFGR %08x",
                      (unsigned)hz, rcc->cfgr);
    }
    if (hz > ((rcc->flash_acr & 7u) + 1u) * (uint64_t)WAIT_STATE_HZ) {
        chip_complain(chip, "too few wait states of the flash at %u Hz",
                      (unsigned)hz);
    }
}

/* Factors (7.3.2), the input's frequency and the oscillator's (5.3.10, table
   36). */
static void check_pll(struct chip *chip)
{
    uint32_t pll = chip->rcc.pllcfgr;
    unsigned m = pll & 0x3fu;
    unsigned n = pll >> 6 & 0x1ffu;
    uint64_t in = pll_from_crystal(chip) ? chip->config.hse_hz : HSI_HZ;

    if (m < 2 || n < 50 || n > 432 || (pll >> 24 & 0xfu) < 2 ||
        in / m < 950000u || in / m > 2100000u || in / m * n < 100000000u ||
        in / m * n > 432000000u) {
        chip_complain(chip, "PLLCFGR %08x is none for %u Hz", pll,
                      (unsigned)in);
    }
}

/* ---- registers ---- */

static unsigned apb_divider(unsigned bits)
{
    return bits < 4 ? 1 : 2u << (bits - 4);
}

/* The switch waits for a source that is not ready (7.3.3). */
static void choose(struct chip *chip)
{
    struct rcc *rcc = &chip->rcc;
    unsigned wanted = rcc->cfgr & CFGR_SW;

    if (wanted != 0 && wanted != CFGR_SW_PLL) {
        chip_complain(chip, "CFGR: SW is %u", wanted);
    } else if ((rcc->cr & (wanted == 0 ? CR_HSIRDY : CR_PLLRDY)) != 0) {
        rcc->cfgr = (rcc->cfgr & ~(CFGR_SW << CFGR_SWS_SHIFT)) |
                    wanted << CFGR_SWS_SHIFT;
    }
    rcc->divider[RCC_APB1] = apb_divider(rcc->cfgr >> 10 & 7u);
    rcc->divider[RCC_APB2] = apb_divider(rcc->cfgr >> 13 & 7u);
    retime(chip);
    rcc_check(chip);
}

static void start_hse(struct chip *chip, uint32_t cr)
{
    bool bypassed = (cr & CR_HSEBYP) != 0;
    enum chip_hse hse = chip->config.hse;

    if (hse == CHIP_HSE_EXTERNAL && bypassed) {
        chip_at(chip, CHIP_RCC_HSE, chip_now_fs(chip) + HSE_EXTERNAL_FS);
    } else if (hse == CHIP_HSE_CRYSTAL && !bypassed) {
        chip_at(chip, CHIP_RCC_HSE, chip_now_fs(chip) + HSE_CRYSTAL_FS);
    }
}

static void start_pll(struct chip *chip)
{
    check_pll(chip);
    if ((chip->rcc.cr & (pll_from_crystal(chip) ? CR_HSERDY : CR_HSIRDY)) ==
        0) {
        chip_complain(chip, "the PLL is started without its source");
    } else if (!chip->config.pll_dead) {
        chip_at(chip, CHIP_RCC_PLL, chip_now_fs(chip) + PLL_LOCK_FS);
    }
}

/* Bits of CR that the clock in use depends on. */
static uint32_t needed(const struct chip *chip)
{
    if (!runs_from_pll(chip)) {
        return CR_HSION;
    }
    return CR_PLLON | (pll_from_crystal(chip) ? CR_HSEON : CR_HSION);
}

static void write_cr(struct chip *chip, uint32_t next)
{
    uint32_t before = chip->rcc.cr;
    uint32_t changed;

    if ((~next & needed(chip)) != 0) {
        chip_complain(chip, "CR: a clock in use is switched off: %08x", next);
        next |= needed(chip);
    }
    changed = next ^ before;
    if ((changed & CR_HSEBYP) != 0 && (before & CR_HSEON) != 0) {
        chip_complain(chip, "HSEBYP is changed while HSE is on");
        next ^= CR_HSEBYP;
    }
    next &= CR_HSION | CR_HSITRIM | CR_HSEON | CR_HSEBYP | CR_PLLON;
    chip->rcc.cr = next | (before & (CR_KEPT | CR_HSERDY | CR_PLLRDY)) |
                   ((next & CR_HSION) != 0 ? CR_HSIRDY : 0);
    if ((changed & CR_HSEON) != 0) {
        chip->rcc.cr &= ~CR_HSERDY;
        chip->rcc.hse_ready_fs = 0;
        chip_at(chip, CHIP_RCC_HSE, CHIP_NEVER);
        if ((next & CR_HSEON) != 0) {
            start_hse(chip, next);
        }
    }
    if ((changed & CR_PLLON) != 0) {
        chip->rcc.cr &= ~CR_PLLRDY;
        chip_at(chip, CHIP_RCC_PLL, CHIP_NEVER);
        if ((next & CR_PLLON) != 0) {
            start_pll(chip);
        }
    }
}

static uint32_t *at(struct rcc *rcc, unsigned offset)
{
    switch (offset) {
    case CR:
        return &rcc->cr;
    case PLLCFGR:
        return &rcc->pllcfgr;
    case CFGR:
        return &rcc->cfgr;
    case AHB1ENR:
        return &rcc->enr[RCC_AHB1];
    case APB1ENR:
        return &rcc->enr[RCC_APB1];
    case APB2ENR:
        return &rcc->enr[RCC_APB2];
    case CSR:
        return &rcc->csr;
    default:
        return NULL;
    }
}

bool rcc_read(struct chip *chip, unsigned index, unsigned offset,
              uint32_t *value)
{
    const uint32_t *reg = at(&chip->rcc, offset);

    (void)index;
    return device_give(reg, value);
}

static void write_enr(struct chip *chip, uint32_t *enr, uint32_t next)
{
    if ((next & ~*enr) != 0) {
        chip->rcc.enabled_fs[enr - chip->rcc.enr] = chip_now_fs(chip);
    }
    *enr = next;
}

bool rcc_write(struct chip *chip, unsigned index, unsigned offset,
               uint32_t next)
{
    struct rcc *rcc = &chip->rcc;

    (void)index;
    switch (offset) {
    case CR:
        write_cr(chip, next);
        return true;
    case PLLCFGR:
        if ((rcc->cr & CR_PLLON) != 0) {
            chip_complain(chip, "PLLCFGR is written while the PLL is on");
        } else {
            rcc->pllcfgr = next;
        }
        return true;
    case CFGR:
        rcc->cfgr = (next & ~(CFGR_SW << CFGR_SWS_SHIFT)) |
                    (rcc->cfgr & CFGR_SW << CFGR_SWS_SHIFT);
        choose(chip);
        return (next & ~CFGR_MODELLED) == 0;
    case CSR:
        if ((next & CSR_RMVF) != 0) {
            rcc->csr &= ~CSR_FLAGS;
        }
        return (next & ~(CSR_RMVF | CSR_FLAGS)) == 0;
    case AHB1ENR:
    case APB1ENR:
    case APB2ENR:
        write_enr(chip, at(rcc, offset), next);
        return true;
    default:
        return false;
    }
}

void rcc_event(struct chip *chip, unsigned event)
{
    if (event == CHIP_RCC_HSE) {
        chip->rcc.cr |= CR_HSERDY;
        chip->rcc.hse_ready_fs = chip_now_fs(chip);
    } else {
        chip->rcc.cr |= CR_PLLRDY;
    }
    choose(chip);
}

void rcc_reset(struct chip *chip, uint32_t flags, bool power)
{
    uint64_t now_fs = chip_now_fs(chip);
    uint32_t kept = power ? 0 : chip->rcc.csr & CSR_FLAGS;

    chip->rcc = (struct rcc){
        .cr = 0x00008083u, /* 7.3.1, HSICAL any */
        .pllcfgr = 0x24003010u,
        .enr = {[RCC_AHB1] = 0x00100000u}, /* CCM's */
        .csr = kept | flags,
        .divider = {1, 1, 1},
        .anchor_fs = now_fs,
        .anchor_cycle = chip->core.cycle,
        .core_uhz = with_ppm(HSI_HZ, chip->config.hsi_ppm),
    };
}
