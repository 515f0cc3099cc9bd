/* SPDX-License-Identifier: Apache-2.0 */
/* The clock tree: the PLL makes 168 MHz from the crystal, or from the internal
   oscillator if the crystal never starts; 16 MHz, as after reset, if the PLL
   never locks. Every wait ends, even with a dead crystal. */
#ifndef HAL_STM32F405_CLOCKS_H
#define HAL_STM32F405_CLOCKS_H

#include <stdint.h>

/* What drives the processor; clocks_source_name() has the names. */
enum clocks_source {
    CLOCKS_HSI,     /* internal oscillator, 16 MHz: the PLL did not lock */
    CLOCKS_HSI_PLL, /* internal oscillator, 168 MHz within 1 % at 25 degrees,
                       within some 4 % from -10 to 85: the crystal does not
                       start, or its frequency is not 4 to 26 MHz */
    CLOCKS_HSE_PLL, /* crystal, or a clock at its pin: 168 MHz */
    CLOCKS_EMULATED /* QEMU, which has no oscillators to wait for */
};

struct clocks {
    uint8_t source;      /* enum clocks_source */
    uint32_t reset;      /* bits 31 to 25 of RCC_CSR: cause of the reset */
    uint32_t crystal_hz; /* measured frequency, a whole number of MHz; 0: no
                            crystal, or none that can drive the PLL */
    uint32_t core_hz;    /* clock of processor, memory and DMA */
    uint32_t apb1_hz;    /* clock of USART2, USART3, UART4 and UART5 */
    uint32_t apb2_hz;    /* clock of USART1 and USART6 */
    uint32_t timer_hz;   /* clock of TIM2 to TIM5, before their prescalers */
    uint32_t slower;     /* the emulator's timers are slower than a chip's by
                            the factor 1 + slower; 0 on a chip */
};

/* Sets the clock tree up and fills *clocks in; called once, before any device
   is used. Reads and clears the reset flags. Takes some 4 ms with a crystal;
   without a crystal 0.25 s at most, for waits for the crystal, for a clock
   signal at its pin (some debug probes supply one), and for the PLL. */
void clocks_start(struct clocks *clocks);

/* Return names of the source and of the reset, such as "hse-pll" and
   "power". */
const char *clocks_source_name(const struct clocks *clocks);
const char *clocks_reset_name(const struct clocks *clocks);

#endif
