/* SPDX-License-Identifier: Apache-2.0 */
/* Reset, vectors and the C runtime of a Cortex-M board. */
#include "boot/boot.h"

#include "hal/board.h"
#include "hal/mps2_an385/interrupts.h"
#include "hal/mps2_an385/registers.h"

#include <stdint.h>
#include <string.h>

extern uint32_t boot_data_load[];
extern uint32_t boot_data_start[];
extern uint32_t boot_data_end[];
extern uint32_t boot_bss_start[];
extern uint32_t boot_bss_end[];
extern uint32_t boot_stack_start[];
extern uint32_t boot_stack_end[];

#define STACK_PAINT 0xdeadbeefu

_Noreturn void boot_reset(void);

/* Everything unexpected ends in the fault record. */
#define VECTOR_TIMER0 (16 + TIMER0_IRQ)

typedef void (*vector)(void);

/* ARMv7-M, B1.5.3: the initial stack pointer, then the exception handlers. */
__attribute__((section(".vectors"),
               used)) static const vector vectors[VECTOR_TIMER0 + 1] = {
    [0] = (vector)(uintptr_t)boot_stack_end,
    [1] = (vector)boot_reset,
    [2] = boot_fault_entry,
    [3] = boot_fault_entry,
    [4] = boot_fault_entry,
    [5] = boot_fault_entry,
    [6] = boot_fault_entry,
    [11] = boot_fault_entry,
    [12] = boot_fault_entry,
    [14] = boot_fault_entry,
    [15] = boot_fault_entry,
    [VECTOR_TIMER0] = clock_timer_interrupt,
};

/* The stack below the present frame, for the high-water mark. */
static void paint_stack(void)
{
    uint32_t *here = (uint32_t *)__builtin_frame_address(0);

    for (uint32_t *at = boot_stack_start; at < here - 16; ++at) {
        *at = STACK_PAINT;
    }
}

uint32_t board_stack_used_bytes(void)
{
    const uint32_t *at = boot_stack_start;

    while (at < boot_stack_end && *at == STACK_PAINT) {
        ++at;
    }
    return (uint32_t)((uintptr_t)boot_stack_end - (uintptr_t)at);
}

uint32_t board_stack_bytes(void)
{
    return (uint32_t)((uintptr_t)boot_stack_end - (uintptr_t)boot_stack_start);
}

_Noreturn void boot_reset(void)
{
    memcpy(boot_data_start, boot_data_load,
           (size_t)((uintptr_t)boot_data_end - (uintptr_t)boot_data_start));
    memset(boot_bss_start, 0,
           (size_t)((uintptr_t)boot_bss_end - (uintptr_t)boot_bss_start));
    paint_stack();
    CMSDK_UART0->BAUDDIV = 16; /* the least that the UART accepts */
    CMSDK_UART0->CTRL = UART_CTRL_TX_ENABLE | UART_CTRL_RX_ENABLE;
    node_main((struct window *)PSRAM_BASE);
}
