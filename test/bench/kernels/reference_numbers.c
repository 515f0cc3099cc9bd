/* SPDX-License-Identifier: Apache-2.0 */
/* Textbook loops over numbers: histogram, filter, convolution, product. */
#include "test/bench/kernels/references.h"

#define BINS 256u
#define BINS_AT 4u
#define STATS_BYTES 1028u
#define Q15_HALF (1 << 14)

static uint32_t *begin_bins(struct kernel_result *result,
                            const struct kernel_job *job)
{
    memset(result->data, 0, STATS_BYTES);
    kernel_store_u32(result->data, job->arg[0]);
    result->bytes = STATS_BYTES;
    return (uint32_t *)(uintptr_t)(result->data + BINS_AT);
}

void reference_histogram(struct kernel_result *result,
                         const struct kernel_range *range,
                         const struct kernel_job *job)
{
    uint32_t *bins = begin_bins(result, job);
    const uint8_t *samples = range->data;
    uint32_t count = range->units;

    for (uint32_t i = 0; i < count; ++i) {
        bins[samples[i]] += 1;
    }
}

void reference_stats(struct kernel_result *result,
                     const struct kernel_range *range,
                     const struct kernel_job *job)
{
    uint32_t *bins = begin_bins(result, job);
    const uint8_t *samples = range->data;
    uint32_t count = range->units;
    uint32_t least = UINT8_MAX;
    uint32_t greatest = 0;
    uint64_t sum = 0;
    uint64_t squares = 0;

    for (uint32_t i = 0; i < count; ++i) {
        uint32_t value = samples[i];

        bins[value] += 1;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        sum += value;
        squares += value * value;
    }
    kernel_store_u32(result->output, least);
    kernel_store_u32(result->output + 4, greatest);
    kernel_store_u64(result->output + 8, sum);
    kernel_store_u64(result->output + 16, squares);
    result->output_bytes = 24;
}

void reference_fir(struct kernel_result *result,
                   const struct kernel_range *range,
                   const struct kernel_job *job)
{
    const int16_t *h = (const int16_t *)(const void *)job->arg;
    const int16_t *x = (const int16_t *)(const void *)range->data;
    int16_t *y = (int16_t *)(void *)result->output;
    int32_t taps = (int32_t)job->arg_bytes / 2;
    int32_t samples = (int32_t)range->units;
    int32_t ahead = (taps - 1) / 2;
    uint32_t saturated = 0;

    for (int32_t n = 0; n < samples; ++n) {
        int32_t newest = n + ahead;
        int32_t from = newest < samples ? 0 : newest - samples + 1;
        int32_t to = newest < taps ? newest + 1 : taps;
        int64_t sum = Q15_HALF;
        int32_t exact;
        int32_t value;

        for (int32_t k = from; k < to; ++k) {
            sum += (int64_t)h[k] * x[newest - k];
        }
        exact = (int32_t)(sum >> 15);
        value = exact < INT16_MIN   ? INT16_MIN
                : exact > INT16_MAX ? INT16_MAX
                                    : exact;
        saturated += value != exact;
        y[n] = (int16_t)value;
    }
    kernel_store_u64(result->data, saturated);
    result->bytes = 8;
    result->output_bytes = 2 * range->units;
}

/* ---- convolution ---- */

struct square {
    int32_t width;
    int32_t height;
    int32_t add;
    int32_t divisor;
    const int16_t *coefficient; /* nine, row by row */
};

static uint8_t sample_of(const struct square *square, int32_t sum)
{
    int32_t value = (sum + square->add) / square->divisor;

    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Of indices that may lie one beyond the border. */
static int32_t inside(int32_t index, int32_t size)
{
    return index < 0 ? 0 : index < size ? index : size - 1;
}

static uint8_t border_sample(const struct square *square, const uint8_t *image,
                             int32_t x, int32_t y)
{
    int32_t sum = 0;

    for (int32_t dy = -1; dy <= 1; ++dy) {
        for (int32_t dx = -1; dx <= 1; ++dx) {
            sum += square->coefficient[3 * (dy + 1) + dx + 1] *
                   image[inside(y + dy, square->height) * square->width +
                         inside(x + dx, square->width)];
        }
    }
    return sample_of(square, sum);
}

/* A row's samples but the first and the last; not the first or last row. */
static void filter_row(const struct square *square, uint8_t *out,
                       const uint8_t *in)
{
    const int16_t *c = square->coefficient;

    for (int32_t x = 1; x < square->width - 1; ++x) {
        int32_t sum = 0;

        for (int32_t dy = -1; dy <= 1; ++dy) {
            for (int32_t dx = -1; dx <= 1; ++dx) {
                sum +=
                    c[3 * (dy + 1) + dx + 1] * in[dy * square->width + x + dx];
            }
        }
        out[x] = sample_of(square, sum);
    }
}

void reference_conv(struct kernel_result *result,
                    const struct kernel_range *range,
                    const struct kernel_job *job)
{
    struct square square = {.width = (int32_t)kernel_load_u32(job->arg + 4),
                            .height = (int32_t)kernel_load_u32(job->arg + 8),
                            .add = (int32_t)kernel_load_u32(job->arg + 12),
                            .divisor = (int32_t)kernel_load_u32(job->arg + 16),
                            .coefficient =
                                (const int16_t *)(const void *)(job->arg + 20)};
    const uint8_t *image = range->data;

    for (int32_t y = 0; y < square.height; ++y) {
        uint8_t *out = result->output + y * square.width;
        bool whole = y > 0 && y < square.height - 1;

        if (whole) {
            filter_row(&square, out, image + y * square.width);
        }
        for (int32_t x = 0; x < square.width;
             x += whole && x == 0 ? square.width - 1 : 1) {
            out[x] = border_sample(&square, image, x, y);
        }
    }
    result->bytes = 0;
    result->output_bytes = range->units;
}

/* ---- matrix times vector ---- */

void reference_matvec(struct kernel_result *result,
                      const struct kernel_range *range,
                      const struct kernel_job *job)
{
    const int32_t *matrix = (const int32_t *)(const void *)range->data;
    const int32_t *vector = (const int32_t *)(const void *)(job->arg + 4);
    uint32_t columns = (job->arg_bytes - 4) / 4;

    for (uint32_t row = 0; row < range->units; ++row) {
        int64_t sum = 0;

        for (uint32_t i = 0; i < columns; ++i) {
            sum += (int64_t)matrix[row * columns + i] * vector[i];
        }
        kernel_store_u64(result->output + 8 * row, (uint64_t)sum);
    }
    result->bytes = 0;
    result->output_bytes = 8 * range->units;
}
