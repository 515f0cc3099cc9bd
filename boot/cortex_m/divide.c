/* SPDX-License-Identifier: Apache-2.0 */
/* Division of 64-bit numbers, called by the compiler. The code is half as long
   as that of the C library. */
#include <stdint.h>

/* Returns numerator / denominator, and sets *rest to the remainder. With a
   denominator of 0 both are undefined. */
uint64_t boot_divide(uint64_t *rest, uint64_t numerator, uint64_t denominator);

/* Divides as boot_divide(), in two digits of 16 bits (Knuth, The Art of
   Computer Programming 2, 4.3.1, algorithm D). Precondition: the quotient is
   below 2^32. */
static uint32_t divide_once(uint32_t *rest, uint64_t numerator,
                            uint32_t denominator)
{
    unsigned zeros = (unsigned)__builtin_clz(denominator);
    uint32_t quotient = 0;

    denominator <<= zeros;
    numerator <<= zeros;
    for (unsigned i = 0; i < 2; ++i) {
        uint64_t above = numerator >> 16;
        uint32_t digit = (uint32_t)(above >> 16) / (denominator >> 16);
        uint64_t product = (uint64_t)digit * denominator;

        for (; product > above; product -= denominator) {
            digit -= 1; /* happens twice at most */
        }
        numerator = (above - product) << 32 | (uint32_t)numerator << 16;
        quotient = (quotient << 16) + digit;
    }
    *rest = (uint32_t)(numerator >> 32) >> zeros;
    return quotient;
}

uint64_t boot_divide(uint64_t *rest, uint64_t numerator, uint64_t denominator)
{
    uint32_t high = (uint32_t)(numerator >> 32);
    uint32_t word = (uint32_t)denominator;
    uint64_t quotient = 0;
    uint32_t left;

    if (denominator >> 32 != 0) {
        unsigned zeros = (unsigned)__builtin_clz((uint32_t)(denominator >> 32));

        word = (uint32_t)(denominator << zeros >> 32);
        /* The estimate is the true quotient, or the true quotient plus 1. */
        quotient = divide_once(&left, numerator >> 1, word) >> (31 - zeros);
        quotient -= quotient > 0;
        *rest = numerator - quotient * denominator;
        if (*rest >= denominator) {
            *rest -= denominator;
            quotient += 1;
        }
    } else if (word != 0) {
        quotient = (uint64_t)(high / word) << 32;
        quotient |= divide_once(
            &left, (uint64_t)(high % word) << 32 | (uint32_t)numerator, word);
        *rest = left;
    }
    return quotient;
}

#ifdef __arm__
void __aeabi_uldivmod(void);

/* Arm's run-time ABI (IHI 0043, 5.3.1): numerator in r0 and r1, denominator in
   r2 and r3; quotient returned in r0 and r1, remainder in r2 and r3.
   If both numbers are below 2^32, r1 and r3 are 0, and stay 0. */
__attribute__((naked, used)) void __aeabi_uldivmod(void)
{
    __asm volatile("orrs r12, r1, r3\n"
                   "bne 1f\n"
                   "cbz r2, 1f\n"
                   "udiv r12, r0, r2\n"
                   "mls r2, r12, r2, r0\n"
                   "mov r0, r12\n"
                   "bx lr\n"
                   "1:\n"
                   "sub sp, #24\n"
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
