/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution of an image with a square of 3 x 3, 5 x 5 or 7 x 7 coefficients,
 * and the median of such a square. The load is one plane of samples after the
 * other (grey has one, RGB has three), each by rows from the top; a unit is a
 * sample of 8 bits or, in a load with units of 2 bytes, of 16. The output has
 * the same form.
 *
 * Linear: a sample becomes (sum + divisor / 2) / divisor + offset, rounded
 * down, then limited to 0 .. 255 or 65535. The sum is of coefficients times the
 * samples under them, with the square's middle on the sample and the square not
 * mirrored.
 * Sobel: |gx| + |gy|, limited alike; gx is the sum with -1 0 1, -2 0 2, -1 0 1,
 * gy with -1 -2 -1, 0 0 0, 1 2 1.
 *
 * Beyond a plane's border stand copies of its samples, or zeros:
 *
 *    BORDER_REPLICATE  a a a | a b c d
 *    BORDER_REFLECT    d c b | a b c d
 *    BORDER_ZERO       0 0 0 | a b c d
 *
 * Argument: the first fields of struct conv, up to divisor if the filter is
 * linear, else up to height; then i16 coefficients, row by row.
 *
 * Where samples have 8 bits and the absolute values of 3 x 3 or 5 x 5
 * coefficients add up to no more than 257, two samples share a register, 16
 * bits each: a bias keeps sums within 0 .. 65535.
 */
#include "kernels/kernel.h"

#define SIDE_MAX 7u
#define WINDOW (4 + SIDE_MAX - 1)
#define TAPS_MAX (SIDE_MAX * SIDE_MAX)
#define HEAD_BYTES 12u
#define LINEAR_BYTES 20u
#define PLANE_MAX 0x3fffffffu
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
    SOBEL,
    MEDIAN
};

enum border {
    BORDER_REPLICATE,
    BORDER_REFLECT,
    BORDER_ZERO
};

struct conv {
    uint8_t side;    /* side of the square: 3, 5 or 7 */
    uint8_t filter;  /* enum filter */
    uint8_t border;  /* enum border */
    uint8_t zero;    /* 0 */
    uint32_t width;  /* samples in a row of a plane */
    uint32_t height; /* rows of a plane; samples of a plane: below 2^30 */
    int32_t offset;  /* within +-most */
    int32_t divisor; /* 1 to DIVISOR_MAX */

    uint32_t bytes;    /* bytes of a sample: 1 or 2 */
    int32_t most;      /* greatest sample: 255 or 65535 */
    int64_t add;       /* divisor / 2 + offset * divisor; 0 if not linear */
    bool shared;       /* two sums fit a register, 16 bits each */
    uint32_t bias;     /* bias of both sums in a register */
    uint32_t unbiased; /* add, less the bias */
    /* [0]: of the sum, or gx; [1]: gy with Sobel, else 0. */
    int32_t coefficient[2][TAPS_MAX];
};

/* Four samples of a row with all that their squares cover, copied from where
   it stands for what lies beyond the border. */
struct window {
    int32_t x[2];   /* place of the first sample to which column[] belongs */
    int32_t end[2]; /* place behind the last column */
    int32_t column[2][WINDOW]; /* bytes from the first sample to a column */
    uint8_t line[SIDE_MAX][2 * WINDOW];
};

/* Samples of one row. */
struct part {
    const uint8_t *at; /* first sample */
    uint8_t *out;
    uint32_t samples;
    uint32_t x; /* place of the first sample in its plane */
    uint32_t y;
    int32_t row[SIDE_MAX]; /* bytes from a sample to its square's rows */
};

/* ---- the argument ---- */

SMALL static void set_bias(struct conv *conv)
{
    uint32_t sum[2] = {0, 0}; /* positive, negative coefficients */

    for (unsigned i = 0; i < TAPS_MAX; ++i) {
        int32_t value = conv->coefficient[0][i];

        sum[value < 0] += (uint32_t)(value < 0 ? -value : value);
    }
    conv->shared = conv->bytes == 1 && conv->side < 7 &&
                   conv->filter != MEDIAN && sum[0] + sum[1] <= SHARED_MAX;
    conv->bias = BOTH * 255 * sum[1];
    conv->unbiased = (uint32_t)conv->add - 255 * sum[1];
}

