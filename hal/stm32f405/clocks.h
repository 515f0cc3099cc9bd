/* SPDX-License-Identifier: Apache-2.0 */
/* The clock tree: 168 MHz from the crystal or the internal oscillator; 16 MHz
   if the PLL never locks. */
#ifndef HAL_STM32F405_CLOCKS_H
#define HAL_STM32F405_CLOCKS_H

#include <stdint.h>

/* What drives the processor; clocks_source_name() has the names. */
enum clocks_source {
    CLOCKS_HSI,     /* internal oscillator, 16 MHz: the PLL did not lock */
    CLOCKS_HSI_PLL, /* internal oscillator, 168 MHz: no usable crystal */
    CLOCKS_HSE_PLL, /* crystal, or a clock at its pin: 168 MHz */
    CLOCKS_EMULATED /* QEMU, which has no oscillators to wait for */
};

struct clocks {
    uint8_t source;      /* enum clocks_source */
    uint32_t reset;      /* bits 31 to 25 of RCC_CSR: cause of the reset */
    uint32_t crystal_hz; /* whole MHz; 0: no usable crystal */
    uint32_t core_hz;    /* clock of processor, memory and DMA */
    uint32_t apb1_hz;    /* clock of USART2, USART3, UART4 and UART5 */
    uint32_t apb2_hz;    /* clock of USART1 and USART6 */
    uint32_t timer_hz;   /* clock of TIM2 to TIM5, before their prescalers */
    uint32_t slower;     /* timers run at 1 / (1 + slower); 0 on a chip */
};

/* Sets the clock tree up, and fills *clocks in. Called once, before any device
   is used. Clears the reset flags. Takes 0.25 s at most. */
void clocks_start(struct clocks *clocks);

/* Return names such as "hse-pll" (source) and "power" (reset). */
const char *clocks_source_name(const struct clocks *clocks);
const char *clocks_reset_name(const struct clocks *clocks);

#endif
