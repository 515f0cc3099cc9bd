/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fault handler: saves the stacked frame and the status registers where
 * the host can read them after the node's death, rings once, and halts.
 */
#include "boot/boot.h"

#include "hal/board.h"
#include "hal/mps2_an385/registers.h"

#include <string.h>

#define FRAME_WORDS 8u

__attribute__((used)) _Noreturn void boot_fault_record(const uint32_t *frame)
{
    struct window *window = (struct window *)PSRAM_BASE;
    struct node_fault *fault = &window->node.status.fault;
    uint32_t exception;

    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    memcpy(fault->r, frame, sizeof fault->r);
    fault->r12 = frame[4];
    fault->lr = frame[5];
    fault->pc = frame[6];
    fault->xpsr = frame[7];
    fault->exception = exception;
    fault->cfsr = SCB_CFSR;
    fault->hfsr = SCB_HFSR;
    fault->mmfar = SCB_MMFAR;
    fault->bfar = SCB_BFAR;
    /* Bit 9 of the stacked xPSR: a word was inserted to align the frame. */
    fault->sp =
        (uint32_t)(uintptr_t)(frame + FRAME_WORDS + (fault->xpsr >> 9 & 1u));
    fault->valid = 1;
    window->node.status.state = NODE_STATE_FAULT;
    board_ring(window);
    board_halt(window);
}

/* ARMv7-M, B1.5.8: bit 2 of EXC_RETURN tells which stack holds the frame. */
__attribute__((naked)) void boot_fault_entry(void)
{
    __asm volatile("tst lr, #4\n\t"
                   "ite eq\n\t"
                   "mrseq r0, msp\n\t"
                   "mrsne r0, psp\n\t"
                   "b boot_fault_record\n\t");
}
