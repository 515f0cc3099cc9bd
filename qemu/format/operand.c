/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/operand.h"

#include "kernels/kernel.h"
#include "qemu/base/file.h"

#include <inttypes.h>
#include <math.h>

static long double element(const struct operand *operand, uint64_t line,
                           uint64_t place)
{
    return npy_element(&operand->array, operand->right
                                            ? place * operand->lines + line
                                            : line * operand->length + place);
}

int operand_measure(struct operand *operand)
{
    /* Lines of no elements may be as many as a header says. */
    uint64_t lines = operand->length > 0 ? operand->lines : 0;

    for (uint64_t line = 0; line < lines; ++line) {
        long double sum = 0;

        for (uint64_t place = 0; place < operand->length; ++place) {
            long double value = element(operand, line, place);

            if (!isfinite(value)) {
                return file_error(operand->array.path,
                                  "row %" PRIu64 ", column %" PRIu64
                                  " (both count from 0) is %s; must be finite",
                                  operand->right ? place : line,
                                  operand->right ? line : place,
                                  isnan(value) ? "NaN, not a number"
                                               : "infinite");
            }
            operand->least = value < operand->least ? value : operand->least;
            operand->most = value > operand->most ? value : operand->most;
            sum += fabsl(value);
        }
        operand->line = sum > operand->line ? sum : operand->line;
    }
    return 0;
}

long double operand_most(const struct operand *operand)
{
    return fmaxl(operand->most, -operand->least);
}

/* Returns n of an element. */
static long double scaled(const struct operand *operand, long double value)
{
    return operand->exponent == 0 ? rintl(value)
                                  : rintl(ldexpl(value, -operand->exponent));
}

long double operand_scaled_most(const struct operand *operand)
{
    return scaled(operand, operand_most(operand));
}

long double operand_scaled_line(const struct operand *operand)
{
    return ldexpl(operand->line, -operand->exponent) +
           (operand->off > 0 ? (long double)operand->length / 2 : 0);
}

/* Sets operand->off. Leaves out low bits that are 0 in all n, so that n may
   need fewer limbs. */
static void trim(struct operand *operand)
{
    uint64_t ones = 0; /* bits that are 1 in any |n| */

    for (uint64_t line = 0; line < operand->lines; ++line) {
        for (uint64_t place = 0; place < operand->length; ++place) {
            long double value = element(operand, line, place);
            long double n = scaled(operand, value);
            long double off = fabsl(value - ldexpl(n, operand->exponent));

            ones |= (uint64_t)fabsl(n);
            operand->off = off > operand->off ? off : operand->off;
        }
    }
    operand->exponent += ones == 0 ? 0 : __builtin_ctzll(ones);
}

void operand_scale(struct operand *operand, long double limit)
{
    long double most = operand_most(operand);

    if ((operand->array.kind != 'f' && most <= limit) || most == 0) {
        return;
    }
    operand->exponent = ilogbl(most) - ilogbl(limit);
    operand->exponent += operand_scaled_most(operand) > limit;
    trim(operand);
}

/* Takes the lowest limb off a number. */
static int32_t take_limb(kernel_wide *n, uint32_t bits)
{
    int32_t limb = bits == 16 ? (int16_t)*n : (int32_t)*n;

    *n = (*n - limb) >> bits;
    return limb;
}

uint32_t operand_limbs(const struct operand *operand, uint32_t bits)
{
    kernel_wide least = (kernel_wide)scaled(operand, operand->least);
    kernel_wide most = (kernel_wide)scaled(operand, operand->most);
    uint32_t limbs = 0;

    do {
        (void)take_limb(&least, bits);
        (void)take_limb(&most, bits);
        limbs += 1;
    } while (least != 0 || most != 0);
    return limbs;
}

void operand_store(uint8_t *out, const struct operand *operand, uint64_t line,
                   uint32_t lines, uint64_t place, uint32_t width)
{
    size_t bytes = operand->limb_bits / 8;

    for (uint64_t end = line + lines; line < end; ++line) {
        for (uint32_t i = 0; i < width; ++i) {
            bool there = line < operand->lines && place + i < operand->length;
            long double value = there ? element(operand, line, place + i) : 0;
            kernel_wide n = (kernel_wide)scaled(operand, value);

            for (uint32_t limb = 0; limb < operand->limbs; ++limb) {
                int32_t part = take_limb(&n, operand->limb_bits);

                memcpy(out + ((size_t)limb * width + i) * bytes, &part, bytes);
            }
        }
        out += bytes * operand->limbs * width;
    }
}
