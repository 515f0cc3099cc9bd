/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Count, extremes, mean, variance and a histogram of integer samples. All that
 * travels is exact integers, so the order of merging cannot matter; fewer than
 * 2^32 samples in all.
 *
 * Argument: one byte, the samples' bytes (1 to 4), and 16 more if they are
 * signed (two's complement). Samples are little-endian; a unit is one of them
 * or several.
 *
 * Result, little-endian:
 *      0  u32       the argument
 *      4  u32[256]  samples by their highest byte, taken as unsigned
 *   1028  u32       least, u32 greatest    only of samples of 2 to 4 bytes:
 *   1036  u64       sum                    for single bytes all of this follows
 *   1044  u64       sum of squares,        from the histogram
 *   1052  u32       its bits from 64 on
 * Of signed samples these are the values plus 2^(bits - 1): no sign, the same
 * order. A sum stays below 2^32 (2^32 - 1), one of squares below 2^96.
 */
#include "kernels/kernel.h"

#define SIGNED 16u
#define BINS 256u
#define BINS_AT 4u
#define LEAST_AT 1028u
#define GREATEST_AT 1032u
#define SUM_AT 1036u
#define SQUARES_AT 1044u
#define HIGH_AT 1052u
#define RESULT_BYTES 1056u

struct stats {
    uint32_t type; /* the argument */
};

static uint32_t type_bytes(uint32_t type)
{
    return type % SIGNED;
}

/* 2^(bits - 1) of a signed type, 0 of an unsigned one. */
static uint32_t type_offset(uint32_t type)
{
    return type < SIGNED ? 0 : 1u << (8 * type_bytes(type) - 1);
}

static uint32_t result_bytes(uint32_t type)
{
    return type_bytes(type) == 1 ? LEAST_AT : RESULT_BYTES;
}

static int stats_begin(void *work, struct kernel_terms *terms,
                       const struct kernel_job *job)
{
    struct stats *stats = (struct stats *)work;
    uint32_t bytes;

    if (job->arg_bytes != 1 || job->arg[0] >= 2 * SIGNED) {
        return KERNEL_ARGUMENT;
    }
    stats->type = job->arg[0];
    bytes = type_bytes(stats->type);
    if (bytes == 0 || bytes > 4 || job->unit_bytes == 0 ||
        job->unit_bytes % bytes != 0) {
        return KERNEL_ARGUMENT;
    }
    terms->result_bytes_max = result_bytes(stats->type);
    terms->result_fixed = true;
    terms->instructions_per_1000_units = (uint64_t)(bytes == 1   ? 4400
                                                    : bytes == 2 ? 20000
                                                                 : 26000) *
                                         (job->unit_bytes / bytes);
    return KERNEL_OK;
}

static inline void count_one(uint8_t *bins, uint32_t bin)
{
    kernel_store_u32(bins + 4 * bin, kernel_load_u32(bins + 4 * bin) + 1);
}

/* Counts bytes: four instructions a byte, and three more for eight bytes. */
static void count_bytes(uint8_t *bins, const uint8_t *data, uint32_t bytes)
{
    const uint8_t *end = data + bytes;

    for (uint32_t eights = bytes / 8; eights > 0; --eights) {
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 8; ++i) {
            count_one(bins, data[i]);
        }
        data += 8;
    }
    while (data != end) {
        count_one(bins, *data++);
    }
}

static inline uint32_t load_value(const uint8_t *at, uint32_t bytes)
{
    return bytes == 2   ? kernel_load_u16(at)
           : bytes == 4 ? kernel_load_u32(at)
                        : kernel_load_u16(at) | (uint32_t)at[2] << 16;
}

/* Adds at least one sample of 2, 3 or 4 bytes, a constant. A value takes a
   second comparison only outside of those seen, least to least + span. */
static inline void add_values(uint8_t *out, const uint8_t *data,
                              uint32_t samples, uint32_t offset, uint32_t bytes)
{
    uint32_t least = load_value(data, bytes) ^ offset;
    uint32_t span = 0;
    uint64_t sum = 0;
    uint64_t squares = 0;
    uint32_t high = 0;

    for (; samples > 0; --samples) {
        uint32_t value = load_value(data, bytes) ^ offset;
        uint64_t square = (uint64_t)value * value;

        count_one(out + BINS_AT, data[bytes - 1]);
        data += bytes;
        if (value - least > span) {
            span = value < least ? span + (least - value) : value - least;
            least = value < least ? value : least;
        }
        sum += value;
        squares += square;
        /* 2^32 squares of 16 bits stay below 2^64. */
        high += bytes > 2 && squares < square;
    }
    kernel_store_u32(out + LEAST_AT, least);
    kernel_store_u32(out + GREATEST_AT, least + span);
    kernel_store_u64(out + SUM_AT, sum);
    kernel_store_u64(out + SQUARES_AT, squares);
    kernel_store_u32(out + HIGH_AT, high);
}

