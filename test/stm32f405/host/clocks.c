/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock tree. The model computes what the registers mean (RM0090, 7.3),
 * and counts what would break the chip: a clock beyond its limits, or memory
 * and buses that are not ready for it.
 */
#include "test/stm32f405/host/suite.h"

#include "hal/stm32f405/registers.h"

#include <string.h>

static struct stm32_rcc rcc;
static struct stm32_flash flash;
static struct stm32_pwr pwr;

static struct {
    bool crystal; /* starts */
    bool pll;     /* locks */
    bool flash;   /* takes its wait states */
    bool changes; /* of the system's clock happen */
    uint32_t delay;
    uint32_t looks;
    uint32_t wrong;
} chip;

static uint32_t look(const volatile uint32_t *at);

#undef RCC
#define RCC (&rcc)
#undef FLASH
#define FLASH (&flash)
#undef PWR
#define PWR (&pwr)
#define LOOK(at) look(at)

#include "hal/stm32f405/clocks.c"

static uint32_t pll_hz(void)
{
    uint32_t m = rcc.PLLCFGR & 0x3fu;
    uint32_t n = rcc.PLLCFGR >> 6 & 0x1ffu;
    uint32_t p = 2 * ((rcc.PLLCFGR >> 16 & 3u) + 1);
    uint32_t in_hz =
        ((rcc.PLLCFGR >> 22 & 1u) != 0 ? CLOCKS_HSE_HZ : 16000000u) / m;

    chip.wrong += m < 2 || in_hz < 1000000u || in_hz > 2000000u;
    chip.wrong += n < 50 || in_hz * n < 100000000u || in_hz * n > 432000000u;
    return in_hz * n / p;
}

static uint32_t core_hz(void)
{
    return (rcc.CFGR >> 2 & 3u) == 2 ? pll_hz() : 16000000u;
}

/* PPRE1 is at bit 10, PPRE2 at 13: 0xx not divided, 100 by 2, ... */
static uint32_t bus_hz(unsigned shift)
{
    uint32_t bits = rcc.CFGR >> shift & 7u;

    return bits < 4 ? core_hz() : core_hz() >> (bits - 3);
}

static void turn(uint32_t on, uint32_t ready, bool works)
{
    rcc.CR &= ~ready;
    if (works && (rcc.CR & on) != 0 && chip.looks % 1000 >= chip.delay) {
        rcc.CR |= ready;
    }
}

static void change(void)
{
    if ((rcc.CFGR & 3u) == 2 && chip.changes) {
        chip.wrong += (rcc.CR & 1u << 25) == 0 || (flash.ACR & 7u) < 5 ||
                      (pwr.CR & 1u << 14) == 0;
        rcc.CFGR |= 2u << 2;
        chip.wrong += bus_hz(10) > 42000000u || bus_hz(13) > 84000000u;
    }
}

static uint32_t look(const volatile uint32_t *at)
{
    ++chip.looks;
    turn(1u << 16, 1u << 17, chip.crystal);
    turn(1u << 24, 1u << 25, chip.pll);
    if (at == &rcc.CFGR) {
        change();
    }
    return at == &flash.ACR && !chip.flash ? 0 : *at;
}

/* As after reset; then started. */
static struct clocks started(bool crystal, bool pll)
{
    struct clocks clocks;

    memset(&rcc, 0, sizeof rcc);
    memset(&flash, 0, sizeof flash);
    memset(&pwr, 0, sizeof pwr);
    memset(&chip, 0, sizeof chip);
    rcc.CR = 0x83;
    rcc.PLLCFGR = 0x24003010;
    chip.crystal = crystal;
    chip.pll = pll;
    chip.flash = true;
    chip.changes = true;
    chip.delay = 500;
    clocks_start(&clocks);
    return clocks;
}

static void check_rates(struct unit *unit, const struct clocks *clocks)
{
    CHECK_EQUAL(unit, clocks->core_hz, core_hz());
    CHECK_EQUAL(unit, clocks->apb1_hz, bus_hz(10));
    CHECK_EQUAL(unit, clocks->apb2_hz, bus_hz(13));
    CHECK_EQUAL(unit, clocks->timer_hz,
                bus_hz(10) == core_hz() ? core_hz() : 2 * bus_hz(10));
    CHECK_EQUAL(unit, chip.wrong, 0);
}

static void with_the_crystal(struct unit *unit)
{
    struct clocks clocks = started(true, true);

    CHECK_EQUAL(unit, clocks.source, CLOCKS_HSE_PLL);
    CHECK_EQUAL(unit, clocks.core_hz, 168000000);
    CHECK_EQUAL(unit, rcc.PLLCFGR >> 22 & 1u, 1);
    check_rates(unit, &clocks);
}

static void without_the_crystal(struct unit *unit)
{
    struct clocks clocks = started(false, true);

    CHECK_EQUAL(unit, clocks.source, CLOCKS_HSI_PLL);
    CHECK_EQUAL(unit, clocks.core_hz, 168000000);
    CHECK_EQUAL(unit, rcc.CR & 1u << 16, 0);
    check_rates(unit, &clocks);
}

