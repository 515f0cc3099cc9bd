/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The division that the compiler calls for 64-bit numbers, bit by bit: 600
 * bytes less than the library's, for a board where these are rare.
 */
#include "boot/cortex_m/divide.h"

uint64_t boot_divide(uint64_t *rest, uint64_t numerator, uint64_t denominator)
{
    uint64_t quotient = 0;
    uint64_t bit = 1;

    while (denominator < numerator && (denominator | bit) >> 63 == 0) {
        denominator <<= 1;
        bit <<= 1;
    }
    for (; bit != 0; bit >>= 1, denominator >>= 1) {
        if (numerator >= denominator) {
            numerator -= denominator;
            quotient |= bit;
        }
    }
    *rest = numerator;
    return quotient;
}

#ifdef __arm__
void __aeabi_uldivmod(void);

/* Arm's run-time ABI (IHI 0043, 5.3.1): numerator in r0 and r1, denominator in
   r2 and r3; the quotient comes back in r0 and r1, the rest in r2 and r3. The
   C function wants a pointer first, then by AAPCS the numerator in r2 and r3,
   and the denominator on the stack. */
__attribute__((naked, used)) void __aeabi_uldivmod(void)
{
    __asm volatile("sub sp, #24\n"
                   "str lr, [sp, #16]\n"
                   "strd r2, r3, [sp]\n"
                   "mov r2, r0\n"
                   "mov r3, r1\n"
                   "add r0, sp, #8\n"
                   "bl boot_divide\n"
                   "ldrd r2, r3, [sp, #8]\n"
                   "ldr lr, [sp, #16]\n"
                   "add sp, #24\n"
                   "bx lr\n");
}
#endif
