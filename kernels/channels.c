/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parameter sweep of voltage-gated calcium channels, each simulated step by
 * step: the workload of Gonzalez-Velez and Cole, Adaptive statistical
 * scheduling of divisible workloads in heterogeneous systems (2009), section 5.
 * The paper names the experiment (10^4 channels, steps of 10 us, a base voltage
 * and a peak voltage for a part of the time); the rates are ours.
 *
 * A channel is open or closed; in a step at voltage V a closed one opens with
 * probability m (1 - e), an open one closes with (1 - m)(1 - e), where
 *
 *     m = 1 / (1 + exp(-(V - HALF) / SLOPE))         open in the long run
 *     e = exp(-(a + 1/a) / (2 TAU))                  what a step leaves of the
 *     a = exp((V - HALF) / (2 SLOPE))                difference from that
 *
 * with HALF -5 mV, SLOPE 8 mV, TAU 150 steps (1.5 ms, the slowest): the exact
 * two-state process with rates a and 1/a (Hille, Ion channels of excitable
 * membranes, chapter 3), in fixed point as open_probability() has it. All are
 * closed at first. Peak voltage is on for steps lead .. lead + peak - 1.
 *
 * Chance is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, Parallel random
 * numbers: as easy as 1, 2, 3; 2011) of a counter: value of the sweep, step,
 * group of 32 channels, block of bits. So no result depends on the split.
 * Channel c's number in a step has bit c % 32 of word w of block b as its bit
 * 31 - (4 b + w); the channel changes if it is below 2^32 times the
 * probability. Bits are drawn for 32 channels at once, from the highest down,
 * until all are decided: after about two blocks.
 *
 * A unit is a piece of the groups of one value: piece p of a value's n pieces
 * has groups floor(p G / n) up to floor((p + 1) G / n). Sums over its channels
 * are exact integers: open channel-steps at the peak and at the base voltage,
 * and the squares of the former, summed over 16 channels each.
 *
 * Argument: the first fields of struct channels, ARG_BYTES.
 * Result: u64 pieces done, u64 channel-steps, u64 of them open at the peak
 * voltage, u64 at the base. Output of a unit: struct sums.
 */
#include "kernels/kernel.h"

#define ARG_BYTES 48u
#define RESULT_BYTES 32u
#define VALUES_MAX 1000000u
#define CHANNELS_MAX 100000u
#define STEPS_MAX 100000u
#define VOLTAGE_MAX_NV 200000000
#define SUM_STEPS 4095u /* steps for which sums of 16 channels fit 16 bits */

#define HALF_NV (-5000000)
/* Converts nV to an exponent of 2 of exp(nV / SLOPE): 2^56 / (8000000 ln 2).
 */
#define POWERS_Q56 UINT64_C(12994641697)
/* Converts a + 1/a to an exponent of 2 of 1/e: 2^32 / (2 TAU ln 2). */
#define STEP_Q32 UINT64_C(20654427)

#define ROUNDS 10u

struct channels {
    uint32_t values;   /* voltages of the sweep */
    uint32_t pieces;   /* units of a value */
    int32_t first_nv;  /* first voltage of the sweep, nV */
    int32_t last_nv;   /* last voltage of the sweep, nV */
    int32_t base_nv;   /* base voltage, nV */
    uint32_t channels; /* channels of a value, a multiple of 16 */
    uint32_t steps;
    uint32_t lead;   /* steps before the peak voltage is on */
    uint32_t peak;   /* steps while it is on */
    uint32_t output; /* 1: there is an output; else 0 */
    uint32_t seed[2];

    uint32_t groups;      /* groups of 32 channels, the last may be half */
    uint32_t base_opens;  /* probability at the base voltage, times 2^32 */
    uint32_t base_closes; /* probability at the base voltage, times 2^32 */
    uint32_t key[ROUNDS][2];
};

/* Channel-steps of one unit. */
struct sums {
    uint64_t at_peak;
    uint64_t at_base;
    uint64_t squares;
};

/* ---- probabilities ---- */

