/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution of an image with a square of 3 x 3 or 5 x 5 coefficients. The
 * load is one plane of samples of 8 bits after the other (grey has one, RGB has
 * three), each by rows from the top; a unit is a sample. The output has the
 * same form. Beyond a plane's border the nearest sample of the plane counts.
 *
 * Linear: a sample becomes (sum + add) / divisor, rounded down, then limited to
 * 0 .. 255. The sum is of coefficients times the samples under them, with the
 * square's middle on the sample and the square not mirrored.
 * Sobel: |gx| + |gy|, at most 255; gx is the sum with -1 0 1, -2 0 2, -1 0 1,
 * gy with -1 -2 -1, 0 0 0, 1 2 1.
 *
 * Argument: the first fields of struct conv up to height with Sobel, up to
 * divisor without; then i16 coefficients, row by row.
 *
 * Where the absolute values of the coefficients add up to no more than 257, two
 * samples share a register, 16 bits each: a bias keeps sums within 0 .. 65535.
 */
#include "kernels/kernel.h"

#define SIDE_MAX 5u
#define TAPS_MAX (SIDE_MAX * SIDE_MAX)
#define HEAD_BYTES 12u
#define LINEAR_BYTES 20u
#define PLANE_MAX 0x3fffffffu
#define ADD_MAX (1u << 29)
#define DIVISOR_MAX (1u << 20)
#define SHARED_MAX 257u /* 65535 / 255 */
#define HALVES 0x00ff00ffu
#define BOTH 0x00010001u
#define SLOPE_BIAS 1024u /* of gx and gy, which are 1020 at most */

/* Makes the compiler compute `value` here: left to itself, it runs out of
   registers, and it makes two instructions of a shift and an AND. */
#define HERE(value) __asm volatile("" : "+r"(value))

/* SMALL functions need not be fast. ONCE functions are not copied into
   callers. */
#define SMALL __attribute__((cold))
#define ONCE __attribute__((noinline, noclone))

enum filter {
    LINEAR,
    SOBEL
};

struct conv {
    uint8_t side;    /* side of the square: 3 or 5 */
    uint8_t filter;  /* enum filter */
    uint16_t zero;   /* 0 */
    uint32_t width;  /* samples in a row of a plane */
    uint32_t height; /* rows of a plane; samples of a plane: below 2^30 */
    uint32_t add;    /* two's complement, within +-ADD_MAX */
    int32_t divisor; /* 1 to DIVISOR_MAX */

    bool shared;       /* two sums fit a register, 16 bits each */
    uint32_t bias;     /* bias of both sums in a register */
    uint32_t unbiased; /* add, less the bias */
    /* [0]: of the sum, or gx; [1]: gy with Sobel, else 0. */
    int32_t coefficient[2][TAPS_MAX];
};

/* Bytes from the middle of a square to its rows and columns. */
struct offsets {
    int32_t row[SIDE_MAX];
    int32_t column[SIDE_MAX];
};

/* ---- the argument ---- */

SMALL static void set_bias(struct conv *conv)
{
    uint32_t sum[2] = {0, 0}; /* positive, negative coefficients */

    for (unsigned i = 0; i < TAPS_MAX; ++i) {
        int32_t value = conv->coefficient[0][i];

        sum[value < 0] += (uint32_t)(value < 0 ? -value : value);
    }
    conv->shared = sum[0] + sum[1] <= SHARED_MAX;
    conv->bias = BOTH * 255 * sum[1];
    conv->unbiased = conv->add - 255 * sum[1];
}

SMALL static bool begin_linear(struct conv *conv, const struct kernel_job *job)
{
    const uint8_t *arg = job->arg;
    uint32_t taps = conv->side * conv->side;

    if (job->arg_bytes != LINEAR_BYTES + 2 * taps) {
        return false;
    }
    memcpy(&conv->add, arg + HEAD_BYTES, LINEAR_BYTES - HEAD_BYTES);
    for (uint32_t i = 0; i < taps; ++i) {
        conv->coefficient[0][i] =
            (int16_t)kernel_load_u16(arg + LINEAR_BYTES + 2 * i);
    }
    return conv->add + ADD_MAX <= 2 * ADD_MAX &&
           (uint32_t)conv->divisor - 1 < DIVISOR_MAX;
}

