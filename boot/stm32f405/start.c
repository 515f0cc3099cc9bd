/* SPDX-License-Identifier: Apache-2.0 */
/* Vector table, identity of the image, and start of a program. */
#include "boot/stm32f405/start.h"

#include "boot/boot.h"
#include "hal/image.h"
#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/pins.h"
#include "hal/stm32f405/registers.h"

#define VECTOR(irq) [BOOT_VECTORS_ARMV7M + (irq)]
#define LINE_VECTORS(name, port)                                               \
    VECTOR(PINS_IRQ(PINS_##port)) = serial_##name##_interrupt,                 \
    VECTOR(PINS_TX_IRQ(PINS_##port)) = serial_##name##_dma_interrupt,
/* `number` of this board in qemu/board/table.c. */
#define BOARD_NUMBER 405u
#define VECTORS (BOOT_VECTORS_ARMV7M + STM32_IRQS)

/* Positions as in RM0090, table 62. No other interrupt is ever enabled. */
__attribute__((section(".vectors"), used))
const boot_vector boot_vectors[VECTORS] = {
    BOOT_VECTORS,
    [15] = timer_tick_interrupt,
    VECTOR(TIM2_IRQ) = timer_compare_interrupt,
    SERIAL_PORTS(LINE_VECTORS) VECTOR(PINS_IRQ(PINS_CONSOLE)) =
        serial_console_interrupt,
    VECTOR(PINS_TX_IRQ(PINS_CONSOLE)) = serial_console_late_interrupt,
};

__attribute__((section(".identity"), used))
const volatile struct image_identity boot_identity = {
    .magic = IMAGE_MAGIC,
    .version = IMAGE_VERSION,
    .board = BOARD_NUMBER,
    .x = IMAGE_NOT_SET,
    .y = IMAGE_NOT_SET,
    .width = IMAGE_NOT_SET,
    .height = IMAGE_NOT_SET,
    .pins = PINS_NAME,
};

static bool probe_id(struct boot_start *start)
{
    const volatile uint32_t *id = (const volatile uint32_t *)UID_BASE;

    return boot_probe_word(id, &start->id[0]) &&
           boot_probe_word(id + 1, &start->id[1]) &&
           boot_probe_word(id + 2, &start->id[2]);
}

/* Sets the vector table's address: a boot loader may have set another. */
void boot_start(struct boot_start *start)
{
    uint32_t ignored;

    SCB->VTOR = (uint32_t)(uintptr_t)boot_vectors;
    *start = (struct boot_start){0};
    clocks_start(&start->clocks);
    start->has_ccm =
        boot_probe_word((const volatile uint32_t *)CCM_BASE, &ignored);
    start->has_id = probe_id(start);
}