static void stats_run(const void *work, struct kernel_result *result,
                      const struct kernel_range *range)
{
    uint32_t type = ((const struct stats *)work)->type;
    uint32_t offset = type_offset(type);
    uint32_t bytes = kernel_range_bytes(range);

    result->bytes = result_bytes(type);
    memset(result->data, 0, result->bytes);
    kernel_store_u32(result->data, type);
    if (type_bytes(type) == 1) {
        count_bytes(result->data + BINS_AT, range->data, bytes);
    } else if (bytes == 0) {
        kernel_store_u32(result->data + LEAST_AT, UINT32_MAX);
    } else if (type_bytes(type) == 2) {
        add_values(result->data, range->data, bytes / 2, offset, 2);
    } else if (type_bytes(type) == 3) {
        add_values(result->data, range->data, bytes / 3, offset, 3);
    } else {
        add_values(result->data, range->data, bytes / 4, offset, 4);
    }
}

/* Sum and sum of squares are added as one number: the sum never carries, as it
   stays below 2^64. */
static void merge_moments(uint8_t *into, const uint8_t *next)
{
    uint64_t carry = 0;

    if (kernel_load_u32(next + LEAST_AT) < kernel_load_u32(into + LEAST_AT)) {
        memcpy(into + LEAST_AT, next + LEAST_AT, 4);
    }
    if (kernel_load_u32(next + GREATEST_AT) >
        kernel_load_u32(into + GREATEST_AT)) {
        memcpy(into + GREATEST_AT, next + GREATEST_AT, 4);
    }
    for (uint32_t at = SUM_AT; at < RESULT_BYTES; at += 4) {
        carry += kernel_load_u32(into + at);
        carry += kernel_load_u32(next + at);
        kernel_store_u32(into + at, (uint32_t)carry);
        carry >>= 32;
    }
}

static int stats_merge(const void *work, struct kernel_result *into,
                       const struct kernel_result *next)
{
    uint32_t type = ((const struct stats *)work)->type;
    uint8_t *mine = into->data + BINS_AT;
    const uint8_t *others = next->data + BINS_AT;

    if (next->bytes != result_bytes(type) ||
        kernel_load_u32(next->data) != type) {
        return KERNEL_RESULT;
    }
    for (uint32_t i = 0; i < 4 * BINS; i += 16) {
#pragma GCC unroll 4
        for (uint32_t at = i; at < i + 16; at += 4) {
            kernel_store_u32(mine + at, kernel_load_u32(mine + at) +
                                            kernel_load_u32(others + at));
        }
    }
    if (type_bytes(type) > 1) {
        merge_moments(into->data, next->data);
    }
    return KERNEL_OK;
}

/* ---- for people, on the host ---- */

/* Reports value - offset. */
static void report_value(const struct kernel_sink *sink, const char *name,
                         uint32_t value, uint32_t offset)
{
    if (value < offset) {
        sink->negative(sink->context, name, offset - value);
    } else {
        sink->integer(sink->context, name, value - offset);
    }
}

/* The moments of a result; values of signed samples have 2^(bits - 1) added.
 */
struct moments {
    uint32_t least;
    uint32_t greatest;
    uint64_t sum;
    kernel_wide squares;
};

/* Sum of (x - c)^2 = sum of squares - 2 c sum + count c^2, for c < 2^32. */
static kernel_wide squares_about(const struct moments *moments, uint32_t count,
                                 uint64_t c)
{
    kernel_wide x = (kernel_wide)c;

    return moments->squares - 2 * x * (kernel_wide)moments->sum + count * x * x;
}

/* Stores the histogram in the order of the values. Returns the number of
   samples. */
static uint32_t sorted_bins(uint8_t *bins, const uint8_t *result, uint32_t type)
{
    uint32_t first = type < SIGNED ? 0 : BINS / 2;
    uint32_t count = 0;

    for (uint32_t i = 0; i < BINS; ++i) {
        uint32_t bin =
            kernel_load_u32(result + BINS_AT + 4 * ((i + first) % BINS));

        kernel_store_u32(bins + 4 * i, bin);
        count += bin;
    }
    return count;
}

/* The moments of single bytes, from their histogram. */
static void count_moments(struct moments *moments, const uint8_t *bins)
{
    *moments = (struct moments){.least = UINT32_MAX};
    for (uint32_t i = 0; i < BINS; ++i) {
        uint64_t bin = kernel_load_u32(bins + 4 * i);

        if (bin > 0) {
            moments->least = i < moments->least ? i : moments->least;
            moments->greatest = i;
            moments->sum += bin * i;
            moments->squares += (kernel_wide)(bin * i * i);
        }
    }
}

/*
 * Mean and variance (of the samples themselves: divided by the count). Taken
 * about the integer c next to the mean, variance = B/n - (A/n)^2 with |A| at
 * most n/2 and B, a sum of squares of integers, at least |A|: so the second
 * term is at most half of the first, and no digits are lost.
 */
