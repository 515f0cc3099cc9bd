/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter with finite impulse response, on samples of 8, 16, 24 or 32 bits of
 * one or several channels. With T taps h[0] to h[T - 1] in Q15 (the value times
 * 2^15), frame n of each channel becomes
 *
 *   y[n] = sat((sum of h[k] x[n + a - k], k = 0 .. T - 1, + 2^14) >> 15)
 *
 * where a = (T - 1) / 2 rounded down, x is 0 outside of the load, the sum is
 * exact, >> rounds towards minus infinity (so halves go up) and sat() is the
 * nearest value that B bits hold, -2^(B - 1) to 2^(B - 1) - 1. The output is as
 * long as the input and, for symmetric taps, not delayed (half a frame early if
 * T is even).
 *
 * A product has up to B + 15 bits and a sign, a sum of TAPS_MAX of them up to
 * B + 25: 64 bits hold sums of samples of 32 bits. 16-bit samples whose
 * neighbours all exist are filtered in blocks with sums of 32 bits.
 *
 * Argument: i16 h[0] to h[T - 1], little-endian, 1 to TAPS_MAX of them; then,
 * unless samples have 2 bytes, a byte: 1, 3 or 4. Units are frames of signed
 * little-endian samples, one for each channel. Output: the same. Result: u64
 * samples that sat() changed.
 */
#include "kernels/kernel.h"

#define TAPS_MAX 1000u
#define BLOCK 4u /* taps or outputs of one channel that are handled at once */
#define ROOM (TAPS_MAX + 32u) /* samples that are copied at once */
#define HALF (1 << 14)

/*
 * Blocks of outputs are summed in 32 bits, with taps in groups: the magnitudes
 * of a group's taps add up to at most MAGNITUDES_MAX, so its products and a
 * rest below 2^15 stay below 65535 * 2^15 + 2^15 = 2^31. Between groups the sum
 * >> 15 is put aside and the rest stays.
 */
#define MAGNITUDES_MAX 65535u
#define GROUPS_MAX 8u
#define NO_TAP INT32_MIN /* ends a group, and a mark follows: */
#define MARK_LAST 0      /* the last group */
#define MARK_NEXT 1      /* there are more */

struct fir {
    const uint8_t *h; /* the argument */
    uint32_t taps;    /* T */
    uint32_t bytes;   /* bytes of a sample */
    uint32_t before;  /* frames that a block needs before y[n] */
    uint32_t after;   /* frames that y[n] needs after n */
    uint32_t groups;  /* groups of taps for blocks; 0: there are no blocks */
    int32_t tap[TAPS_MAX + 2 * GROUPS_MAX];
};

static int32_t load_tap(const uint8_t *at)
{
    return (int16_t)kernel_load_u16(at);
}

/* Puts `all` taps into groups. Returns the number of groups; 0: the taps do
   not fit GROUPS_MAX groups. */
static uint32_t take_groups(struct fir *fir, uint32_t all)
{
    int32_t *tap = fir->tap;
    uint32_t groups = 1;
    uint32_t sum = 0;  /* magnitudes of the taps in the group */
    uint32_t more = 0; /* magnitudes of up to BLOCK taps after those */

    for (uint32_t k = all; k-- > 0;) {
        *tap = k < fir->taps ? load_tap(fir->h + 2 * k) : 0;
        more += (uint32_t)(*tap < 0 ? -*tap : *tap);
        tap += 1;
        if (k % BLOCK != 0) {
            continue;
        }
        if (sum + more > MAGNITUDES_MAX) {
            memmove(tap - 2, tap - BLOCK, BLOCK * sizeof *tap);
            tap[-4] = NO_TAP;
            tap[-3] = MARK_NEXT;
            tap += 2;
            groups += 1;
            sum = 0;
        }
        sum += more;
        more = 0;
        if (sum > MAGNITUDES_MAX || groups > GROUPS_MAX) {
            return 0;
        }
    }
    tap[0] = NO_TAP;
    tap[1] = MARK_LAST;
    return groups;
}

