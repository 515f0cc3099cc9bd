/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a program on a board with serial lines: a reset, which keeps the
   fault's record. */
#include "boot/boot.h"
#include "hal/armv7m.h"
#include "hal/node.h"
#include "hal/serial/board.h"

/* Words that mark a valid record. */
#define MAGIC_FIRST 0x4c554146u
#define MAGIC_LAST (~MAGIC_FIRST)

static struct {
    uint32_t first;
    uint32_t faults;
    struct node_fault fault;
    uint32_t last;
} memory __attribute__((section(".noinit")));

static bool valid(void)
{
    return memory.first == MAGIC_FIRST && memory.last == MAGIC_LAST;
}

const struct node_fault *board_last_fault(void)
{
    return valid() ? &memory.fault : NULL;
}

uint32_t board_faults(void)
{
    return valid() ? memory.faults : 0;
}

void board_forget_faults(void)
{
    memory.first = 0;
}

struct node_fault *boot_fault_place(void)
{
    memory.faults = board_faults() + 1;
    memory.first = 0;
    return &memory.fault;
}

_Noreturn void boot_fault_end(void)
{
    memory.first = MAGIC_FIRST;
    memory.last = MAGIC_LAST;
    armv7m_reset();
}

/* Records a fault at the call, 4 bytes before the return address. */
__attribute__((used)) _Noreturn void _exit(int status)
{
    uintptr_t called = (uintptr_t)__builtin_return_address(0) & ~(uintptr_t)1;
    struct node_fault *fault = boot_fault_place();

    (void)status;
    *fault = (struct node_fault){.valid = 1, .pc = (uint32_t)(called - 4)};
    boot_fault_end();
}
