/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix times a vector. A unit is a row of the matrix; the vector, which is
 * in the argument, is as long as a row. All fields are little-endian.
 *
 *    int32  elements of 4 bytes; a row gives the sum of its products, 8 bytes.
 *           It is exact while it fits: modulo 2^64 beyond that.
 *    Q15    elements of 2 bytes, n / 2^15 each; a row gives the sum of its
 *           products, which is exact until the end: then rounded to the nearest
 *           n / 2^15, halves up, and limited to -2^15 .. 2^15 - 1; 2 bytes.
 *
 * Argument:
 *    0  u8  bytes of an element: 4 or 2
 *    1  u8  0, three times
 *    4  i32 the vector's elements, 1 or more, of 4 bytes each for Q15 too: four
 *           of them are loaded by one instruction, and none must be extended
 *
 * Rows are computed one by one: two at once would load the vector once for
 * both, but an odd row would then cost more than others, and calibration
 * measures few rows.
 */
#include "kernels/kernel.h"

#define HEAD_BYTES 4u

struct matvec {
    const uint8_t *vector; /* 4-byte aligned */
    uint32_t columns;
    uint32_t element_bytes;
};

static int matvec_begin(void *work, struct kernel_terms *terms,
                        const struct kernel_job *job)
{
    struct matvec *matvec = (struct matvec *)work;
    const uint8_t *arg = job->arg;

    if (job->arg_bytes <= HEAD_BYTES || job->arg_bytes % 4 != 0) {
        return KERNEL_ARGUMENT;
    }
    matvec->vector = arg + HEAD_BYTES;
    matvec->columns = (job->arg_bytes - HEAD_BYTES) / 4;
    matvec->element_bytes = arg[0];
    if ((arg[0] != 4 && arg[0] != 2) || (arg[1] | arg[2] | arg[3]) != 0 ||
        job->unit_bytes != matvec->columns * arg[0]) {
        return KERNEL_ARGUMENT;
    }
    terms->output_numerator = arg[0] == 4 ? 8 : 2;
    terms->output_denominator = 1;
    terms->instructions_per_1000_units = 2750 * matvec->columns + 40000;
    return KERNEL_OK;
}

static inline int32_t next_element(const uint8_t **at, unsigned bytes)
{
    const uint8_t *here = *at;

    *at += bytes;
    return bytes == 4 ? (int32_t)kernel_load_u32(here)
                      : (int16_t)kernel_load_u16(here);
}

static inline void add_one(uint64_t *sum, const uint8_t **row,
                           const uint8_t **vector, unsigned bytes)
{
    int64_t element = next_element(row, bytes);

    *sum += (uint64_t)(element * next_element(vector, 4));
}

#ifdef __arm__
/* Loads an element, and adds its product with the register `by` to the sum. */
#define ADD(load, bytes, by)                                                   \
    load " %[element], [%[row]], #" bytes "\n\t"                               \
         "smlal %Q[sum], %R[sum], %[element], " by "\n\t"

#define ADD_FOUR(load, bytes)                                                  \
    __asm volatile("ldmia %[vector]!, {r3, r4, r5, r6}\n\t" ADD(               \
                       load, bytes, "r3") ADD(load, bytes, "r4")               \
                       ADD(load, bytes, "r5") ADD(load, bytes, "r6")           \
                   : [sum] "+r"(*sum), [row] "+r"(*row),                       \
                     [vector] "+r"(*vector), [element] "=&r"(element)          \
                   :                                                           \
                   : "r3", "r4", "r5", "r6", "memory")

/* The vector is aligned, so that one instruction loads four elements of it. */
static inline void add_four(uint64_t *sum, const uint8_t **row,
                            const uint8_t **vector, unsigned bytes)
{
    int32_t element;

    if (bytes == 4) {
        ADD_FOUR("ldr", "4");
    } else {
        ADD_FOUR("ldrsh", "2");
    }
}
#else
static inline void add_four(uint64_t *sum, const uint8_t **row,
                            const uint8_t **vector, unsigned bytes)
{
    for (unsigned i = 0; i < 4; ++i) {
        add_one(sum, row, vector, bytes);
    }
}
#endif

static inline uint64_t multiply(const uint8_t *row, const struct matvec *matvec,
                                unsigned bytes)
{
    const uint8_t *vector = matvec->vector;
    const uint8_t *end = vector + matvec->columns * 4;
    const uint8_t *eights = vector + matvec->columns / 8 * 32;
    uint64_t sum = 0;

    while (vector < eights) {
        add_four(&sum, &row, &vector, bytes);
        add_four(&sum, &row, &vector, bytes);
    }
    while (vector < end) {
        add_one(&sum, &row, &vector, bytes);
    }
    return sum;
}

/* Rounds a sum to Q15. Up to 2^14 products of 2^30 make a quotient of 29 bits.
 */
static uint16_t q15(uint64_t sum)
{
    int32_t n = (int32_t)((sum + (1 << 14)) >> 15);

    return (uint16_t)(n < INT16_MIN   ? INT16_MIN
                      : n > INT16_MAX ? INT16_MAX
                                      : n);
}

static void matvec_run(const void *work, struct kernel_result *result,
                       const struct kernel_range *range)
{
    const struct matvec *matvec = (const struct matvec *)work;
    const uint8_t *row = range->data;
    uint8_t *out = result->output;

    for (uint32_t left = range->units; left > 0; --left) {
        if (matvec->element_bytes == 4) {
            kernel_store_u64(out, multiply(row, matvec, 4));
            out += 8;
        } else {
            kernel_store_u16(out, q15(multiply(row, matvec, 2)));
            out += 2;
        }
        row += range->unit_bytes;
    }
    result->bytes = 0;
    result->output_bytes = (uint32_t)(out - result->output);
}

const struct kernel kernel_matvec = {
    .name = "matvec",
    .argument = KERNEL_FOR_PEOPLE("the binary form at the top of its file"),
    .summary = KERNEL_FOR_PEOPLE("multiplies a matrix by a vector"),
    .work_bytes = sizeof(struct matvec),
    .begin = matvec_begin,
    .run = matvec_run,
};
