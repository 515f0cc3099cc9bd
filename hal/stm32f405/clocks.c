/* SPDX-License-Identifier: Apache-2.0 */
/* See RM0090, 7.2 (clocks), 3.5 (flash wait states), 5.1.3 (voltage scale) and
   chapter 19 (TIM11). */
#include "hal/stm32f405/clocks.h"

#include "hal/names.h"
#include "hal/stm32f405/registers.h"

#include <stdbool.h>

#define HSI_HZ 16000000u
#define PLL_HZ 168000000u
#define PLL_IN_HZ 1000000u /* input of the PLL; may be 1 to 2 MHz */
#define PLLN (2u * PLL_HZ / PLL_IN_HZ)
#define PLLQ 7u /* 48 MHz, which this program does not use */

#define EMULATED_TIMER_HZ 1000000000u

/* Reads of a register after which a wait ends: 50 ms or more at 16 MHz. */
#define LOOKS_MAX 100000u

static bool becomes(const volatile uint32_t *at, uint32_t mask, uint32_t value)
{
    for (uint32_t looks = 0; looks < LOOKS_MAX; ++looks) {
        if ((*at & mask) == value) {
            return true;
        }
    }
    return false;
}

/* Starts HSE, the external clock: a crystal, or, if `bypass`, a clock signal at
   the crystal's pin (7.2.1). Result: whether it started. */
static bool hse_starts(bool bypass)
{
    if (bypass) {
        RCC->CR |= RCC_CR_HSEBYP;
    }
    RCC->CR |= RCC_CR_HSEON;
    if (becomes(&RCC->CR, RCC_CR_HSERDY, RCC_CR_HSERDY)) {
        return true;
    }
    RCC->CR &= ~RCC_CR_HSEON;
    RCC->CR &= ~RCC_CR_HSEBYP;
    return false;
}

/* Starts the PLL; hse_hz 0: from HSI. Result: whether it locks. */
static bool pll_locks(uint32_t hse_hz)
{
    uint32_t divider = (hse_hz != 0 ? hse_hz : HSI_HZ) / PLL_IN_HZ;

    RCC->PLLCFGR = divider | PLLN << RCC_PLLCFGR_PLLN_SHIFT |
                   (hse_hz != 0 ? RCC_PLLCFGR_PLLSRC_HSE : 0) |
                   PLLQ << RCC_PLLCFGR_PLLQ_SHIFT;
    RCC->CR |= RCC_CR_PLLON;
    if (becomes(&RCC->CR, RCC_CR_PLLRDY, RCC_CR_PLLRDY)) {
        return true;
    }
    RCC->CR &= ~RCC_CR_PLLON;
    return false;
}

/* Slows down flash and buses first. Result: whether the processor switched. */
static bool switch_to_pll(void)
{
    FLASH_ACR = FLASH_ACR_LATENCY_5WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN |
                FLASH_ACR_DCEN;
    if (!becomes(&FLASH_ACR, FLASH_ACR_LATENCY_MASK, FLASH_ACR_LATENCY_5WS)) {
        return false;
    }
    RCC->CFGR = RCC_CFGR_PPRE1_DIV4 | RCC_CFGR_PPRE2_DIV2;
    RCC->CFGR |= RCC_CFGR_SW_PLL;
    if (becomes(&RCC->CFGR, RCC_CFGR_SW_MASK << RCC_CFGR_SWS_SHIFT,
                RCC_CFGR_SW_PLL << RCC_CFGR_SWS_SHIFT)) {
        return true;
    }
    RCC->CFGR = 0;
    return false;
}

/* Whether this is a chip: QEMU sets none of these flags (RM0090, 7.3.1). */
static bool has_clock_tree(void)
{
    return (RCC->CR & (RCC_CR_HSIRDY | RCC_CR_HSERDY | RCC_CR_PLLRDY)) != 0;
}

/* Restores the state after a reset: a boot loader may have left the PLL on. */
static bool return_to_hsi(void)
{
    RCC->CR |= RCC_CR_HSION;
    if (!becomes(&RCC->CR, RCC_CR_HSIRDY, RCC_CR_HSIRDY)) {
        return false;
    }
    RCC->CFGR = 0;
    if (!becomes(&RCC->CFGR, RCC_CFGR_SW_MASK << RCC_CFGR_SWS_SHIFT, 0)) {
        return false;
    }
    RCC->CR &= ~(RCC_CR_PLLON | RCC_CR_HSEON);
    RCC->CR &= ~RCC_CR_HSEBYP;
    return becomes(&RCC->CR, RCC_CR_PLLRDY | RCC_CR_HSERDY, 0);
}

/* ---- the crystal ---- */

/*
 * Measures the crystal's frequency, so that one image serves many boards: TIM11
 * counts the 16 MHz oscillator (HSI) between edges of the crystal's clock,
 * which the RTC's prescaler divides (RM0090, 7.2.12 and 19.5.11).
 *
 * HSI is good to 1 % at 25 degrees and to some 4 % from -10 to 85 degrees (data
 * sheet, 5.3.9).
 */
#define HSI_MHZ 16u
#define PRESCALER 31u   /* the RTC's divider: crystal cycles per edge */
#define CAPTURE_EACH 8u /* edges per capture */
#define INTERVALS 15u   /* intervals between captures; all: 0.93 ms at 4 MHz */
#define MHZ_MIN 4u
#define MHZ_MAX 26u
#define USUAL_MAX 16u
#define USUAL_PART 22u          /* tolerance: 1 part in 22, 4.5 % */
#define CAPTURE_LOOKS_MAX 2000u /* looks of 10 cycles: 1.2 ms at 16 MHz */

