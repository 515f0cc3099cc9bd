/* SPDX-License-Identifier: Apache-2.0 */
/* The fault handler: records a fault for the host, and ends the program. */
#include "boot/boot.h"

#include "hal/armv7m.h"
#include "hal/bytes.h"
#include "hal/check.h"
#include "hal/node.h"

#include <string.h>

#define FRAME_WORDS 8u
#define CFSR_UNDEFINSTR (1u << 16) /* ARMv7-M, B3.2.15 */

static_assert(offsetof(struct node_fault, xpsr) ==
                  offsetof(struct node_fault, r) + 4 * (FRAME_WORDS - 1),
              "the fields from r to xpsr are a frame");

/* Returns the place of the failed ASSERT(), as CHECK_PLACE(); 0: none. */
static uint32_t failed_check(const struct node_fault *fault)
{
    uint32_t word;

    if ((fault->cfsr & CFSR_UNDEFINSTR) == 0) {
        return 0;
    }
    word = bytes_load_u32((const uint8_t *)(uintptr_t)fault->pc);
    return (word & CHECK_UDF_MASK) == CHECK_UDF ? CHECK_UDF_PLACE(word) : 0;
}

__attribute__((used)) _Noreturn void boot_fault_record(const uint32_t *frame)
{
    struct node_fault *fault = boot_fault_place();
    uint32_t exception;

    __asm volatile("mrs %0, ipsr" : "=r"(exception));
    memset(fault, 0, sizeof *fault);
    if ((uintptr_t)frame >= (uintptr_t)boot_stack.start) {
        memcpy((uint8_t *)fault + offsetof(struct node_fault, r), frame,
               4 * FRAME_WORDS);
    }
    fault->exception = exception;
    fault->cfsr = SCB->CFSR;
    fault->hfsr = SCB->HFSR;
    fault->mmfar = SCB->MMFAR;
    fault->bfar = SCB->BFAR;
    fault->check = failed_check(fault);
    /* Bit 9 of the stacked xPSR: a word was inserted to align the frame. */
    fault->sp =
        (uint32_t)(uintptr_t)(frame + FRAME_WORDS + (fault->xpsr >> 9 & 1u));
    fault->valid = 1;
    boot_fault_end();
}

/* Bit 2 of EXC_RETURN, in lr, tells which stack holds the frame (ARMv7-M,
   B1.5.8). If less than 256 bytes of the stack are left, sp is set to its top.
   A fault in boot_probe_word() returns to boot_probe_failed. */
__attribute__((naked)) void boot_fault_entry(void)
{
    __asm volatile("tst lr, #4\n\t"
                   "ite eq\n\t"
                   "mrseq r0, msp\n\t"
                   "mrsne r0, psp\n\t"
                   "ldr r2, =boot_stack\n\t"
                   "ldrd r1, r2, [r2]\n\t"
                   "add r1, #256\n\t"
                   "cmp r0, r1\n\t"
                   "bhs 1f\n\t"
                   "mov sp, r2\n\t"
                   "b boot_fault_record\n"
                   "1:\n\t"
                   "ldr r1, [r0, #24]\n\t"
                   "ldr r2, =boot_probe_load\n\t"
                   "cmp r1, r2\n\t"
                   "beq 2f\n\t"
                   "b boot_fault_record\n"
                   "2:\n\t"
                   "ldr r1, =boot_probe_failed\n\t"
                   "str r1, [r0, #24]\n\t"
                   "ldr r1, =0xE000ED28\n\t"
                   "ldr r2, [r1]\n\t"
                   "str r2, [r1]\n\t"
                   "ldr r2, [r1, #4]\n\t"
                   "str r2, [r1, #4]\n\t"
                   "dsb\n\t"
                   "bx lr\n\t"
                   ".ltorg\n");
}

__attribute__((naked, noinline, used)) bool
boot_probe_word(const volatile uint32_t *at, uint32_t *value)
{
    (void)at;
    (void)value;
    __asm volatile(".global boot_probe_load, boot_probe_failed\n"
                   "boot_probe_load:\n\t"
                   "ldr r0, [r0]\n\t"
                   "str r0, [r1]\n\t"
                   "movs r0, #1\n\t"
                   "bx lr\n"
                   "boot_probe_failed:\n\t"
                   "movs r0, #0\n\t"
                   "bx lr\n");
}