SMALL static bool begin_linear(struct conv *conv, const struct kernel_job *job)
{
    const uint8_t *arg = job->arg;
    uint32_t taps = (uint32_t)(conv->side * conv->side);

    if (job->arg_bytes != LINEAR_BYTES + 2 * taps) {
        return false;
    }
    memcpy(&conv->offset, arg + HEAD_BYTES, LINEAR_BYTES - HEAD_BYTES);
    conv->add = conv->divisor / 2 + (int64_t)conv->offset * conv->divisor;
    for (uint32_t i = 0; i < taps; ++i) {
        conv->coefficient[0][i] =
            (int16_t)kernel_load_u16(arg + LINEAR_BYTES + 2 * i);
    }
    return conv->offset >= -conv->most && conv->offset <= conv->most &&
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

/* Returns the instructions that 1000 samples take. */
SMALL static uint32_t instructions(const struct conv *conv)
{
    uint32_t taps = (uint32_t)(conv->side * conv->side);

    return conv->filter == MEDIAN ? 840 * taps * (taps + 36)
           : conv->bytes == 2     ? 86000 + 6000 * taps
           : !conv->shared        ? 50000 + 6500 * taps
           : conv->side == 3      ? 18500
                                  : 48000;
}

SMALL static int conv_begin(void *work, struct kernel_terms *terms,
                            const struct kernel_job *job)
{
    struct conv *conv = (struct conv *)work;

    memset(conv, 0, sizeof *conv);
    if (job->arg_bytes < HEAD_BYTES || job->unit_bytes - 1 > 1) {
        return KERNEL_ARGUMENT;
    }
    memcpy(conv, job->arg, HEAD_BYTES);
    conv->bytes = job->unit_bytes;
    conv->most = conv->bytes == 1 ? 255 : 65535;
    conv->divisor = 1;
    if ((conv->side != 3 && conv->side != 5 && conv->side != 7) ||
        conv->filter > MEDIAN || conv->border > BORDER_ZERO ||
        conv->zero != 0 ||
        (uint64_t)conv->width * conv->height - 1 >= PLANE_MAX ||
        !(conv->filter == SOBEL    ? begin_sobel(conv, job)
          : conv->filter == MEDIAN ? job->arg_bytes == HEAD_BYTES
                                   : begin_linear(conv, job))) {
        return KERNEL_ARGUMENT;
    }
    set_bias(conv);
    terms->before_bytes = conv->side / 2 * (conv->width + 1) * conv->bytes;
    terms->after_bytes = terms->before_bytes;
    terms->output_numerator = (uint16_t)conv->bytes;
    terms->output_denominator = 1;
    terms->instructions_per_1000_units = instructions(conv);
    return KERNEL_OK;
}

/* ---- samples one by one ---- */

static uint32_t limited(int32_t value)
{
    return value < 0 ? 0 : value > 255 ? 255u : (uint32_t)value;
}

static uint32_t one_sample(const struct conv *conv, const uint8_t *at,
                           const int32_t *row)
{
    const int32_t *c = conv->coefficient[0];
    uint32_t side = conv->side;
    int32_t sum = (int32_t)conv->add;

    for (uint32_t i = 0; i < side; ++i) {
        const uint8_t *line = at + row[i];

        for (const uint8_t *end = line + side; line < end; ++line) {
            sum += *line * *c++;
        }
    }
    return limited(sum / conv->divisor);
}

/* Returns the sum of products with samples of 16 bits. */
ONCE static int64_t wide_sum(const int32_t *c, uint32_t side, const uint8_t *at,
                             const int32_t *row)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < side; ++i) {
        const uint8_t *line = at + row[i];

        for (const uint8_t *end = line + 2 * side; line < end; line += 2) {
            sum += (int64_t)(int32_t)kernel_load_u16(line) * *c++;
        }
    }
    return sum;
}

static uint32_t one_wide_sample(const struct conv *conv, const uint8_t *at,
                                const int32_t *row)
{
    uint32_t divisor = (uint32_t)conv->divisor;
    int64_t sum = wide_sum(conv->coefficient[0], conv->side, at, row);

    if (conv->filter == SOBEL) {
        int64_t gy = wide_sum(conv->coefficient[1], conv->side, at, row);

        sum = (sum < 0 ? -sum : sum) + (gy < 0 ? -gy : gy);
    }
    sum += conv->add;
    return sum <= 0                              ? 0
           : sum > (int64_t)conv->most * divisor ? (uint32_t)conv->most
           : sum <= UINT32_MAX                   ? (uint32_t)sum / divisor
                               : (uint32_t)((uint64_t)sum / divisor);
}