static void report_mean(const struct kernel_sink *sink,
                        const struct moments *moments, uint32_t count,
                        uint32_t offset)
{
    uint64_t c =
        moments->sum / count + (moments->sum % count > (count - 1) / 2);
    double rest = (double)(int64_t)(moments->sum - c * count) / count;
    kernel_wide squares = squares_about(moments, count, c);
    double squared =
        ((double)(squares >> 32 >> 32) * 0x1p64 + (double)(uint64_t)squares) /
        count;

    sink->real(sink->context, "mean",
               (double)((int64_t)c - (int64_t)offset) + rest);
    sink->real(sink->context, "variance", squared - rest * rest);
}

static void report_sums(const struct kernel_sink *sink,
                        const struct moments *moments, uint32_t count,
                        uint32_t offset)
{
    kernel_wide all = (kernel_wide)((uint64_t)count * offset);

    kernel_report_wide(sink, "sum", (kernel_wide)moments->sum - all, 0);
    kernel_report_wide(sink, "sum_of_squares",
                       squares_about(moments, count, offset), 0);
}

/* Returns the bin of the sample that has `below` samples below it, in order. */
static uint32_t bin_of(const uint8_t *bins, uint64_t below)
{
    uint32_t i = 0;

    while (below >= kernel_load_u32(bins + 4 * i)) {
        below -= kernel_load_u32(bins + 4 * i);
        i += 1;
    }
    return i;
}

/*
 * Median and percentiles, as NumPy's: P percent of n samples lie below place
 * P (n - 1) / 100 in their order, and between two places values are
 * interpolated. They are exact for single bytes. A bin of wider samples has
 * several values, and the least and the greatest possible one are reported.
 */
static void report_percentiles(const struct kernel_sink *sink,
                               const struct moments *moments,
                               const uint8_t *bins, uint32_t count,
                               uint32_t type)
{
    static const struct {
        uint32_t percent;
        const char *exact;
        const char *least;
        const char *most;
    } rows[] = {{1, "p1", "p1_from", "p1_to"},
                {5, "p5", "p5_from", "p5_to"},
                {25, "p25", "p25_from", "p25_to"},
                {50, "median", "median_from", "median_to"},
                {75, "p75", "p75_from", "p75_to"},
                {95, "p95", "p95_from", "p95_to"},
                {99, "p99", "p99_from", "p99_to"}};
    uint32_t shift = 8 * type_bytes(type) - 8;
    uint32_t offset = type_offset(type);

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        uint64_t at = (uint64_t)rows[i].percent * (count - 1);
        uint32_t rest = (uint32_t)(at % 100);
        uint32_t from = bin_of(bins, at / 100);
        uint32_t to = rest == 0 ? from : bin_of(bins, at / 100 + 1);
        uint32_t least = from << shift;
        uint32_t most = (to << shift) + ((1u << shift) - 1);

        if (shift == 0) {
            sink->real(sink->context, rows[i].exact,
                       (double)((int64_t)from - (int64_t)offset) +
                           (double)((to - from) * rest) / 100);
            continue;
        }
        report_value(sink, rows[i].least,
                     least > moments->least ? least : moments->least, offset);
        report_value(sink, rows[i].most,
                     most < moments->greatest ? most : moments->greatest,
                     offset);
    }
}

static void stats_report(const struct kernel_result *result,
                         const struct kernel_sink *sink)
{
    uint32_t type = kernel_load_u32(result->data);
    uint32_t offset = type_offset(type);
    uint8_t bins[4 * BINS];
    uint32_t count = sorted_bins(bins, result->data, type);
    struct moments moments;

    if (type_bytes(type) == 1) {
        count_moments(&moments, bins);
    } else {
        const uint8_t *in = result->data;

        moments = (struct moments){
            .least = kernel_load_u32(in + LEAST_AT),
            .greatest = kernel_load_u32(in + GREATEST_AT),
            .sum = kernel_load_u64(in + SUM_AT),
            .squares = kernel_wide_of(kernel_load_u32(in + HIGH_AT),
                                      kernel_load_u64(in + SQUARES_AT))};
    }
    sink->integer(sink->context, "count", count);
    if (count > 0) {
        report_value(sink, "min", moments.least, offset);
        report_value(sink, "max", moments.greatest, offset);
        report_mean(sink, &moments, count, offset);
        report_sums(sink, &moments, count, offset);
        report_percentiles(sink, &moments, bins, count, type);
    }
    sink->list(sink->context, "histogram", bins, 4, BINS);
}

const struct kernel kernel_stats = {
    .name = "stats",
    .argument = KERNEL_FOR_PEOPLE("a byte: 1 to 4, and 16 if signed"),
    .summary = KERNEL_FOR_PEOPLE(
        "moments, percentiles and histogram of samples of 8 to 32 bits"),
    .work_bytes = sizeof(struct stats),
    .begin = stats_begin,
    .run = stats_run,
    .merge = stats_merge,
    .report = KERNEL_FOR_PEOPLE(stats_report),
};