SMALL static bool begin_sobel(struct conv *conv, const struct kernel_job *job)
{
    static const int8_t slope[2][9] = {{-1, 0, 1, -2, 0, 2, -1, 0, 1},
                                       {-1, -2, -1, 0, 0, 0, 1, 2, 1}};

    for (unsigned i = 0; i < 9; ++i) {
        conv->coefficient[0][i] = slope[0][i];
        conv->coefficient[1][i] = slope[1][i];
    }
    return conv->side == 3 && job->arg_bytes == HEAD_BYTES;
}

SMALL static int conv_begin(void *work, struct kernel_terms *terms,
                            const struct kernel_job *job)
{
    struct conv *conv = (struct conv *)work;

    memset(conv, 0, sizeof *conv);
    if (job->arg_bytes < HEAD_BYTES || job->unit_bytes != 1) {
        return KERNEL_ARGUMENT;
    }
    memcpy(conv, job->arg, HEAD_BYTES);
    if ((conv->side != 3 && conv->side != 5) || conv->filter > SOBEL ||
        conv->zero != 0 ||
        (uint64_t)conv->width * conv->height - 1 >= PLANE_MAX ||
        !(conv->filter == SOBEL ? begin_sobel : begin_linear)(conv, job)) {
        return KERNEL_ARGUMENT;
    }
    set_bias(conv);
    terms->before_bytes = conv->side / 2 * (conv->width + 1);
    terms->after_bytes = terms->before_bytes;
    terms->output_numerator = 1;
    terms->output_denominator = 1;
    terms->instructions_per_1000_units =
        !conv->shared     ? 35000 + 8000u * conv->side * conv->side
        : conv->side == 3 ? 18500
                          : 48000;
    return KERNEL_OK;
}

/* ---- samples one by one ---- */

static uint32_t limited(int32_t value)
{
    return value < 0 ? 0 : value > 255 ? 255u : (uint32_t)value;
}

/* Sets the offsets of a square's rows (or columns) whose middle is row `at` of
   `size`; rows are `step` bytes apart. */
ONCE static void set_offsets(int32_t *offset, const struct conv *conv,
                             uint32_t at, uint32_t size, uint32_t step)
{
    int32_t middle = (int32_t)at;
    int32_t last = (int32_t)size - 1;
    int32_t i = middle - (int32_t)(conv->side / 2);

    for (const int32_t *end = offset + conv->side; offset < end; ++i) {
        *offset++ = ((i < 0      ? 0
                      : i < last ? i
                                 : last) -
                     middle) *
                    (int32_t)step;
    }
}

static uint32_t one_sample(const struct conv *conv, const uint8_t *at,
                           const struct offsets *offsets)
{
    const int32_t *c = conv->coefficient[0];
    int32_t gx = (int32_t)conv->add;
    int32_t gy = 0;

    for (uint32_t i = 0; i < conv->side; ++i) {
        const uint8_t *line = at + offsets->row[i];

        for (uint32_t k = 0; k < conv->side; ++k, ++c) {
            int32_t value = line[offsets->column[k]];

            gx += value * c[0];
            gy += value * c[TAPS_MAX];
        }
    }
    return limited(conv->filter == SOBEL
                       ? (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy)
                       : gx / conv->divisor);
}

/* ---- four at once, away from a row's ends ---- */

/* Returns the first and third of four samples; odd() the second and fourth. */
static inline uint32_t even(uint32_t four, uint32_t mask)
{
    return four & mask;
}

static inline uint32_t odd(uint32_t four, uint32_t mask)
{
    return four >> 8 & mask;
}

/* Loads four samples at `*at`, which moves on by two. */
static inline uint32_t next_four(const uint8_t **at)
{
    uint32_t four = kernel_load_u32(*at);

    *at += 2;
    HERE(*at);
    return four;
}