static void without_the_pll(struct unit *unit)
{
    struct clocks clocks = started(true, false);

    CHECK_EQUAL(unit, clocks.source, CLOCKS_HSI);
    CHECK_EQUAL(unit, clocks.core_hz, 16000000);
    CHECK_EQUAL(unit, rcc.CR & 1u << 24, 0);
    check_rates(unit, &clocks);
}

static void every_wait_ends(struct unit *unit)
{
    started(false, false);
    CHECK(unit, chip.looks <= 2 * LOOKS_MAX);
    CHECK(unit, chip.looks >= LOOKS_MAX);
}

static void memory_that_stays_fast(struct unit *unit)
{
    struct clocks clocks;

    started(true, true);
    rcc.CR = 0x83;
    rcc.CFGR = 0;
    chip.flash = false;
    clocks_start(&clocks);
    CHECK_EQUAL(unit, clocks.source, CLOCKS_HSI);
    check_rates(unit, &clocks);
}

static void change_that_does_not_come(struct unit *unit)
{
    struct clocks clocks;

    started(true, true);
    rcc.CR = 0x83;
    rcc.CFGR = 0;
    chip.changes = false;
    clocks_start(&clocks);
    CHECK_EQUAL(unit, clocks.source, CLOCKS_HSI);
    CHECK_EQUAL(unit, rcc.CFGR & 3u, 0);
    check_rates(unit, &clocks);
}

static void no_clock_tree(struct unit *unit)
{
    static const struct stm32_rcc nothing;
    struct clocks clocks;

    started(true, true);
    memset(&rcc, 0, sizeof rcc);
    chip.looks = 0;
    clocks_start(&clocks);
    CHECK_EQUAL(unit, clocks.source, CLOCKS_EMULATED);
    CHECK_EQUAL(unit, clocks.timer_hz, 1000000000);
    CHECK_EQUAL(unit, chip.looks, 0);
    rcc.CSR = 0;
    CHECK(unit, memcmp(&rcc, &nothing, sizeof rcc) == 0);
}

/* QEMU 10: a register that software has written, and no hardware behind it. */
static void registers_that_only_remember(struct unit *unit)
{
    static const uint32_t written[] = {1u << 0, 1u << 16, 1u << 24,
                                       1u << 0 | 1u << 16 | 1u << 24, 0x80};

    for (unsigned i = 0; i < sizeof written / sizeof *written; ++i) {
        struct clocks clocks;

        started(true, true);
        rcc.CR = written[i];
        clocks_start(&clocks);
        CHECK_EQUAL(unit, clocks.source, CLOCKS_EMULATED);
        CHECK_EQUAL(unit, rcc.CR, written[i]);
    }
}

/* RM0090, 7.3.1: HSION may be cleared where another oscillator is used. */
static void behind_a_boot_loader(struct unit *unit)
{
    static const uint32_t left[] = {0x83, 0x30000, 0x3030000, 0x2030083};

    for (unsigned i = 0; i < sizeof left / sizeof *left; ++i) {
        struct clocks clocks;

        started(true, true);
        rcc.CR = left[i];
        rcc.CFGR = 0;
        clocks_start(&clocks);
        CHECK_EQUAL(unit, clocks.source, CLOCKS_HSE_PLL);
    }
}

/* RM0090, 7.3.21: PINRSTF, bit 26, is set by every reset. */
static void causes_of_reset(struct unit *unit)
{
    static const struct {
        uint32_t flags;
        const char *name;
    } cases[] = {
        {0x0e000000, "power"},     {0x04000000, "pin"},
        {0x14000000, "software"},  {0x24000000, "watchdog"},
        {0x44000000, "watchdog"},  {0x84000000, "low-power"},
        {0x06000000, "brown-out"}, {0, "unknown"},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct clocks clocks;

        started(true, true);
        rcc.CR = 0;
        rcc.CSR = cases[i].flags | 3u;
        clocks_start(&clocks);
        CHECK_EQUAL(unit, clocks.reset, cases[i].flags);
        CHECK(unit, strcmp(clocks_reset_name(&clocks), cases[i].name) == 0);
        CHECK_EQUAL(unit, rcc.CSR >> 24 & 1u, 1);
    }
}

void suite_clocks(struct unit *unit)
{
    UNIT_RUN(unit, with_the_crystal);
    UNIT_RUN(unit, without_the_crystal);
    UNIT_RUN(unit, without_the_pll);
    UNIT_RUN(unit, every_wait_ends);
    UNIT_RUN(unit, memory_that_stays_fast);
    UNIT_RUN(unit, change_that_does_not_come);
    UNIT_RUN(unit, no_clock_tree);
    UNIT_RUN(unit, registers_that_only_remember);
    UNIT_RUN(unit, behind_a_boot_loader);
    UNIT_RUN(unit, causes_of_reset);
}
