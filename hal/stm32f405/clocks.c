/* SPDX-License-Identifier: Apache-2.0 */
/* RM0090, 7.2 (clocks), 3.5 (flash wait states) and 5.1.3 (voltage scale). */
#include "hal/stm32f405/clocks.h"

#include "hal/stm32f405/crystal.h"
#include "hal/stm32f405/registers.h"

#include <stdbool.h>

#define HSI_HZ 16000000u
#define PLL_HZ 168000000u
#define PLL_IN_HZ 1000000u /* 1 to 2 MHz */
#define PLLN (2u * PLL_HZ / PLL_IN_HZ)
#define PLLQ 7u /* 48 MHz, for nobody here */

#define EMULATED_TIMER_HZ 1000000000u

/*
 * Looks at a register before a wait ends: each takes 8 cycles or more, so at
 * 16 MHz no less than 50 ms. A crystal starts within some ms, the PLL locks
 * within 0.3 ms (data sheet, 5.3.8 and 5.3.10).
 */
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

/* Starts HSE: an oscillator, or if `bypass`, a clock at its pin (7.2.1). */
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

/* From HSE of so many Hz, from HSI if that is 0. */
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

/* Slower memory and buses first: never a cycle outside their limits. */
static bool switch_to_pll(void)
{
    FLASH->ACR = FLASH_ACR_LATENCY_5WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN |
                 FLASH_ACR_DCEN;
    if (!becomes(&FLASH->ACR, FLASH_ACR_LATENCY_MASK, FLASH_ACR_LATENCY_5WS)) {
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

/*
 * On a chip the oscillator that the processor runs from is ready, and hardware
 * alone sets and clears its flag (RM0090, 7.3.1): HSIRDY after a reset; HSERDY
 * or PLLRDY where a boot loader has switched over and stopped the HSI. In QEMU
 * no oscillator is ever ready: 7.2 has no such register and reads 0; 10 has one
 * that resets to 0 and keeps what is written, so that CR itself may differ from
 * 0 there after a start that was not a reset.
 */
static bool has_clock_tree(void)
{
    return (RCC->CR & (RCC_CR_HSIRDY | RCC_CR_HSERDY | RCC_CR_PLLRDY)) != 0;
}

/*
 * As after a reset: all is off but HSI, and the processor runs from that. A
 * boot loader may have left the PLL on, which is set up only while it is off
 * (7.3.2), and slow memory, which does no harm.
 */
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

static enum clocks_source start(uint32_t *crystal_hz)
{
    if (!has_clock_tree()) {
        return CLOCKS_EMULATED;
    }
    if (!return_to_hsi()) {
        return CLOCKS_HSI;
    }
    RCC->APB1ENR |= RCC_APB1ENR_PWREN;
    PWR->CR |= PWR_CR_VOS;
    if (hse_starts(false) || hse_starts(true)) {
        *crystal_hz = crystal_measure_hz();
    }
    if (!pll_locks(*crystal_hz) || !switch_to_pll()) {
        return CLOCKS_HSI;
    }
    return *crystal_hz != 0 ? CLOCKS_HSE_PLL : CLOCKS_HSI_PLL;
}

/* A timer gets twice its bus's clock where that is divided (7.2). */
void clocks_start(struct clocks *clocks)
{
    clocks->reset = RCC->CSR & ~(RCC_CSR_RMVF | (RCC_CSR_RMVF - 1));
    RCC->CSR |= RCC_CSR_RMVF;
    clocks->crystal_hz = 0;
    clocks->source = (uint8_t)start(&clocks->crystal_hz);
    clocks->core_hz = HSI_HZ;
    clocks->apb1_hz = HSI_HZ;
    clocks->apb2_hz = HSI_HZ;
    clocks->timer_hz = HSI_HZ;
    if (clocks->source != CLOCKS_HSI) {
        clocks->core_hz = PLL_HZ;
        clocks->apb1_hz = PLL_HZ / 4;
        clocks->apb2_hz = PLL_HZ / 2;
        clocks->timer_hz = PLL_HZ / 2;
    }
    if (clocks->source == CLOCKS_EMULATED) {
        clocks->timer_hz = EMULATED_TIMER_HZ;
    }
}

const char *clocks_source_name(const struct clocks *clocks)
{
    static const char *const names[] = {
        [CLOCKS_HSI] = "hsi",
        [CLOCKS_HSI_PLL] = "hsi-pll",
        [CLOCKS_HSE_PLL] = "hse-pll",
        [CLOCKS_EMULATED] = "emulated",
    };

    return names[clocks->source];
}

/* The most telling flag: the pin's is set by every reset (7.3.21). */
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