static int fir_begin(void *work, struct kernel_terms *terms,
                     const struct kernel_job *job)
{
    struct fir *fir = (struct fir *)work;
    uint32_t frame = job->unit_bytes;
    uint32_t taps = job->arg_bytes / 2;
    uint32_t all = (taps + BLOCK - 1) / BLOCK * BLOCK;
    uint32_t bytes = job->arg_bytes % 2 != 0 ? job->arg[2 * taps] : 2;

    if (taps == 0 || taps > TAPS_MAX || bytes == 0 || bytes > 4 || frame == 0 ||
        frame % bytes != 0 || frame > KERNEL_OUTPUT_MAX) {
        return KERNEL_ARGUMENT;
    }
    fir->h = job->arg;
    fir->taps = taps;
    fir->bytes = bytes;
    fir->after = (taps - 1) / 2;
    fir->before = all - 1 - fir->after;
    fir->groups = bytes == 2 ? take_groups(fir, all) : 0;
    terms->before_bytes = fir->before * frame;
    terms->after_bytes = fir->after * frame;
    terms->result_bytes_max = 8;
    terms->output_numerator = (uint16_t)frame;
    terms->output_denominator = 1;
    terms->instructions_per_1000_units =
        (uint64_t)(fir->groups > 0 ? all * 1625 + 10000 : taps * 3000 + 60000) *
        (frame / bytes);
    return KERNEL_OK;
}

static inline int32_t load_sample(const uint8_t *at, uint32_t bytes)
{
    return bytes == 1   ? (int8_t)*at
           : bytes == 2 ? (int16_t)kernel_load_u16(at)
           : bytes == 4
               ? (int32_t)kernel_load_u32(at)
               : (int32_t)(kernel_load_u16(at) | (uint32_t)(int8_t)at[2] << 16);
}

/* Stores sat(value). Returns 1 if sat() changes the value, else 0. */
static uint32_t store_sample(uint8_t *at, int64_t value, uint32_t bytes)
{
    int64_t most = (int64_t)(UINT32_MAX >> (33 - 8 * bytes));
    int64_t sample = value > most ? most : value < ~most ? ~most : value;

    if (bytes == 4) {
        kernel_store_u32(at, (uint32_t)sample);
    } else if (bytes == 1) {
        *at = (uint8_t)sample;
    } else {
        kernel_store_u16(at, (uint16_t)sample);
    }
    if (bytes == 3) {
        at[2] = (uint8_t)(sample >> 16);
    }
    return sample != value;
}

/* The next output, y[n], and its first sample, x[n - before] at `in`. */
struct lane {
    uint8_t *out;
    const uint8_t *in;
    uint32_t step;  /* bytes from an output to the next */
    uint32_t frame; /* bytes from a sample to the next */
};

#ifdef __arm__

#define HAS_BLOCKS true
#define APSR_Q (1u << 27)

/* Stores sat(sum >> 15) for each sum. Returns how many sat() changes. SSAT
   sets the flag Q if it changes a value, and Q stays set until it is cleared.
   */
static inline uint32_t store_block(struct lane *lane, const int32_t sum[BLOCK])
{
    int32_t sample[BLOCK];
    uint32_t flags;
    uint32_t changed = 0;

    __asm volatile(
        "ssat %[y0], #16, %[s0], asr #15\n\t"
        "strh %[y0], [%[out]]\n\t"
        "ssat %[y1], #16, %[s1], asr #15\n\t"
        "strh %[y1], [%[out], %[step]]\n\t"
        "add %[out], %[out], %[step], lsl #1\n\t"
        "ssat %[y2], #16, %[s2], asr #15\n\t"
        "strh %[y2], [%[out]]\n\t"
        "ssat %[y3], #16, %[s3], asr #15\n\t"
        "strh %[y3], [%[out], %[step]]\n\t"
        "add %[out], %[out], %[step], lsl #1\n\t"
        "mrs %[flags], apsr"
        : [y0] "=&r"(sample[0]), [y1] "=&r"(sample[1]), [y2] "=&r"(sample[2]),
          [y3] "=&r"(sample[3]), [flags] "=&r"(flags), [out] "+&r"(lane->out)
        : [s0] "r"(sum[0]), [s1] "r"(sum[1]), [s2] "r"(sum[2]),
          [s3] "r"(sum[3]), [step] "r"(lane->step)
        : "cc", "memory");
    if ((flags & APSR_Q) != 0) {
        __asm volatile("msr apsr_nzcvq, %0" : : "r"(0) : "cc");
        for (uint32_t i = 0; i < BLOCK; ++i) {
            changed += sample[i] != sum[i] >> 15;
        }
    }
    return changed;
}

