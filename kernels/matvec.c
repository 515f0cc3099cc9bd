/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix times a vector. A unit is a row of the matrix, which the vector, in
 * the argument, is as long as. All little-endian.
 *
 *    int32  elements of 4 bytes; a row gives the sum of its products, 8 bytes.
 *           It is exact while it fits: modulo 2^64 beyond that.
 *    Q15    elements of 2 bytes, n / 2^15 each; a row gives the sum of its
 *           products, which is exact until the end: then rounded to the nearest
 *           n / 2^15, halves up, and limited to -2^15 .. 2^15 - 1; 2 bytes.
 *
 * Argument:
 *    0  u8  bytes of an element: 4 or 2      4  the vector: 1 or more elements
 *    1  u8  0, three times
 */
#include "kernels/kernel.h"

#define HEAD_BYTES 4u

/* Has the compiler step a pointer here, as part of the load before. */
#define HERE(value) __asm volatile("" : "+r"(value))

struct matvec {
    const uint8_t *vector;
    uint32_t columns;
    uint32_t element_bytes;
};

static int matvec_begin(void *work, struct kernel_terms *terms,
                        const struct kernel_job *job)
{
    struct matvec *matvec = (struct matvec *)work;
    const uint8_t *arg = job->arg;
    uint32_t bytes;

    if (job->arg_bytes <= HEAD_BYTES) {
        return KERNEL_ARGUMENT;
    }
    bytes = arg[0];
    if ((bytes != 4 && bytes != 2) || (arg[1] | arg[2] | arg[3]) != 0 ||
        job->unit_bytes != job->arg_bytes - HEAD_BYTES ||
        job->unit_bytes % bytes != 0) {
        return KERNEL_ARGUMENT;
    }
    matvec->vector = arg + HEAD_BYTES;
    matvec->columns = job->unit_bytes / bytes;
    matvec->element_bytes = bytes;
    terms->output_numerator = bytes == 4 ? 8 : 2;
    terms->output_denominator = 1;
    terms->instructions_per_1000_units = 2750 * matvec->columns + 20000;
    return KERNEL_OK;
}

static inline int32_t next_element(const uint8_t **at, unsigned bytes)
{
    const uint8_t *here = *at;
    int32_t value = bytes == 4 ? (int32_t)kernel_load_u32(here)
                               : (int16_t)kernel_load_u16(here);

    HERE(value);
    *at += bytes;
    HERE(*at);
    return value;
}

/* A sum of products: in two halves, since the compiler would rather add pairs
   of products than one after the other. */
struct sum {
    uint32_t low;
    uint32_t high;
};

static inline uint64_t whole(struct sum sum)
{
    return (uint64_t)sum.high << 32 | sum.low;
}

#ifdef __arm__
static inline void add_product(struct sum *sum, int32_t a, int32_t b)
{
    __asm volatile("smlal %0, %1, %2, %3"
                   : "+r"(sum->low), "+r"(sum->high)
                   : "r"(a), "r"(b));
}
#else
static inline void add_product(struct sum *sum, int32_t a, int32_t b)
{
    uint64_t all = whole(*sum) + (uint64_t)((int64_t)a * b);

    sum->low = (uint32_t)all;
    sum->high = (uint32_t)(all >> 32);
}
#endif

static inline void add_column(struct sum sum[2], const uint8_t **a,
                              const uint8_t **b, const uint8_t **vector,
                              unsigned bytes)
{
    int32_t by = next_element(vector, bytes);

    add_product(&sum[0], next_element(a, bytes), by);
    add_product(&sum[1], next_element(b, bytes), by);
}

/* Two rows at once: the vector is loaded once for both. */
static inline void multiply(struct sum sum[2], const uint8_t *a,
                            const uint8_t *b, const struct matvec *matvec,
                            unsigned bytes)
{
    const uint8_t *vector = matvec->vector;
    const uint8_t *end = vector + matvec->columns * bytes;
    const uint8_t *fours = end - matvec->columns % 4 * bytes;

    sum[0] = (struct sum){0, 0};
    sum[1] = (struct sum){0, 0};
    while (vector < fours) {
        for (unsigned i = 0; i < 4; ++i) {
            add_column(sum, &a, &b, &vector, bytes);
        }
    }
    while (vector < end) {
        add_column(sum, &a, &b, &vector, bytes);
    }
}

static void put(uint8_t *out, struct sum sum, unsigned bytes)
{
    if (bytes == 4) {
        kernel_store_u64(out, whole(sum));
    } else {
        /* Of up to 2^15 products of 2^30: the quotient has 31 bits. */
        int32_t n = (int32_t)((whole(sum) + (1 << 14)) >> 15);

        n = n < INT16_MIN ? INT16_MIN : n > INT16_MAX ? INT16_MAX : n;
        kernel_store_u16(out, (uint16_t)n);
    }
}

static void matvec_run(const void *work, struct kernel_result *result,
                       const struct kernel_range *range)
{
    const struct matvec *matvec = (const struct matvec *)work;
    uint32_t row_bytes = range->unit_bytes;
    uint32_t bytes = matvec->element_bytes;
    uint32_t out_bytes = bytes == 4 ? 8 : 2;
    const uint8_t *row = range->data;
    uint8_t *out = result->output;
    struct sum sum[2];

    result->bytes = 0;
    result->output_bytes = range->units * out_bytes;
    for (uint32_t left = range->units; left > 0;) {
        /* The last of an odd number of rows is computed twice. */
        uint32_t rows = left > 1 ? 2 : 1;
        const uint8_t *second = row + (rows - 1) * row_bytes;

        if (bytes == 4) {
            multiply(sum, row, second, matvec, 4);
        } else {
            multiply(sum, row, second, matvec, 2);
        }
        put(out, sum[0], bytes);
        put(out + (rows - 1) * out_bytes, sum[1], bytes);
        row += rows * row_bytes;
        out += rows * out_bytes;
        left -= rows;
    }
}

const struct kernel kernel_matvec = {
    .name = "matvec",
    .argument = KERNEL_FOR_PEOPLE("the binary form at the top of its file"),
    .summary = KERNEL_FOR_PEOPLE("multiplies a matrix by a vector"),
    .work_bytes = sizeof(struct matvec),
    .begin = matvec_begin,
    .run = matvec_run,
};
