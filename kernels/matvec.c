/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix times vectors. A unit is one or more rows of the matrix; each row
 * gives a sum of products for each vector, vector by vector. All fields are
 * little-endian.
 *
 *    int32  elements of 4 bytes; a sum has 8 bytes. It is exact while it fits:
 *           modulo 2^64 beyond that.
 *    int16  elements of 2 bytes; sums as those of int32.
 *    Q15    elements of 2 bytes, n / 2^15 each; a sum is exact until the end:
 *           then rounded to the nearest n / 2^15, halves up, and limited to
 *           -2^15 .. 2^15 - 1; 2 bytes.
 *
 * Argument:
 *    0  u8  bytes of an element: 4 or 2
 *    1  u8  MATVEC_WHOLE: elements of 2 bytes are int16; without it Q15
 *           MATVEC_INSIDE: each unit begins with its own vectors
 *    2  u16 number of vectors, less one
 *    4  i32 the vectors' elements, 1 or more each, of 4 bytes each for int16
 * and Q15 too: four of them are loaded by one instruction, and none must be
 * extended. MATVEC_INSIDE: the number of a vector's elements instead; a unit
 * has a multiple of 4 bytes then
 *
 * Rows are computed one by one: two at once would load the vector once for
 * both, but an odd row would then cost more than others, and calibration
 * measures few rows.
 */
#include "kernels/kernel.h"

#define HEAD_BYTES 4u
#define MATVEC_WHOLE 1u
#define MATVEC_INSIDE 2u

struct matvec {
    const uint8_t *vectors; /* 4-byte aligned; NULL: units begin with them */
    uint32_t count;         /* number of vectors */
    uint32_t columns;       /* elements of a row and of a vector */
    uint32_t rows;          /* rows in a unit */
    uint8_t element_bytes;
    uint8_t sum_bytes;
};

/* Finds the vectors, and how many elements they have. Returns the bytes of a
   unit behind its own vectors; 0 if the argument does not fit. */
static uint32_t find_vectors(struct matvec *matvec,
                             const struct kernel_job *job)
{
    uint32_t elements = (job->arg_bytes - HEAD_BYTES) / 4;
    bool inside = (job->arg[1] & MATVEC_INSIDE) != 0;

    matvec->count = kernel_load_u16(job->arg + 2) + 1;
    matvec->vectors = inside ? NULL : job->arg + HEAD_BYTES;
    if (!inside) {
        matvec->columns = elements / matvec->count;
        return matvec->columns * matvec->count == elements ? job->unit_bytes
                                                           : 0;
    }
    matvec->columns = kernel_load_u32(job->arg + HEAD_BYTES);
    if (elements != 1 || job->unit_bytes % 4 != 0 ||
        matvec->columns > job->unit_bytes / 4 / matvec->count) {
        return 0;
    }
    return job->unit_bytes - 4 * matvec->columns * matvec->count;
}

static int matvec_begin(void *work, struct kernel_terms *terms,
                        const struct kernel_job *job)
{
    struct matvec *matvec = (struct matvec *)work;
    const uint8_t *arg = job->arg;
    uint32_t rows_bytes;
    uint32_t row_bytes;

    if (job->arg_bytes <= HEAD_BYTES || job->arg_bytes % 4 != 0 ||
        (arg[0] != 4 && arg[0] != 2) || (arg[1] > 1 && arg[1] != 3)) {
        return KERNEL_ARGUMENT;
    }
    rows_bytes = find_vectors(matvec, job);
    row_bytes = matvec->columns * arg[0];
    if (rows_bytes == 0 || row_bytes == 0 || rows_bytes % row_bytes != 0) {
        return KERNEL_ARGUMENT;
    }
    matvec->element_bytes = arg[0];
    matvec->sum_bytes = arg[0] == 2 && (arg[1] & MATVEC_WHOLE) == 0 ? 2 : 8;
    matvec->rows = rows_bytes / row_bytes;
    if (matvec->rows > KERNEL_OUTPUT_MAX / matvec->sum_bytes / matvec->count) {
        return KERNEL_ARGUMENT;
    }
    terms->output_numerator =
        (uint16_t)(matvec->rows * matvec->count * matvec->sum_bytes);
    terms->output_denominator = 1;
    terms->instructions_per_1000_units =
        (uint64_t)matvec->rows * matvec->count *
        (UINT64_C(2750) * matvec->columns + 40000);
    return KERNEL_OK;
}

#ifdef __arm__
/* Loads an element, and adds its product with the register `by` to the sum. */
#define ADD(load, bytes, by)                                                   \
    load " %[element], [%[row]], #" bytes "\n\t"                               \
         "smlal %Q[sum], %R[sum], %[element], " by "\n\t"
#define ADD_FOUR(load, bytes)                                                  \
    "ldmia %[vector]!, {r3, r4, r5, r6}\n\t" ADD(load, bytes, "r3")            \
        ADD(load, bytes, "r4") ADD(load, bytes, "r5") ADD(load, bytes, "r6")