/* Loads the first three samples to `w`. Returns where the fourth is. */
static inline const uint8_t *load_window(int32_t w[BLOCK - 1],
                                         const struct lane *lane)
{
    const uint8_t *in;

    __asm volatile(
        "ldrsh %[w0], [%[from]]\n\t"
        "ldrsh %[w1], [%[from], %[frame]]\n\t"
        "add %[in], %[from], %[frame], lsl #1\n\t"
        "ldrsh %[w2], [%[in]]\n\t"
        "add %[in], %[in], %[frame]"
        : [w0] "=&r"(w[0]), [w1] "=&r"(w[1]), [w2] "=&r"(w[2]), [in] "=&r"(in)
        : [from] "r"(lane->in), [frame] "r"(lane->frame)
        : "memory");
    return in;
}

/*
 * Adds the products of a group to the sums of BLOCK outputs: taps from *taps to
 * the next NO_TAP, samples from *samples on; w has the three samples before.
 * Both places move on. Returns the mark behind NO_TAP.
 *
 * Each tap is loaded once for the four, each sample once for four taps: w0 to
 * w3 take turns at being the latest. 26 instructions for 16 products, in all 13
 * registers that there are: a compiler took 3 to 5 more.
 */
static inline int32_t multiply(int32_t sum[BLOCK], int32_t w[BLOCK - 1],
                               const int32_t **taps, const uint8_t **samples,
                               uint32_t frame)
{
    const int32_t *tap = *taps;
    const uint8_t *in = *samples;
    int32_t w3;
    int32_t even;
    int32_t odd;

    __asm volatile("ldrd %[even], %[odd], [%[tap]], #8\n"
                   "1:\n\t"
                   "ldrsh %[w3], [%[in]]\n\t"
                   "mla %[s0], %[even], %[w0], %[s0]\n\t"
                   "mla %[s1], %[even], %[w1], %[s1]\n\t"
                   "mla %[s2], %[even], %[w2], %[s2]\n\t"
                   "mla %[s3], %[even], %[w3], %[s3]\n\t"
                   "ldrsh %[w0], [%[in], %[frame]]\n\t"
                   "add %[in], %[in], %[frame], lsl #1\n\t"
                   "mla %[s0], %[odd], %[w1], %[s0]\n\t"
                   "mla %[s1], %[odd], %[w2], %[s1]\n\t"
                   "mla %[s2], %[odd], %[w3], %[s2]\n\t"
                   "mla %[s3], %[odd], %[w0], %[s3]\n\t"
                   "ldrd %[even], %[odd], [%[tap]], #8\n\t"
                   "ldrsh %[w1], [%[in]]\n\t"
                   "mla %[s0], %[even], %[w2], %[s0]\n\t"
                   "mla %[s1], %[even], %[w3], %[s1]\n\t"
                   "mla %[s2], %[even], %[w0], %[s2]\n\t"
                   "mla %[s3], %[even], %[w1], %[s3]\n\t"
                   "ldrsh %[w2], [%[in], %[frame]]\n\t"
                   "add %[in], %[in], %[frame], lsl #1\n\t"
                   "mla %[s0], %[odd], %[w3], %[s0]\n\t"
                   "mla %[s1], %[odd], %[w0], %[s1]\n\t"
                   "mla %[s2], %[odd], %[w1], %[s2]\n\t"
                   "mla %[s3], %[odd], %[w2], %[s3]\n\t"
                   "ldrd %[even], %[odd], [%[tap]], #8\n\t"
                   "cmp %[even], %[no_tap]\n\t"
                   "bne 1b"
                   : [s0] "+&r"(sum[0]), [s1] "+&r"(sum[1]), [s2] "+&r"(sum[2]),
                     [s3] "+&r"(sum[3]), [w0] "+&r"(w[0]), [w1] "+&r"(w[1]),
                     [w2] "+&r"(w[2]), [w3] "=&r"(w3), [even] "=&r"(even),
                     [odd] "=&r"(odd), [tap] "+&r"(tap), [in] "+&r"(in)
                   : [frame] "r"(frame), [no_tap] "i"(NO_TAP)
                   : "cc", "memory");
    *taps = tap;
    *samples = in;
    return odd;
}