/* The crystal's frequency, MHz, times the HSI ticks of all intervals. */
#define PRODUCT (INTERVALS * CAPTURE_EACH * PRESCALER * HSI_MHZ)

/* Reads TIM11's next captured count. Result: false: none came in time. */
static bool capture(uint32_t *count)
{
    for (uint32_t looks = 0; looks < CAPTURE_LOOKS_MAX; ++looks) {
        if ((TIM11->SR & TIM_SR_CC1IF) != 0) {
            *count = TIM11->CCR[0]; /* clears the flag */
            return true;
        }
    }
    return false;
}

static void start_counting(void)
{
    RCC->CFGR |= PRESCALER << RCC_CFGR_RTCPRE_SHIFT;
    RCC->APB2ENR |= RCC_APB2ENR_TIM11EN;
    (void)RCC->APB2ENR; /* the clock arrives two cycles late (7.3) */
    TIM11->OR = TIM11_OR_HSE_RTC;
    TIM11->CCMR1 = TIM_CCMR1_CC1S_TI1 | TIM_CCMR1_IC1PSC_8;
    TIM11->CR1 = TIM_CR1_CEN;
    TIM11->CCER = TIM_CCER_CC1E;
}

static void stop_counting(void)
{
    TIM11->CCER = 0;
    TIM11->CR1 = 0;
    RCC->APB2ENR &= ~RCC_APB2ENR_TIM11EN;
    RCC->CFGR &= ~(RCC_CFGR_RTCPRE_MASK << RCC_CFGR_RTCPRE_SHIFT);
}

/* Returns 4, 8, 12 or 16 MHz if the measurement is within 4.5 %; otherwise the
   nearest whole MHz; 0 if this is not 4 to 26. */
static uint32_t named_mhz(uint32_t measured_khz)
{
    uint32_t usual = (measured_khz + 2000u) / 4000u * 4u;
    uint32_t usual_khz = usual * 1000u;
    uint32_t off_khz = measured_khz > usual_khz ? measured_khz - usual_khz
                                                : usual_khz - measured_khz;
    uint32_t mhz = (measured_khz + 500u) / 1000u;

    if (usual <= USUAL_MAX && off_khz * USUAL_PART <= usual_khz) {
        mhz = usual;
    } else if (mhz == MHZ_MAX + 1u && measured_khz <= MHZ_MAX * 1000u + 500u) {
        mhz = MHZ_MAX; /* 26 MHz, measured up to 1.9 % too high */
    }
    return mhz < MHZ_MIN || mhz > MHZ_MAX ? 0 : mhz;
}

/* Returns the frequency of HSE, Hz; 0: not 4 to 26 MHz, or no oscillation.
   Preconditions: HSERDY is set; HSI drives processor and buses. */
static uint32_t measure_crystal_hz(void)
{
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t ticks;
    bool found;

    start_counting();
    found = capture(&first);
    for (unsigned i = 0; found && i < INTERVALS; ++i) {
        found = capture(&last);
    }
    stop_counting();
    ticks = (last - first) & UINT16_MAX;
    if (!found || ticks == 0) {
        return 0;
    }
    return named_mhz(PRODUCT * 1000u / ticks) * 1000000u;
}

/* ---- start ---- */

static enum clocks_source start(uint32_t *crystal_hz)
{
    if (!has_clock_tree()) {
        return CLOCKS_EMULATED;
    }
    if (!return_to_hsi()) {
        return CLOCKS_HSI;
    }
    RCC->APB1ENR |= RCC_APB1ENR_PWREN;
    PWR_CR |= PWR_CR_VOS;
    if (hse_starts(false) || hse_starts(true)) {
        *crystal_hz = measure_crystal_hz();
    }
    if (!pll_locks(*crystal_hz) || !switch_to_pll()) {
        return CLOCKS_HSI;
    }
    return *crystal_hz != 0 ? CLOCKS_HSE_PLL : CLOCKS_HSI_PLL;
}

/* A timer's clock is twice its bus's clock if the bus has a divider (7.2). */
void clocks_start(struct clocks *clocks)
{
    bool fast;

    clocks->reset = RCC->CSR & ~(RCC_CSR_RMVF | (RCC_CSR_RMVF - 1));
    RCC->CSR |= RCC_CSR_RMVF;
    clocks->crystal_hz = 0;
    clocks->source = (uint8_t)start(&clocks->crystal_hz);
    fast = clocks->source != CLOCKS_HSI;
    clocks->core_hz = fast ? PLL_HZ : HSI_HZ;
    clocks->apb1_hz = fast ? PLL_HZ / 4 : HSI_HZ;
    clocks->apb2_hz = fast ? PLL_HZ / 2 : HSI_HZ;
    clocks->timer_hz =
        clocks->source == CLOCKS_EMULATED ? EMULATED_TIMER_HZ : clocks->apb2_hz;
}

const char *clocks_source_name(const struct clocks *clocks)
{
    return names_at("hsi\0hsi-pll\0hse-pll\0emulated", clocks->source);
}

/* The reset pin's flag is the last one, since every reset sets it (7.3.21). */
const char *clocks_reset_name(const struct clocks *clocks)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {
        {RCC_CSR_LPWRRSTF, "low-power"}, {RCC_CSR_WWDGRSTF, "watchdog"},
        {RCC_CSR_IWDGRSTF, "watchdog"},  {RCC_CSR_SFTRSTF, "software"},
        {RCC_CSR_PORRSTF, "power"},      {RCC_CSR_BORRSTF, "brown-out"},
        {RCC_CSR_PINRSTF, "pin"},
    };

    for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
        if ((clocks->reset & names[i].flag) != 0) {
            return names[i].name;
        }
    }
    return "unknown";
}