static inline uint32_t high_of(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

/*
 * Returns 2^-x, at most 1 - 2^-32, in units of 2^-32, as is x. The fraction of
 * x is computed by 1 - t (1 - t/2 (1 - t/3 ...)), t = x ln 2: the terms left
 * out are below 2^-33, and each of 12 steps rounds by less than 2^-31.
 */
static uint32_t power_of_2(uint64_t x_q32)
{
    uint32_t t = high_of((uint32_t)x_q32, 2977044472u); /* ln 2 in 2^-32 */
    uint32_t value = UINT32_MAX;
    uint64_t shift = x_q32 >> 32;

#pragma GCC unroll 1
    for (uint32_t n = 12; n > 0; --n) {
        value = UINT32_MAX - high_of(t, value) / n;
    }
    return shift < 32 ? value >> shift : 0;
}

/* Sets the probabilities, times 2^32, that a closed channel opens and that an
   open channel closes in a step at a voltage. */
static void set_probabilities(uint32_t *opens, uint32_t *closes,
                              int32_t voltage_nv)
{
    int32_t above = voltage_nv - HALF_NV;
    uint32_t distance = (uint32_t)(above < 0 ? -above : above);
    /* Powers of 2 in (V - HALF) / SLOPE, below 37. */
    uint64_t powers_q32 = distance * POWERS_Q56 >> 24;
    /* 1/a^2 where V is above HALF (a^2 below it): 1 to 0. */
    uint32_t ratio = power_of_2(powers_q32);
    /* a + 1/a = 2^(powers / 2) (1 + ratio); 1 / that power in 2^-32. */
    uint32_t root = power_of_2(powers_q32 / 2);
    uint64_t one_and_ratio = ((uint64_t)1 << 32) + ratio;
    uint64_t decay_q32 = STEP_Q32 * one_and_ratio / (root | 1);
    uint32_t changed = UINT32_MAX - power_of_2(decay_q32);
    /* changed / (1 + ratio), and `changed` less that. */
    uint32_t more =
        (uint32_t)(((uint64_t)changed << 31) / (one_and_ratio >> 1));
    uint32_t less = changed - more;

    *opens = above < 0 ? less : more;
    *closes = above < 0 ? more : less;
}

/* ---- the argument ---- */

static bool is_voltage(int32_t voltage_nv)
{
    return voltage_nv >= -VOLTAGE_MAX_NV && voltage_nv <= VOLTAGE_MAX_NV;
}

static bool sound(const struct channels *channels)
{
    return channels->values - 1 < VALUES_MAX &&
           channels->pieces - 1 < channels->groups &&
           channels->channels - 16 <= CHANNELS_MAX - 16 &&
           channels->channels % 16 == 0 && channels->steps - 1 < STEPS_MAX &&
           channels->peak - 1 < channels->steps &&
           channels->lead <= channels->steps - channels->peak &&
           channels->output <= 1 && is_voltage(channels->first_nv) &&
           is_voltage(channels->last_nv) && is_voltage(channels->base_nv);
}

/* Instructions for 1000 pieces, roughly: 275 for a step of a group. */
static uint32_t cost_of(const struct channels *channels)
{
    uint64_t cost = (uint64_t)channels->groups * channels->steps * 275000 /
                    channels->pieces;

    return cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
}

static int channels_begin(void *work, struct kernel_terms *terms,
                          const struct kernel_job *job)
{
    struct channels *channels = (struct channels *)work;

    if (job->arg_bytes != ARG_BYTES || job->unit_bytes != 0) {
        return KERNEL_ARGUMENT;
    }
    memcpy(channels, job->arg, ARG_BYTES);
    channels->groups = (channels->channels + 31) / 32;
    if (!sound(channels)) {
        return KERNEL_ARGUMENT;
    }
#pragma GCC unroll 1
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        channels->key[i][0] = channels->seed[0] + i * 0x9e3779b9u;
        channels->key[i][1] = channels->seed[1] + i * 0xbb67ae85u;
    }
    set_probabilities(&channels->base_opens, &channels->base_closes,
                      channels->base_nv);
    terms->result_bytes_max = RESULT_BYTES;
    terms->instructions_per_1000_units = cost_of(channels);
    terms->output_numerator = channels->output ? sizeof(struct sums) : 0;
    terms->output_denominator = (uint16_t)channels->output;
    return KERNEL_OK;
}

