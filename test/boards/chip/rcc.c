/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/rcc.h"

#include "test/boards/chip/chip.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define HSI_HZ 16000000u
#define UHZ_PER_HZ 1000000u
#define FS_UHZ ((wide)FS_PER_S * UHZ_PER_HZ) /* a period is this over uHz */

/* Data sheet: a crystal starts in 2 ms, an outside clock at once; the PLL locks
   in at most 300 us, LSI starts in 40 us (5.3.8 to 5.3.10). */
#define HSE_CRYSTAL_FS (2000u * FS_PER_US)
#define HSE_EXTERNAL_FS (1u * FS_PER_US)
#define PLL_LOCK_FS (250u * FS_PER_US)
#define LSI_START_FS (40u * FS_PER_US)

/* Data sheet, table 14: at most, with PWR_CR's VOS set. */
#define CORE_HZ_MAX 168000000u
#define CORE_HZ_MAX_SCALE_2 144000000u
#define APB1_HZ_MAX 42000000u
#define APB2_HZ_MAX 84000000u
#define WAIT_STATE_HZ 30000000u /* 3.5.1, 2.7 to 3.6 V: one more for each */

#define CR_HSION (1u << 0)
#define CR_HSIRDY (1u << 1)
#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_HSEBYP (1u << 18)
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define PLLCFGR_SRC_HSE (1u << 22)
#define CFGR_SW 3u
#define CFGR_SWS (3u << 2)
#define CSR_LSION (1u << 0)
#define CSR_LSIRDY (1u << 1)
#define CSR_RMVF (1u << 24)
#define CSR_FLAGS 0xfe000000u
#define PWR_CR_VOS (1u << 14)

enum source {
    SOURCE_HSI,
    SOURCE_HSE,
    SOURCE_PLL
};

static uint32_t *at(struct chip *chip, unsigned offset)
{
    return &chip->rcc.reg[offset / 4];
}

static uint32_t value(const struct chip *chip, unsigned offset)
{
    return chip->rcc.reg[offset / 4];
}

/* ---- frequencies ---- */

static uint64_t with_ppm(uint64_t hz, double ppm)
{
    return (uint64_t)((double)hz * UHZ_PER_HZ + (double)hz * ppm + 0.5);
}

uint64_t rcc_hse_uhz(const struct chip *chip)
{
    if ((value(chip, RCC_CR) & CR_HSERDY) == 0) {
        return 0;
    }
    return with_ppm(chip->config.hse_hz, chip->config.hse_ppm);
}

/* The PLL's factors applied to a frequency at its input. */
static uint64_t multiplied(const struct chip *chip, uint64_t in)
{
    uint32_t pll = value(chip, RCC_PLLCFGR);
    unsigned m = pll & 0x3fu;
    unsigned n = pll >> 6 & 0x1ffu;
    unsigned p = 2u * ((pll >> 16 & 3u) + 1u);

    return m == 0 ? 0 : (uint64_t)((wide)in * n / m / p);
}

static bool pll_from_crystal(const struct chip *chip)
{
    return (value(chip, RCC_PLLCFGR) & PLLCFGR_SRC_HSE) != 0;
}

static enum source used(const struct chip *chip)
{
    return (enum source)((value(chip, RCC_CFGR) & CFGR_SWS) >> 2);
}

/* Of the processor: real, in uHz, and nominal, in Hz. */
static uint64_t core_uhz(const struct chip *chip)
{
    uint64_t hsi = with_ppm(HSI_HZ, chip->config.hsi_ppm);
    uint64_t hse = with_ppm(chip->config.hse_hz, chip->config.hse_ppm);
    uint64_t system = hsi;

    if (used(chip) == SOURCE_HSE) {
        system = hse;
    } else if (used(chip) == SOURCE_PLL) {
        system = multiplied(chip, pll_from_crystal(chip) ? hse : hsi);
    }
    return system / chip->rcc.ahb_divider;
}