/* Adds a row's products to the sums of four samples. */
static inline void add_line(uint32_t sum[2], const uint8_t **line,
                            const int32_t *c, unsigned side, uint32_t mask)
{
    for (unsigned k = 0; k < side; k += 2) {
        uint32_t four = next_four(line);
        uint32_t two = even(four, mask);

        if (k > 0) {
            sum[1] += two * (uint32_t)c[k - 1];
            HERE(sum[1]);
        }
        sum[0] += two * (uint32_t)c[k];
        HERE(sum[0]);
        two = odd(four, mask);
        sum[1] += two * (uint32_t)c[k];
        HERE(sum[1]);
        if (k + 1 < side) {
            sum[0] += two * (uint32_t)c[k + 1];
            HERE(sum[0]);
        }
    }
}

static inline uint32_t quotients(uint32_t two, const struct conv *conv)
{
    int32_t low = (int32_t)((two & 0xffff) + conv->unbiased);
    int32_t high = (int32_t)((two >> 16) + conv->unbiased);

    return limited(low / conv->divisor) | limited(high / conv->divisor) << 16;
}

static inline void put_quotients(uint8_t *out, const uint32_t sum[2],
                                 const struct conv *conv)
{
    kernel_store_u32(out, quotients(sum[0], conv) | quotients(sum[1], conv)
                                                        << 8);
}

static void put_linear(const struct conv *conv, uint8_t *out, const uint8_t *at,
                       const int32_t *row, uint32_t fours)
{
    const uint8_t *line[3] = {at + row[0] - 1, at + row[1] - 1,
                              at + row[2] - 1};
    uint32_t mask = HALVES;

    HERE(mask);
    for (; fours > 0; --fours, out += 4) {
        uint32_t sum[2] = {conv->bias, conv->bias};

        HERE(fours);
        for (unsigned i = 0; i < 3; ++i) {
            add_line(sum, &line[i], conv->coefficient[0] + 3 * i, 3, mask);
        }
        put_quotients(out, sum, conv);
    }
}

static void put_linear_5(const struct conv *conv, uint8_t *out,
                         const uint8_t *at, const int32_t *row, uint32_t fours)
{
    uint32_t mask = HALVES;

    HERE(mask);
    for (; fours > 0; --fours, at += 4, out += 4) {
        const int32_t *c = conv->coefficient[0];
        const int32_t *end = c + TAPS_MAX;
        const int32_t *next = row;
        uint32_t sum[2] = {conv->bias, conv->bias};

        HERE(end);
        for (; c < end; c += 5) {
            const uint8_t *line = at + *next++ - 2;

            add_line(sum, &line, c, 5, mask);
        }
        put_quotients(out, sum, conv);
    }
}

/* Returns SLOPE_BIAS - |g| for SLOPE_BIAS + g, in both halves. */
static inline uint32_t folded(uint32_t two)
{
    uint32_t up = two / SLOPE_BIAS & BOTH;

    return (two ^ up * (2 * SLOPE_BIAS - 1)) + up;
}

/* Returns |gx| + |gy|, at most 255, in both halves; gx and gy are folded. */
static inline uint32_t magnitudes(uint32_t gx, uint32_t gy)
{
    uint32_t two = 2 * SLOPE_BIAS * BOTH - (gx + gy);

    return limited((int16_t)two) | limited((int32_t)two >> 16) << 16;
}

/*
 * With the three rows' samples a b c, d - e, f g h:
 *
 *    p = h - a   q = c - f   gx = p + q + 2 (e - d)   gy = p - q + 2 (g - b)
 */