/* ---- the simulation ---- */

struct counter {
    uint32_t value;
    uint32_t step;
    uint32_t group;
};

static inline void philox(uint32_t word[4], const struct channels *channels,
                          const struct counter *counter, uint32_t block)
{
    uint32_t a = counter->value;
    uint32_t b = counter->step;
    uint32_t c = counter->group;
    uint32_t d = block;

    for (uint32_t i = 0; i < ROUNDS; ++i) {
        uint64_t first = (uint64_t)a * 0xd2511f53u;
        uint64_t second = (uint64_t)c * 0xcd9e8d57u;

        a = (uint32_t)(second >> 32) ^ b ^ channels->key[i][0];
        b = (uint32_t)second;
        c = (uint32_t)(first >> 32) ^ d ^ channels->key[i][1];
        d = (uint32_t)first;
    }
    word[0] = a;
    word[1] = b;
    word[2] = c;
    word[3] = d;
}

/* Returns the channels of `lanes`, a bit each, whose random number is below
   their threshold: `closes` for the channels in `open`, else `opens`. */
static inline uint32_t changes(const struct channels *channels,
                               const struct counter *counter, uint32_t open,
                               uint32_t lanes, uint32_t opens, uint32_t closes)
{
    uint32_t undecided = lanes;
    uint32_t below = 0;

    for (uint32_t block = 0; undecided != 0 && block < 8; ++block) {
        uint32_t word[4];

        philox(word, channels, counter, block);
        for (unsigned i = 0; i < 4; ++i) {
            /* The highest bit of the threshold of each channel. */
            uint32_t limit = ((uint32_t)((int32_t)opens >> 31) & ~open) |
                             ((uint32_t)((int32_t)closes >> 31) & open);

            below |= undecided & limit & ~word[i];
            undecided &= ~(limit ^ word[i]);
            opens <<= 1;
            closes <<= 1;
        }
    }
    return below;
}

/* Returns the number of bits set in each half, in that half. */
static inline uint32_t count_halves(uint32_t bits)
{
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0fu;
    return (bits + (bits >> 8)) & 0x00ff00ffu;
}

/*
 * Simulates steps of one group at one voltage, up to step `end`, and adds the
 * open channel-steps of its first and second 16 channels to sum[2]. Returns the
 * channels that are open then.
 */
static uint32_t simulate(const struct channels *channels,
                         struct counter *counter, uint32_t end, uint32_t open,
                         uint32_t lanes, const uint32_t probability[2],
                         uint32_t sum[2])
{
    uint32_t opens = probability[0];
    uint32_t closes = probability[1];

    while (counter->step < end) {
        uint32_t stop =
            end - counter->step > SUM_STEPS ? counter->step + SUM_STEPS : end;
        uint32_t halves = 0;

        for (; counter->step < stop; ++counter->step) {
            open ^= changes(channels, counter, open, lanes, opens, closes);
            halves += count_halves(open);
        }
        sum[0] += halves & 0xffffu;
        sum[1] += halves >> 16;
    }
    return open;
}

/* Simulates all steps of one group, and adds to `sums`. */
static void simulate_group(const struct channels *channels, struct sums *sums,
                           uint32_t value, uint32_t group,
                           const uint32_t peak[2])
{
    const uint32_t base[2] = {channels->base_opens, channels->base_closes};
    uint32_t left = channels->channels - 32 * group;
    uint32_t lanes = left < 32 ? 0xffffu : UINT32_MAX;
    struct counter counter = {.value = value, .group = group};
    uint32_t at_base[2] = {0, 0};
    uint32_t at_peak[2] = {0, 0};
    uint32_t open =
        simulate(channels, &counter, channels->lead, 0, lanes, base, at_base);

    open = simulate(channels, &counter, channels->lead + channels->peak, open,
                    lanes, peak, at_peak);
    simulate(channels, &counter, channels->steps, open, lanes, base, at_base);
    sums->at_base += (uint64_t)at_base[0] + at_base[1];
    sums->at_peak += (uint64_t)at_peak[0] + at_peak[1];
    sums->squares += (uint64_t)at_peak[0] * at_peak[0];
    sums->squares += (uint64_t)at_peak[1] * at_peak[1];
}