/* Makes blocks of outputs with taps in one group. Returns how many outputs
   sat() changes. */
static uint32_t filter_group(const struct fir *fir, struct lane *lane,
                             uint32_t blocks)
{
    uint32_t changed = 0;

    for (; blocks > 0; --blocks) {
        const int32_t *tap = fir->tap;
        int32_t sum[BLOCK] = {HALF, HALF, HALF, HALF};
        int32_t w[BLOCK - 1];
        const uint8_t *in = load_window(w, lane);

        multiply(sum, w, &tap, &in, lane->frame);
        changed += store_block(lane, sum);
        lane->in += BLOCK * lane->frame;
    }
    return changed;
}

/* Makes blocks of outputs with taps in several groups. Returns how many
   outputs sat() changes. */
static uint32_t filter_groups(const struct fir *fir, struct lane *lane,
                              uint32_t blocks)
{
    uint32_t changed = 0;

    for (; blocks > 0; --blocks) {
        const int32_t *tap = fir->tap;
        int32_t sum[BLOCK] = {HALF, HALF, HALF, HALF};
        int32_t aside[BLOCK] = {0, 0, 0, 0};
        int32_t w[BLOCK - 1];
        const uint8_t *in = load_window(w, lane);
        int32_t mark;

        do {
            mark = multiply(sum, w, &tap, &in, lane->frame);
            for (uint32_t i = 0; i < BLOCK; ++i) {
                aside[i] += sum[i] >> 15;
                sum[i] &= 0x7fff;
            }
        } while (mark == MARK_NEXT);
        for (uint32_t i = 0; i < BLOCK; ++i) {
            changed += store_sample(lane->out, aside[i], 2);
            lane->out += lane->step;
        }
        lane->in += BLOCK * lane->frame;
    }
    return changed;
}

/* Makes blocks of outputs of 16-bit samples. Returns how many sat() changes. */
static uint32_t filter_blocks(const struct fir *fir, struct lane lane,
                              uint32_t blocks)
{
    return fir->groups == 1 ? filter_group(fir, &lane, blocks)
                            : filter_groups(fir, &lane, blocks);
}

#else

#define HAS_BLOCKS false

static uint32_t filter_blocks(const struct fir *fir, struct lane lane,
                              uint32_t blocks)
{
    (void)fir;
    (void)lane;
    (void)blocks;
    return 0;
}

#endif

/* One channel of a range. */
struct channel {
    uint8_t *out;
    const uint8_t *in;
    uint32_t frame; /* bytes from a sample to the next */
    uint32_t units;
    uint32_t earlier; /* frames that can be read before `in` */
    uint32_t later;   /* frames that can be read after the last unit */
};

/* Makes outputs one by one, or rather two at a time: taps and samples are
   loaded once for both. Samples have 32 bits. Returns how many sat() changes.
 */
static uint32_t filter_ones(const struct fir *fir, struct lane lane,
                            uint32_t count)
{
    const int32_t *first = (const int32_t *)(const void *)lane.in +
                           fir->before + 1 + fir->after - fir->taps;
    uint32_t changed = 0;

    for (uint32_t i = 0; i < count; i += 2) {
        const int32_t *in = first + i;
        int64_t sum = HALF;
        int64_t next = HALF;
        int32_t sample = *in;

        for (const uint8_t *h = fir->h + 2 * fir->taps; h != fir->h;) {
            int32_t tap = load_tap(h -= 2);

            sum += (int64_t)tap * sample;
            sample = *++in;
            next += (int64_t)tap * sample;
        }
        changed += store_sample(lane.out, sum >> 15, fir->bytes);
        if (i + 1 < count) {
            changed +=
                store_sample(lane.out + lane.step, next >> 15, fir->bytes);
        }
        lane.out += 2 * lane.step;
    }
    return changed;
}

/* Copies the samples that `count` outputs from y[n] on need to `piece`; those
   outside of the load are 0, and so is one more. */