static uint64_t core_hz(const struct chip *chip)
{
    uint64_t hse = chip->config.hse_hz;
    uint64_t system = HSI_HZ;

    if (used(chip) == SOURCE_HSE) {
        system = hse;
    } else if (used(chip) == SOURCE_PLL) {
        system = multiplied(chip, pll_from_crystal(chip) ? hse : HSI_HZ);
    }
    return system / chip->rcc.ahb_divider;
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

unsigned rcc_bus_cycles(const struct rcc *rcc, unsigned apb)
{
    return rcc->apb_divider[apb];
}

unsigned rcc_timer_cycles(const struct rcc *rcc, unsigned apb)
{
    unsigned divider = rcc->apb_divider[apb];

    return divider == 1 ? 1 : divider / 2;
}

/* Everything that counts the processor's clock is told of its change. */
static void retime(struct chip *chip)
{
    struct rcc *rcc = &chip->rcc;
    uint64_t now_fs = chip_now_fs(chip);
    uint64_t uhz = core_uhz(chip);

    for (unsigned i = 0; i < TIM_COUNT; ++i) {
        tim_hold(chip, i);
    }
    rcc->anchor_fs = now_fs;
    rcc->anchor_cycle = chip->core.cycle;
    rcc->core_uhz = uhz == 0 ? 1 : uhz;
    for (unsigned i = 0; i < TIM_COUNT; ++i) {
        tim_retime(chip, i);
    }
    for (unsigned i = 0; i < USART_COUNT; ++i) {
        usart_retime(chip, i);
    }
    chip->core.until = chip->core.cycle; /* its end is another cycle now */
}

/* ---- limits ---- */

void rcc_check(struct chip *chip)
{
    uint64_t hz = core_hz(chip);
    uint64_t most =
        (chip->pwr_cr & PWR_CR_VOS) != 0 ? CORE_HZ_MAX : CORE_HZ_MAX_SCALE_2;
    unsigned waits = chip->rcc.flash_acr & 7u;

    if (hz > most) {
        chip_complain(chip, "the processor runs at %llu Hz, at most %llu",
                      (unsigned long long)hz, (unsigned long long)most);
    }
    if (hz / chip->rcc.apb_divider[0] > APB1_HZ_MAX) {
        chip_complain(chip, "APB1 runs at more than %u Hz", APB1_HZ_MAX);
    }
    if (hz / chip->rcc.apb_divider[1] > APB2_HZ_MAX) {
        chip_complain(chip, "APB2 runs at more than %u Hz", APB2_HZ_MAX);
    }
    if (hz > (waits + 1u) * (uint64_t)WAIT_STATE_HZ) {
        chip_complain(chip, "%u wait states of the flash at %llu Hz", waits,
                      (unsigned long long)hz);
    }
}

static void check_pll(struct chip *chip)
{
    uint32_t pll = value(chip, RCC_PLLCFGR);
    unsigned m = pll & 0x3fu;
    unsigned n = pll >> 6 & 0x1ffu;
    uint64_t in = pll_from_crystal(chip) ? chip->config.hse_hz : HSI_HZ;

    if (m < 2 || n < 50 || n > 432 || (pll >> 24 & 0xfu) < 2) {
        chip_complain(chip, "PLLCFGR %08x is none", pll);
        return;
    }
    if (in / m < 950000u || in / m > 2100000u) { /* 5.3.10, table 36 */
        chip_complain(chip, "the PLL's input has %llu Hz",
                      (unsigned long long)(in / m));
    }
    if (in / m * n < 100000000u || in / m * n > 432000000u) {
        chip_complain(chip, "the PLL's oscillator has %llu Hz",
                      (unsigned long long)(in / m * n));
    }
}

/* ---- registers ---- */

static unsigned ahb_divider(unsigned bits)
{
    static const uint16_t dividers[] = {2, 4, 8, 16, 64, 128, 256, 512};

    return bits < 8 ? 1 : dividers[bits - 8];
}

static unsigned apb_divider(unsigned bits)
{
    return bits < 4 ? 1 : 2u << (bits - 4);
}

static bool is_ready(const struct chip *chip, unsigned source)
{
    static const uint32_t flags[] = {CR_HSIRDY, CR_HSERDY, CR_PLLRDY};

    return source <= SOURCE_PLL && (value(chip, RCC_CR) & flags[source]) != 0;
}

/* The switch waits for a source that is not ready (7.3.3). */
static void choose(struct chip *chip)
{
    uint32_t *cfgr = at(chip, RCC_CFGR);
    unsigned wanted = *cfgr & CFGR_SW;

    if (wanted == 3) {
        chip_complain(chip, "CFGR: SW is 3");
    } else if (is_ready(chip, wanted)) {
        *cfgr = (*cfgr & ~CFGR_SWS) | wanted << 2;
    }
    chip->rcc.ahb_divider = ahb_divider(*cfgr >> 4 & 0xfu);
    chip->rcc.apb_divider[0] = apb_divider(*cfgr >> 10 & 7u);
    chip->rcc.apb_divider[1] = apb_divider(*cfgr >> 13 & 7u);
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

static void stop_hse(struct chip *chip)
{
    *at(chip, RCC_CR) &= ~CR_HSERDY;
    chip->rcc.hse_ready_fs = 0;
    chip_at(chip, CHIP_RCC_HSE, CHIP_NEVER);
}

static void start_pll(struct chip *chip)
{
    check_pll(chip);
    if (!is_ready(chip, pll_from_crystal(chip) ? SOURCE_HSE : SOURCE_HSI)) {
        chip_complain(chip, "the PLL is started without its source");
    } else if (!chip->config.pll_dead) {
        chip_at(chip, CHIP_RCC_PLL, chip_now_fs(chip) + PLL_LOCK_FS);
    }
}

/* Whether the clock in use depends on this oscillator. */
static bool needs(const struct chip *chip, enum source source)
{
    return used(chip) == source ||
           (used(chip) == SOURCE_PLL && source < SOURCE_PLL &&
            (source == SOURCE_HSE) == pll_from_crystal(chip));
}

static void write_cr(struct chip *chip, uint32_t next)
{
    uint32_t before = value(chip, RCC_CR);
    uint32_t changed;

    if ((next & CR_HSION) == 0 && needs(chip, SOURCE_HSI)) {
        chip_complain(chip, "HSI is in use and switched off");
        next |= CR_HSION;
    }
    if ((next & CR_HSEON) == 0 && needs(chip, SOURCE_HSE)) {
        chip_complain(chip, "HSE is in use and switched off");
        next |= CR_HSEON;
    }
    if ((next & CR_PLLON) == 0 && needs(chip, SOURCE_PLL)) {
        chip_complain(chip, "the PLL is in use and switched off");
        next |= CR_PLLON;
    }
    changed = next ^ before;
    if ((changed & CR_HSEBYP) != 0 && (before & CR_HSEON) != 0) {
        chip_complain(chip, "HSEBYP is changed while HSE is on");
        next ^= CR_HSEBYP;
    }
    *at(chip, RCC_CR) = (next & 0x050d00f9u) | (before & 0x0a02ff00u) |
                        ((next & CR_HSION) != 0 ? CR_HSIRDY : 0);
    if ((changed & CR_HSEON) != 0) {
        if ((next & CR_HSEON) != 0) {
            start_hse(chip, next);
        } else {
            stop_hse(chip);
        }
    }
    if ((changed & CR_PLLON) != 0) {
        *at(chip, RCC_CR) &= ~CR_PLLRDY;
        chip_at(chip, CHIP_RCC_PLL, CHIP_NEVER);
        if ((next & CR_PLLON) != 0) {
            start_pll(chip);
        }
    }
}

static void write_pllcfgr(struct chip *chip, uint32_t next)
{
    if ((value(chip, RCC_CR) & CR_PLLON) != 0) {
        chip_complain(chip, "PLLCFGR is written while the PLL is on");
        return;
    }
    *at(chip, RCC_PLLCFGR) = next;
}

static void write_csr(struct chip *chip, uint32_t next)
{
    uint32_t *csr = at(chip, RCC_CSR);

    if ((next & CSR_RMVF) != 0) {
        *csr &= ~CSR_FLAGS;
    }
    if ((next & CSR_LSION) == 0) {
        *csr &= ~(CSR_LSION | CSR_LSIRDY);
        chip_at(chip, CHIP_RCC_LSI, CHIP_NEVER);
    } else if ((*csr & CSR_LSION) == 0) {
        *csr |= CSR_LSION;
        chip_at(chip, CHIP_RCC_LSI, chip_now_fs(chip) + LSI_START_FS);
    }
}

/* Peripherals that are held in reset forget everything. */
static void write_reset(struct chip *chip, unsigned offset, uint32_t next)
{
    *at(chip, offset) = next;
    if (next != 0) {
        chip_complain(chip, "RSTR at %02x: not modelled", offset);
    }
}

uint32_t rcc_read(struct chip *chip, unsigned offset)
{
    return offset < 4 * RCC_REGISTERS ? value(chip, offset) : 0;
}

void rcc_write(struct chip *chip, unsigned offset, uint32_t next)
{
    if (offset >= 4 * RCC_REGISTERS) {
        chip_complain(chip, "RCC has no register at %x", offset);
        return;
    }
    switch (offset) {
    case RCC_CR:
        write_cr(chip, next);
        break;
    case RCC_PLLCFGR:
        write_pllcfgr(chip, next);
        break;
    case RCC_CFGR:
        *at(chip, RCC_CFGR) =
            (next & ~CFGR_SWS) | (value(chip, RCC_CFGR) & CFGR_SWS);
        choose(chip);
        break;
    case RCC_CSR:
        write_csr(chip, next);
        break;
    case RCC_AHB1RSTR:
    case RCC_APB1RSTR:
    case RCC_APB2RSTR:
        write_reset(chip, offset, next);
        break;
    default:
        if ((next & ~value(chip, offset)) != 0) {
            chip->rcc.enabled_fs[offset / 4] = chip_now_fs(chip);
        }
        *at(chip, offset) = next;
        break;
    }
}

void rcc_event(struct chip *chip, unsigned event)
{
    if (event == CHIP_RCC_HSE) {
        *at(chip, RCC_CR) |= CR_HSERDY;
        chip->rcc.hse_ready_fs = chip_now_fs(chip);
    } else if (event == CHIP_RCC_PLL) {
        *at(chip, RCC_CR) |= CR_PLLRDY;
    } else {
        *at(chip, RCC_CSR) |= CSR_LSIRDY;
    }
    choose(chip);
}

void rcc_reset(struct chip *chip, uint32_t flags, bool power)
{
    struct rcc *rcc = &chip->rcc;
    uint64_t now_fs = chip_now_fs(chip);
    uint32_t kept = power ? 0 : value(chip, RCC_CSR) & CSR_FLAGS;

    memset(rcc, 0, sizeof *rcc);
    *at(chip, RCC_CR) = 0x00008083u; /* 7.3.1, HSICAL any */
    *at(chip, RCC_PLLCFGR) = 0x24003010u;
    *at(chip, RCC_AHB1ENR) = 0x00100000u; /* CCM's */
    *at(chip, RCC_CSR) = kept | flags;
    rcc->ahb_divider = 1;
    rcc->apb_divider[0] = 1;
    rcc->apb_divider[1] = 1;
    rcc->anchor_fs = now_fs;
    rcc->anchor_cycle = chip->core.cycle;
    rcc->core_uhz = with_ppm(HSI_HZ, chip->config.hsi_ppm);
}
