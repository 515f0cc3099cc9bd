/* SPDX-License-Identifier: Apache-2.0 */
/* Starts C on a Cortex-M board, and measures the largest use of the stack. */
#include "boot/boot.h"

#include "hal/armv7m.h"
#include "hal/board.h"

#include <string.h>

extern uint32_t boot_data_load[];
extern uint32_t boot_data_start[];
extern uint32_t boot_data_end[];
extern uint32_t boot_bss_start[];
extern uint32_t boot_bss_end[];

#define STACK_PAINT 0xdeadbeefu

__attribute__((used)) struct boot_stack boot_stack = {boot_stack_start,
                                                      boot_stack_end};

/* Fills the stack below `end`: words that stay STACK_PAINT were never used. */
static void paint_stack(uint32_t *start, const uint32_t *end)
{
    for (uint32_t *at = start; at < end; ++at) {
        *at = STACK_PAINT;
    }
}

_Noreturn void boot_move_stack(uint32_t *start, uint32_t *end,
                               void (*run)(void))
{
    paint_stack(start, end);
    boot_stack = (struct boot_stack){start, end};
    __asm volatile("msr msp, %0\n\tbx %1" ::"r"(end), "r"(run) : "memory");
    __builtin_unreachable();
}

uint32_t board_stack_used_bytes(void)
{
    const uint32_t *at = boot_stack.start;

    while (at < boot_stack.end && *at == STACK_PAINT) {
        ++at;
    }
    return (uint32_t)((uintptr_t)boot_stack.end - (uintptr_t)at);
}

uint32_t board_stack_bytes(void)
{
    return (uint32_t)((uintptr_t)boot_stack.end - (uintptr_t)boot_stack.start);
}

_Noreturn void boot_reset(void)
{
    memcpy(boot_data_start, boot_data_load,
           (size_t)((uintptr_t)boot_data_end - (uintptr_t)boot_data_start));
    memset(boot_bss_start, 0,
           (size_t)((uintptr_t)boot_bss_end - (uintptr_t)boot_bss_start));
    paint_stack(boot_stack.start, (uint32_t *)__builtin_frame_address(0) - 16);
    SCB->CCR |= SCB_CCR_DIV_0_TRP; /* a division by zero is a fault, not 0 */
    boot_board();
}
