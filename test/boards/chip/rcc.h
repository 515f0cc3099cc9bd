/* SPDX-License-Identifier: Apache-2.0 */
/* Reset and clock control (RM0090, 7), with what the flash interface (3.9) and
   the power controller (5.4) must allow of it. */
#ifndef TEST_BOARDS_CHIP_RCC_H
#define TEST_BOARDS_CHIP_RCC_H

#include <stdbool.h>
#include <stdint.h>

struct chip;

#define RCC_REGISTERS 34u /* words, to DCKCFGR's place */
#define RCC_CSR_PINRSTF (1u << 26)
#define RCC_CSR_PORRSTF (1u << 27)
#define RCC_CSR_BORRSTF (1u << 25)
#define RCC_CSR_SFTRSTF (1u << 28)
#define RCC_CSR_IWDGRSTF (1u << 29)

enum rcc_offset {
    RCC_CR = 0x00,
    RCC_PLLCFGR = 0x04,
    RCC_CFGR = 0x08,
    RCC_CIR = 0x0c,
    RCC_AHB1RSTR = 0x10,
    RCC_APB1RSTR = 0x20,
    RCC_APB2RSTR = 0x24,
    RCC_AHB1ENR = 0x30,
    RCC_AHB2ENR = 0x34,
    RCC_AHB3ENR = 0x38,
    RCC_APB1ENR = 0x40,
    RCC_APB2ENR = 0x44,
    RCC_AHB1LPENR = 0x50,
    RCC_BDCR = 0x70,
    RCC_CSR = 0x74
};

struct rcc {
    uint32_t reg[RCC_REGISTERS];
    uint64_t enabled_fs[RCC_REGISTERS]; /* when a bit of an ENR was last set */
    uint32_t flash_acr;
    /* Derived, in Hz with the oscillators' errors; micro: a millionth. */
    uint64_t core_uhz;
    unsigned ahb_divider;
    unsigned apb_divider[2];
    /* The processor's cycle `anchor_cycle` began at anchor_fs. */
    uint64_t anchor_cycle;
    uint64_t anchor_fs;
    uint64_t hse_ready_fs; /* when it started to oscillate; 0: it does not */
};

/* After a reset: the 16 MHz oscillator, at this time. Flags of CSR are kept,
   and these are added. */
void rcc_reset(struct chip *chip, uint32_t flags, bool power);

uint32_t rcc_read(struct chip *chip, unsigned offset);
void rcc_write(struct chip *chip, unsigned offset, uint32_t value);

/* FLASH_ACR and PWR_CR changed: everything is checked again. */
void rcc_check(struct chip *chip);

/* CHIP_RCC_HSE, CHIP_RCC_PLL, CHIP_RCC_LSI. */
void rcc_event(struct chip *chip, unsigned event);

/* The real frequency of the crystal in micro-Hz; 0: it does not oscillate. */
uint64_t rcc_hse_uhz(const struct chip *chip);

/* Times of the processor's clock. */
uint64_t rcc_fs_of(const struct rcc *rcc, uint64_t cycle);
uint64_t rcc_cycle_of(const struct rcc *rcc, uint64_t fs); /* rounded up */

/* Cycles of the processor's clock in one of APB1's (0) or APB2's (1), and in
   one of their timers' (7.2: twice the bus's clock where that is divided). */
unsigned rcc_bus_cycles(const struct rcc *rcc, unsigned apb);
unsigned rcc_timer_cycles(const struct rcc *rcc, unsigned apb);

#endif
