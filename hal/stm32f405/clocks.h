/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock tree: 168 MHz from the crystal; from the internal oscillator if
 * the crystal never starts; the 16 MHz after reset if the PLL never locks.
 * Every wait is bounded, so that a board with a dead crystal still answers.
 */
#ifndef HAL_STM32F405_CLOCKS_H
#define HAL_STM32F405_CLOCKS_H

#include <stdint.h>

/* Their names: clocks_source_name(). */
enum clocks_source {
    CLOCKS_HSI,     /* 16 MHz: nothing locked */
    CLOCKS_HSI_PLL, /* 168 MHz within 1 % at 25 degrees, some 4 % elsewhere: the
                       crystal does not start, or is none of 4 to 26 MHz */
    CLOCKS_HSE_PLL, /* 168 MHz by the crystal, or by a clock at its pin */
    CLOCKS_EMULATED /* QEMU: no oscillator is ready; nothing was waited for */
};

struct clocks {
    uint8_t source;      /* enum clocks_source */
    uint32_t reset;      /* flags of RCC_CSR, 31..25: why the chip started */
    uint32_t crystal_hz; /* as measured, in whole MHz; 0: none, or its clock
                            does not drive the PLL */
    uint32_t core_hz;    /* processor, memory, DMA */
    uint32_t apb1_hz;    /* USART2, USART3, UART4 */
    uint32_t apb2_hz;    /* USART1, USART6 */
    uint32_t timer_hz;   /* TIM2 to TIM5, before their prescaler */
    uint32_t slower;     /* the emulator's time runs 1 + slower times slower; on
                            a chip 0 */
};

/*
 * Sets the clock tree up and fills *clocks in; once, before any device is
 * used. Takes and clears the reset flags. Some 4 ms with a crystal, at most
 * 0.25 s without (waits for the crystal, for a clock at its pin, which some
 * debug probes give, and for the PLL, each bounded).
 */
void clocks_start(struct clocks *clocks);

/* Names for people: "hse-pll", "hsi-pll", ..., and "power", "watchdog", ... */
const char *clocks_source_name(const struct clocks *clocks);
const char *clocks_reset_name(const struct clocks *clocks);

#endif