/* The vector is aligned, so that one instruction loads four elements of it. The
   loops are one statement: no register is moved in them, whatever the compiler
   keeps in others. */
#define ADD_ALL(load, bytes)                                                   \
    __asm volatile(                                                            \
        "cmp %[vector], %[eights]\n\t"                                         \
        "bhs 2f\n"                                                             \
        "1:\n\t" ADD_FOUR(load, bytes) ADD_FOUR(                               \
            load, bytes) "cmp %[vector], %[eights]\n\t"                        \
                         "blo 1b\n"                                            \
                         "2:\n\t"                                              \
                         "cmp %[vector], %[end]\n\t"                           \
                         "bhs 4f\n"                                            \
                         "3:\n\t"                                              \
                         "ldr r3, [%[vector]], #4\n\t" ADD(                    \
                             load, bytes, "r3") "cmp %[vector], %[end]\n\t"    \
                                                "blo 3b\n"                     \
                                                "4:"                           \
        : [sum] "+r"(sum), [row] "+r"(*row), [vector] "+r"(vector),            \
          [element] "=&r"(element)                                             \
        : [eights] "r"(eights), [end] "r"(end)                                 \
        : "r3", "r4", "r5", "r6", "cc", "memory")

/* Returns the sum of products of a row and a vector; *row is the next row
   then. */
static inline uint64_t multiply(const uint8_t **row, const uint8_t *vector,
                                uint32_t columns, unsigned bytes)
{
    const uint8_t *end = vector + columns * 4;
    const uint8_t *eights = vector + columns / 8 * 32;
    uint64_t sum = 0;
    int32_t element;

    if (bytes == 4) {
        ADD_ALL("ldr", "4");
    } else {
        ADD_ALL("ldrsh", "2");
    }
    return sum;
}
#else
static inline uint64_t multiply(const uint8_t **row, const uint8_t *vector,
                                uint32_t columns, unsigned bytes)
{
    const uint8_t *at = *row;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < columns; ++i) {
        int64_t element = bytes == 4 ? (int32_t)kernel_load_u32(at + 4 * i)
                                     : (int16_t)kernel_load_u16(at + 2 * i);

        sum += (uint64_t)(element * (int32_t)kernel_load_u32(vector + 4 * i));
    }
    *row += bytes * columns;
    return sum;
}
#endif

/* Rounds a sum to Q15. Up to 2^14 products of 2^30 make a quotient of 29 bits.
 */
static uint16_t q15(uint64_t sum)
{
    int32_t n = (int32_t)((sum + (1 << 14)) >> 15);

    return (uint16_t)(n < INT16_MIN   ? INT16_MIN
                      : n > INT16_MAX ? INT16_MAX
                                      : n);
}

/* Multiplies rows by one vector. It stands alone so that its loops have the
   registers for themselves. */
static __attribute__((noinline)) void
multiply_rows(uint8_t *out, const uint8_t *row, const uint8_t *vector,
              const struct matvec *matvec, uint32_t rows)
{
    uint32_t columns = matvec->columns;
    uint32_t next = matvec->count * matvec->sum_bytes;

    for (; rows > 0; --rows) {
        uint64_t sum = matvec->element_bytes == 4
                           ? multiply(&row, vector, columns, 4)
                           : multiply(&row, vector, columns, 2);

        if (matvec->sum_bytes == 8) {
            kernel_store_u64(out, sum);
        } else {
            kernel_store_u16(out, q15(sum));
        }
        out += next;
    }
}

static void matvec_run(const void *work, struct kernel_result *result,
                       const struct kernel_range *range)
{
    const struct matvec *matvec = (const struct matvec *)work;
    bool inside = matvec->vectors == NULL;
    uint32_t blocks = inside ? range->units : 1;
    uint32_t rows = inside ? matvec->rows : matvec->rows * range->units;
    const uint8_t *vector = matvec->vectors;
    const uint8_t *at = range->data;
    uint8_t *out = result->output;

    for (; blocks > 0; --blocks) {
        if (inside) {
            vector = at;
            at += 4 * matvec->columns * matvec->count;
        }
        for (uint32_t i = 0; i < matvec->count; ++i) {
            multiply_rows(out + i * matvec->sum_bytes, at,
                          vector + 4 * matvec->columns * i, matvec, rows);
        }
        at += matvec->columns * matvec->element_bytes * rows;
        out += matvec->sum_bytes * matvec->count * rows;
    }
    result->bytes = 0;
    result->output_bytes = (uint32_t)(out - result->output);
}

const struct kernel kernel_matvec = {
    .name = "matvec",
    .argument = KERNEL_FOR_PEOPLE("the binary form at the top of its file"),
    .summary = KERNEL_FOR_PEOPLE("multiplies a matrix by a vector or a matrix"),
    .work_bytes = sizeof(struct matvec),
    .begin = matvec_begin,
    .run = matvec_run,
};
