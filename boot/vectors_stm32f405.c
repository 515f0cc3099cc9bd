/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of an STM32F405, all of them: the identity is behind them. */
#include "boot/boot.h"
#include "boot/start_stm32f405.h"

#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/registers.h"

#define VECTOR(irq) [BOOT_VECTORS_ARMV7M + (irq)]
#define VECTORS (BOOT_VECTORS_ARMV7M + STM32_IRQS)

/* RM0090, table 62. No other interrupt is ever enabled. */
__attribute__((section(".vectors"), used))
const boot_vector boot_vectors[VECTORS] = {
    BOOT_VECTORS,
    [15] = timer_tick_interrupt,
    VECTOR(USART1_IRQ) = serial_east_interrupt,
    VECTOR(USART2_IRQ) = serial_north_interrupt,
    VECTOR(USART3_IRQ) = serial_west_interrupt,
    VECTOR(USART6_IRQ) = serial_south_interrupt,
    VECTOR(UART4_IRQ) = serial_console_interrupt,
    VECTOR(UART5_IRQ) = serial_console_late_interrupt,
    VECTOR(DMA2_Stream7_IRQ) = serial_east_dma_interrupt,
    VECTOR(DMA1_Stream6_IRQ) = serial_north_dma_interrupt,
    VECTOR(DMA1_Stream3_IRQ) = serial_west_dma_interrupt,
    VECTOR(DMA2_Stream6_IRQ) = serial_south_dma_interrupt,
};

__attribute__((section(".identity"), used))
const volatile struct image_identity boot_identity = {
    .magic = IMAGE_MAGIC,
    .version = IMAGE_VERSION,
    .board = IMAGE_STM32F405,
    .x = IMAGE_NOT_SET,
    .y = IMAGE_NOT_SET,
    .width = IMAGE_NOT_SET,
    .height = IMAGE_NOT_SET,
};