static void copy_padded(int32_t *piece, const struct fir *fir,
                        const struct channel *from, uint32_t n, uint32_t count)
{
    uint32_t samples = fir->before + fir->after + count;
    uint32_t there = n + from->earlier;
    uint32_t first = fir->before > there ? fir->before - there : 0;
    uint32_t end = from->units + from->later + fir->before - n;
    const uint8_t *in =
        from->in + (n + first) * from->frame - fir->before * from->frame;

    memset(piece, 0, (samples + 1) * sizeof *piece);
    for (uint32_t i = first; i < samples && i < end; ++i) {
        piece[i] = load_sample(in, fir->bytes);
        in += from->frame;
    }
}

/* Makes the outputs from y[n] up to y[end - 1] of copies of their samples.
   Returns how many sat() changes. */
static uint32_t filter_pieces(const struct fir *fir,
                              const struct channel *channel, uint32_t n,
                              uint32_t end)
{
    int32_t piece[ROOM];
    uint32_t most = ROOM - 1 - fir->before - fir->after;
    uint32_t changed = 0;

    while (n < end) {
        struct lane lane = {channel->out + n * channel->frame,
                            (const uint8_t *)piece, channel->frame,
                            sizeof *piece};
        uint32_t count = end - n < most ? end - n : most;
        uint32_t blocks = HAS_BLOCKS && fir->groups > 0 ? count / BLOCK : 0;

        copy_padded(piece, fir, channel, n, count);
        if (blocks > 0) {
            count = blocks * BLOCK;
            changed += filter_blocks(fir, lane, blocks);
        } else {
            changed += filter_ones(fir, lane, count);
        }
        n += count;
    }
    return changed;
}

/* Sets *first to the first output whose samples all exist, and *last to the
   end of the whole blocks from there; both to 0 if there is no block. */
static void find_whole(uint32_t *first, uint32_t *last, const struct fir *fir,
                       const struct channel *channel)
{
    uint32_t from =
        fir->before > channel->earlier ? fir->before - channel->earlier : 0;
    uint32_t missing =
        fir->after > channel->later ? fir->after - channel->later : 0;

    *first = 0;
    *last = 0;
    if (HAS_BLOCKS && fir->groups > 0 &&
        channel->units >= from + missing + BLOCK) {
        *first = from;
        *last = channel->units - missing;
        *last -= (*last - from) % BLOCK;
    }
}

static uint32_t filter_channel(const struct fir *fir,
                               const struct channel *channel)
{
    uint32_t first;
    uint32_t last;
    uint32_t changed;

    find_whole(&first, &last, fir, channel);
    changed = filter_pieces(fir, channel, 0, first);
    if (first < last) {
        struct lane lane = {channel->out + first * channel->frame,
                            channel->in + first * channel->frame -
                                fir->before * channel->frame,
                            channel->frame, channel->frame};

        changed += filter_blocks(fir, lane, (last - first) / BLOCK);
    }
    return changed + filter_pieces(fir, channel, last, channel->units);
}

static void fir_run(const void *work, struct kernel_result *result,
                    const struct kernel_range *range)
{
    const struct fir *fir = (const struct fir *)work;
    uint32_t frame = range->unit_bytes;
    struct channel channel = {.out = result->output,
                              .in = range->data,
                              .frame = frame,
                              .units = range->units,
                              .earlier = range->before_bytes / frame,
                              .later = range->after_bytes / frame};
    uint32_t saturated = 0;

    for (uint32_t at = 0; at < frame; at += fir->bytes) {
        saturated += filter_channel(fir, &channel);
        channel.in += fir->bytes;
        channel.out += fir->bytes;
    }
    kernel_store_u64(result->data, saturated);
    result->bytes = 8;
    result->output_bytes = kernel_range_bytes(range);
}

static void fir_report(const struct kernel_result *result,
                       const struct kernel_sink *sink)
{
    sink->integer(sink->context, "saturated", kernel_load_u64(result->data));
}

const struct kernel kernel_fir = {
    .name = "fir",
    .argument = KERNEL_FOR_PEOPLE(
        "1 to 1000 taps, Q15 of 16 bits; then, unless it is 2, "
        "a byte: bytes of a sample"),
    .summary = KERNEL_FOR_PEOPLE("filters sound of 8 to 32 bits"),
    .work_bytes = sizeof(struct fir),
    .begin = fir_begin,
    .run = fir_run,
    .merge = kernel_merge_count,
    .report = KERNEL_FOR_PEOPLE(fir_report),
};
