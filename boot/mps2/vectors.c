/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of an MPS2 board, and its start. */
#include "boot/boot.h"

#include "hal/board.h"
#include "hal/mps2/registers.h"

#define VECTOR_TIMER0 (BOOT_VECTORS_ARMV7M + TIMER0_IRQ)

/* Exceptions without a handler of their own are recorded as faults. */
__attribute__((section(".vectors"), used))
const boot_vector boot_vectors[VECTOR_TIMER0 + 1] = {
    BOOT_VECTORS,
    [15] = boot_fault_entry,
    [VECTOR_TIMER0] = clock_timer_interrupt,
};

_Noreturn void boot_board(void)
{
    CMSDK_UART0->BAUDDIV = 16; /* the least value that the UART accepts */
    CMSDK_UART0->CTRL = UART_CTRL_TX_ENABLE | UART_CTRL_RX_ENABLE;
    node_main((struct window *)PSRAM_BASE);
}