/* Returns the voltage of a value: first + (last - first) value / (values - 1),
   rounded down to nV. */
static int32_t voltage_of(const struct channels *channels, uint32_t value)
{
    bool falling = channels->last_nv < channels->first_nv;
    uint32_t span =
        (uint32_t)(falling ? channels->first_nv - channels->last_nv
                           : channels->last_nv - channels->first_nv);
    uint32_t from_first = falling ? channels->values - 1 - value : value;
    uint32_t offset;

    if (channels->values == 1) {
        return channels->first_nv;
    }
    offset = (uint32_t)((uint64_t)span * from_first / (channels->values - 1));
    return (falling ? channels->last_nv : channels->first_nv) + (int32_t)offset;
}

static void channels_run(const void *work, struct kernel_result *result,
                         const struct kernel_range *range)
{
    const struct channels *channels = (const struct channels *)work;
    struct sums all = {.at_peak = 0};
    uint64_t simulated = 0;

    for (uint32_t i = 0; i < range->units; ++i) {
        uint32_t unit = (uint32_t)range->first_unit + i;
        uint32_t value = unit / channels->pieces;
        uint32_t piece = unit % channels->pieces;
        uint32_t group = piece * channels->groups / channels->pieces;
        uint32_t end = (piece + 1) * channels->groups / channels->pieces;
        uint32_t last =
            32 * end < channels->channels ? 32 * end : channels->channels;
        struct sums sums = {.at_peak = 0};
        uint32_t peak[2];

        set_probabilities(&peak[0], &peak[1], voltage_of(channels, value));
        simulated += (uint64_t)(last - 32 * group) * channels->steps;
        for (; group < end; ++group) {
            simulate_group(channels, &sums, value, group, peak);
        }
        all.at_peak += sums.at_peak;
        all.at_base += sums.at_base;
        if (channels->output != 0) {
            memcpy(result->output + sizeof sums * i, &sums, sizeof sums);
        }
    }
    result->output_bytes =
        channels->output * (uint32_t)sizeof all * range->units;
    kernel_store_u64(result->data, range->units);
    kernel_store_u64(result->data + 8, simulated);
    kernel_store_u64(result->data + 16, all.at_peak);
    kernel_store_u64(result->data + 24, all.at_base);
    result->bytes = RESULT_BYTES;
}

static int channels_merge(const void *work, struct kernel_result *into,
                          const struct kernel_result *next)
{
    (void)work;
    if (next->bytes != RESULT_BYTES) {
        return KERNEL_RESULT;
    }
    kernel_add_counts(into->data, next->data, RESULT_BYTES / 8);
    return KERNEL_OK;
}

static void channels_report(const struct kernel_result *result,
                            const struct kernel_sink *sink)
{
    static const char *const names[] = {"pieces", "channel_steps",
                                        "open_at_peak_voltage",
                                        "open_at_base_voltage"};

    for (uint32_t i = 0; i < sizeof names / sizeof *names; ++i) {
        sink->integer(sink->context, names[i],
                      kernel_load_u64(result->data + 8 * i));
    }
}

const struct kernel kernel_channels = {
    .name = "channels",
    .argument = KERNEL_FOR_PEOPLE("a range of voltages"),
    .summary = KERNEL_FOR_PEOPLE(
        "simulates calcium channels at every voltage of a range"),
    .work_bytes = sizeof(struct channels),
    .begin = channels_begin,
    .run = channels_run,
    .merge = channels_merge,
    .report = KERNEL_FOR_PEOPLE(channels_report),
};