static uint32_t one_median(const struct conv *conv, const uint8_t *at,
                           const int32_t *row)
{
    uint32_t least[TAPS_MAX / 2 + 1]; /* the least samples so far, in order */
    uint32_t wanted = (uint32_t)(conv->side * conv->side) / 2 + 1;
    uint32_t count = 0;

    for (uint32_t tap = 0; tap < 2 * wanted - 1; ++tap) {
        const uint8_t *sample =
            at + row[tap / conv->side] + tap % conv->side * conv->bytes;
        uint32_t value = conv->bytes == 1 ? *sample : kernel_load_u16(sample);
        uint32_t i = count;

        if (count < wanted) {
            count += 1;
        } else if (value < least[wanted - 1]) {
            i -= 1;
        } else {
            continue;
        }
        for (; i > 0 && least[i - 1] > value; --i) {
            least[i] = least[i - 1];
        }
        least[i] = value;
    }
    return least[wanted - 1];
}

ONCE static void put_ones(const struct conv *conv, uint8_t *out,
                          const uint8_t *at, const int32_t *row,
                          uint32_t samples)
{
    uint32_t bytes = conv->bytes;
    const uint8_t *end = at + samples * bytes;
    uint32_t back = conv->side / 2 * bytes;

    if (bytes == 1 && conv->filter == LINEAR) {
        for (; at < end; ++at) {
            *out++ = (uint8_t)one_sample(conv, at - back, row);
        }
    }
    for (; at < end; at += bytes) {
        uint32_t value =
            (conv->filter == MEDIAN ? one_median
                                    : one_wide_sample)(conv, at - back, row);

        *out++ = (uint8_t)value;
        if (bytes == 2) {
            *out++ = (uint8_t)(value >> 8);
        }
    }
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
        const int32_t *end = c + 25;
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

/* Computes samples whose squares lie in memory; four at least if they are
   shared. */
static void put_samples(const struct conv *conv, uint8_t *out,
                        const uint8_t *at, const int32_t *row, uint32_t samples)
{
    if (conv->shared) {
        uint32_t last = samples - 4;

        put_fours(conv, out, at, row, samples / 4);
        if (samples % 4 != 0) {
            /* The last four: some a second time, quicker than one by one. */
            put_fours(conv, out + last, at + last, row, 1);
        }
    } else {
        put_ones(conv, out, at, row, samples);
    }
}

/* ---- the border ---- */

/* Returns the row, 0 to `last`, that stands for row i. */
ONCE static int32_t stand_in(int32_t i, int32_t last, uint32_t border)
{
    if (last == 0 || border != BORDER_REFLECT) {
        return i < 0 ? 0 : i < last ? i : last;
    }
    while (i < 0 || i > last) {
        i = (i < 0 ? 0 : 2 * last) - i;
    }
    return i;
}

/* Sets part->row. */
ONCE static void set_rows(const struct conv *conv, struct part *part)
{
    int32_t i = (int32_t)part->y - conv->side / 2;

    for (uint32_t k = 0; k < conv->side; ++k, ++i) {
        part->row[k] = (stand_in(i, (int32_t)conv->height - 1, conv->border) -
                        (int32_t)part->y) *
                       (int32_t)(conv->width * conv->bytes);
    }
}

/* Returns the columns of a window, which stay for the rows below. */
ONCE static const int32_t *window_columns(const struct conv *conv,
                                          struct window *window,
                                          const struct part *part)
{
    int32_t reach = conv->side / 2;
    int32_t x = (int32_t)part->x;
    int32_t end = x + (int32_t)part->samples + reach;
    uint32_t right = x >= reach;
    int32_t *column = window->column[right];

    if (window->x[right] != x || window->end[right] < end) {
        window->x[right] = x;
        window->end[right] = end;
        for (int32_t i = x - reach; i < end; ++i) {
            *column++ =
                (stand_in(i, (int32_t)conv->width - 1, conv->border) - x) *
                (int32_t)conv->bytes;
        }
    }
    return window->column[right];
}

/* Sets samples of a window beyond the border to 0. */
SMALL static void clear_outside(const struct conv *conv, struct window *window,
                                const struct part *part)
{
    uint32_t reach = conv->side / 2;

    for (uint32_t i = 0; i < conv->side; ++i) {
        for (uint32_t k = 0; k < 4 + 2 * reach; ++k) {
            if (part->y + i - reach >= conv->height ||
                part->x + k - reach >= conv->width) {
                memset(&window->line[i][k * conv->bytes], 0, conv->bytes);
            }
        }
    }
}

/* Computes up to four samples by a window. */
ONCE static void put_by_window(const struct conv *conv, struct window *window,
                               const struct part *part)
{
    static const int32_t row[SIDE_MAX] = {0,          2 * WINDOW, 4 * WINDOW,
                                          6 * WINDOW, 8 * WINDOW, 10 * WINDOW,
                                          12 * WINDOW};
    const int32_t *column = window_columns(conv, window, part);
    const uint8_t *at = window->line[0] + conv->side / 2 * conv->bytes;
    const int32_t *end = column + part->samples + conv->side - 1;
    uint8_t four[4];

    for (uint32_t i = 0; i < conv->side; ++i) {
        const uint8_t *from = part->at + part->row[i];
        uint8_t *to = window->line[i];

        if (conv->bytes == 1) {
            for (const int32_t *next = column; next < end; ++next) {
                *to++ = from[*next];
            }
        } else {
            for (const int32_t *next = column; next < end; ++next, to += 2) {
                kernel_store_u16(to, (uint16_t)kernel_load_u16(from + *next));
            }
        }
    }
    if (conv->border == BORDER_ZERO) {
        clear_outside(conv, window, part);
    }
    if (conv->shared) {
        put_fours(conv, four, at, row, 1);
        for (uint32_t i = 0; i < part->samples; ++i) {
            part->out[i] = four[i];
        }
    } else {
        put_ones(conv, part->out, at, row, part->samples);
    }
}

/* ---- ranges ---- */

/* Returns how many samples from a part's first one on have their squares in
   memory, as many as put_samples() takes, at most `left`; or 0. */
static uint32_t inside(const struct conv *conv, const struct part *part,
                       uint32_t left)
{
    uint32_t reach = conv->side / 2;
    uint32_t samples = conv->width - reach - part->x;

    if (part->x < reach || part->x + reach >= conv->width ||
        (conv->border == BORDER_ZERO &&
         (part->y < reach || part->y + reach >= conv->height))) {
        return 0;
    }
    samples = samples < left ? samples : left;
    return conv->shared && samples < 4 ? 0 : samples;
}

static void conv_run(const void *work, struct kernel_result *result,
                     const struct kernel_range *range)
{
    const struct conv *conv = (const struct conv *)work;
    uint32_t left = range->units;
    struct window window = {.x = {-1, -1}};
    struct part part = {.at = range->data, .out = result->output};

    result->bytes = 0;
    result->output_bytes = left * conv->bytes;
    part.y = (uint32_t)range->first_unit / conv->width;
    part.x = (uint32_t)range->first_unit - part.y * conv->width;
    part.y %= conv->height;
    for (; left > 0; part.x = 0) {
        /* Rows away from the border have the distances of the row before. */
        if (left == range->units || part.y <= conv->side / 2 ||
            part.y + conv->side / 2 >= conv->height) {
            set_rows(conv, &part);
        }
        while (part.x < conv->width && left > 0) {
            part.samples = inside(conv, &part, left);
            if (part.samples > 0) {
                put_samples(conv, part.out, part.at, part.row, part.samples);
            } else {
                part.samples = conv->width - part.x;
                part.samples = part.samples < 4 ? part.samples : 4;
                part.samples = part.samples < left ? part.samples : left;
                put_by_window(conv, &window, &part);
            }
            part.at += part.samples * conv->bytes;
            part.out += part.samples * conv->bytes;
            part.x += part.samples;
            left -= part.samples;
        }
        part.y = part.y + 1 < conv->height ? part.y + 1 : 0;
    }
}

const struct kernel kernel_conv = {
    .name = "conv",
    .argument = KERNEL_FOR_PEOPLE("the binary form at the top of its file"),
    .summary = KERNEL_FOR_PEOPLE(
        "filters an image: 3 x 3, 5 x 5 or 7 x 7 coefficients, or a median"),
    .work_bytes = sizeof(struct conv),
    .begin = conv_begin,
    .run = conv_run,
};
