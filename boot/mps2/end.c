/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a program on an MPS2 board: the host reads the fault, the state
   and the text from the window. */
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

_Noreturn void boot_halt(void)
{
    board_halt(WINDOW);
}