static void put_sobel(uint8_t *out, const uint8_t *at, const int32_t *row,
                      uint32_t fours)
{
    const uint8_t *line[3] = {at + row[0] - 1, at + row[1] - 1,
                              at + row[2] - 1};
    uint32_t mask = HALVES;

    HERE(mask);
    for (; fours > 0; --fours, out += 4) {
        uint32_t four;
        uint32_t two;
        uint32_t p[2];
        uint32_t q[2];
        uint32_t y[2]; /* g - b, then gy folded */

        HERE(fours);
        four = next_four(&line[0]);
        p[0] = SLOPE_BIAS * BOTH - even(four, mask);
        HERE(p[0]);
        y[0] = odd(four, mask);
        HERE(y[0]);
        four = next_four(&line[0]);
        q[0] = even(four, mask);
        HERE(q[0]);
        q[1] = odd(four, mask);
        HERE(q[1]);

        four = kernel_load_u32(line[2] + 2);
        p[1] = SLOPE_BIAS * BOTH - y[0] + odd(four, mask);
        HERE(p[1]);
        two = even(four, mask);
        p[0] += two;
        HERE(p[0]);
        y[1] = two - q[0];
        HERE(y[1]);
        four = kernel_load_u32(line[2]);
        line[2] += 4;
        HERE(line[2]);
        q[0] -= even(four, mask);
        HERE(q[0]);
        two = odd(four, mask);
        y[0] = two - y[0];
        HERE(y[0]);
        q[1] -= two;
        HERE(q[1]);

        for (unsigned i = 0; i < 2; ++i) {
            y[i] = folded(p[i] - q[i] + 2 * y[i]);
            HERE(y[i]);
            p[i] += q[i];
            HERE(p[i]);
        }
        four = kernel_load_u32(line[1] + 2);
        two = kernel_load_u32(line[1]);
        line[1] += 4;
        HERE(line[1]);
        p[0] += 2 * (even(four, mask) - even(two, mask));
        HERE(p[0]);
        p[1] += 2 * (odd(four, mask) - odd(two, mask));
        y[0] = magnitudes(folded(p[0]), y[0]);
        HERE(y[0]);
        y[1] = magnitudes(folded(p[1]), y[1]);
        kernel_store_u32(out, y[0] | y[1] << 8);
    }
}

ONCE static void put_fours(const struct conv *conv, uint8_t *out,
                           const uint8_t *at, const int32_t *row,
                           uint32_t fours)
{
    if (conv->filter == SOBEL) {
        put_sobel(out, at, row, fours);
    } else if (conv->side == 3) {
        put_linear(conv, out, at, row, fours);
    } else {
        put_linear_5(conv, out, at, row, fours);
    }
}

/* ---- ranges ---- */

/* Computes samples that have equal offsets. */
static void put_samples(const struct conv *conv, uint8_t *out,
                        const uint8_t *at, const struct offsets *offsets,
                        uint32_t samples)
{
    uint32_t last = samples - 4;

    if (samples >= 4 && conv->shared) {
        put_fours(conv, out, at, offsets->row, samples / 4);
        if (samples % 4 != 0) {
            /* The last four: some a second time, quicker than one by one. */
            put_fours(conv, out + last, at + last, offsets->row, 1);
        }
        return;
    }
    for (; samples > 0; --samples) {
        *out++ = (uint8_t)one_sample(conv, at++, offsets);
    }
}

static void conv_run(const void *work, struct kernel_result *result,
                     const struct kernel_range *range)
{
    const struct conv *conv = (const struct conv *)work;
    uint32_t reach = conv->side / 2;
    uint32_t width = conv->width;
    uint32_t left = range->units;
    uint32_t y = (uint32_t)range->first_unit / width;
    uint32_t x = (uint32_t)range->first_unit - y * width;
    const uint8_t *at = range->data;
    uint8_t *out = result->output;
    struct offsets offsets;

    result->bytes = 0;
    result->output_bytes = left;
    for (; left > 0; ++y, x = 0) {
        set_offsets(offsets.row, conv, y % conv->height, conv->height, width);
        while (x < width && left > 0) {
            uint32_t samples = 1;

            if (x >= reach && x + reach < width) {
                samples = width - reach - x;
            }
            samples = samples < left ? samples : left;
            set_offsets(offsets.column, conv, x, width, 1);
            put_samples(conv, out, at, &offsets, samples);
            at += samples;
            out += samples;
            left -= samples;
            x += samples;
        }
    }
}

const struct kernel kernel_conv = {
    .name = "conv",
    .argument = KERNEL_FOR_PEOPLE("the binary form at the top of its file"),
    .summary = KERNEL_FOR_PEOPLE("convolves an image, 3 x 3 or 5 x 5"),
    .work_bytes = sizeof(struct conv),
    .begin = conv_begin,
    .run = conv_run,
};
