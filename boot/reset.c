/* SPDX-License-Identifier: Apache-2.0 */
/* The C runtime of a Cortex-M board, and the stack's high-water mark. */
#include "boot/boot.h"

#include "hal/board.h"

#include <string.h>

extern uint32_t boot_data_load[];
extern uint32_t boot_data_start[];
extern uint32_t boot_data_end[];
extern uint32_t boot_bss_start[];
extern uint32_t boot_bss_end[];

#define STACK_PAINT 0xdeadbeefu

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
    boot_board();
}
