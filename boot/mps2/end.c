/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a program on an MPS2 board. The host reads its fault and state in
   the window (hal/window/window.h). */
#include "boot/boot.h"

#include "hal/board.h"
#include "hal/mps2/registers.h"
#include "hal/window/window.h"

#define WINDOW ((struct window *)PSRAM_BASE)

struct node_fault *boot_fault_place(void)
{
    return &WINDOW->node.status.fault;
}

_Noreturn void boot_fault_end(void)
{
    WINDOW->node.status.state = NODE_STATE_FAULT;
    board_ring(WINDOW);
    board_halt(WINDOW);
}

__attribute__((used)) _Noreturn void _exit(int status)
{
    (void)status;
    board_halt(WINDOW);
}
