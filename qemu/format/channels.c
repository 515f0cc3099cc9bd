/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sweeps of kernel channels: no input, and a CSV with one line for each voltage
 * as output. Currents of an open channel are CONDUCTANCE times the distance
 * from REVERSAL, steps last 10 us; all numbers are exact integers until they
 * are printed, with six decimals.
 */
#include "qemu/format/format.h"

#include "kernels/kernel.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <gmp.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARG_BYTES 48u
#define UNIT_OUTPUT_BYTES 24u
#define VALUES_MAX 1000000u
#define CHANNELS_MAX 100000u
#define STEPS_MAX 100000u
#define VOLTAGE_MAX_NV 200000000

/* 20 pS: 2e-8 pA for each nV; 2e-10 fC in a step of 10 us. So 1e-6 pA are 50
   nV of one channel, and 1e-6 fC are 5000 in one step. */
#define REVERSAL_NV 60000000
#define NV_OF_UPA 50
#define NV_STEPS_OF_UFC 5000

/* A unit should take this many instructions at least, a load have this many
   units at most; a step of 32 channels takes about 260. */
#define UNIT_INSTRUCTIONS 100000u
#define UNITS_MAX (1u << 18)
#define STEP_INSTRUCTIONS 260u

#define VOLTAGE_ALLOWED                                                        \
    "must be FIRST:LAST:COUNT, voltages of -200 to 200 mV with up to 6 "       \
    "decimals, COUNT 1 to 1000000 (1 only if both are the same)"

struct sweep {
    int64_t first_nv;
    int64_t last_nv;
    int64_t base_nv;
    uint64_t values;
    uint64_t pieces;
    uint64_t channels;
    uint64_t steps;
    uint64_t peak;
    uint64_t seed;
};

/* ---- the argument ---- */

/* "-12.5", in mV, as nV, to `end` (a colon or 0); false if it is none. */
static bool parse_voltage(int64_t *voltage_nv, const char **text, char end)
{
    const char *at = *text + (**text == '-');
    int64_t value = 0;
    int decimals = -1;
    bool digits = false;

    for (; *at != end; ++at) {
        if (*at == '.' && decimals < 0) {
            decimals = 0;
        } else if (isdigit((unsigned char)*at) && decimals < 6 &&
                   value < 10 * (int64_t)VOLTAGE_MAX_NV) {
            value = value * 10 + (*at - '0');
            decimals += decimals >= 0;
            digits = true;
        } else {
            return false;
        }
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 6; ++decimals) {
        value *= 10;
    }
    *voltage_nv = **text == '-' ? -value : value;
    *text = at + (end != '\0');
    return digits && value <= VOLTAGE_MAX_NV;
}

static bool parse_number(uint64_t *number, const char *text, uint64_t least,
                         uint64_t most)
{
    return text != NULL && parse_count(text, number) == NULL &&
           *number >= least && *number <= most;
}

static bool parse_range(struct sweep *sweep, const char *text)
{
    return text != NULL && parse_voltage(&sweep->first_nv, &text, ':') &&
           parse_voltage(&sweep->last_nv, &text, ':') &&
           parse_number(&sweep->values, text, 1, VALUES_MAX) &&
           (sweep->values > 1 || sweep->first_nv == sweep->last_nv);
}

static int set_key(struct sweep *sweep, int key, char *value)
{
    const char *text = value;

    switch (key) {
    case 0:
        return parse_range(sweep, text)
                   ? 0
                   : format_key_error("voltage", value, VOLTAGE_ALLOWED);
    case 1:
        return text != NULL && parse_voltage(&sweep->base_nv, &text, '\0')
                   ? 0
                   : format_key_error(
                         "base", value,
                         "must be -200 to 200 mV, up to 6 decimals");
    case 2:
        return parse_number(&sweep->channels, text, 32, CHANNELS_MAX) &&
                       sweep->channels % 16 == 0
                   ? 0
                   : format_key_error("channels", value,
                                      "must be a multiple of 16, 32 to 100000");
    case 3:
        return parse_number(&sweep->steps, text, 1, STEPS_MAX)
                   ? 0
                   : format_key_error("steps", value, "must be 1 to 100000");
    case 4:
        return parse_number(&sweep->peak, text, 1, STEPS_MAX)
                   ? 0
                   : format_key_error("peak", value,
                                      "must be 1 to the number of steps");
    case 5:
        return parse_number(&sweep->seed, text, 0, UINT64_MAX)
                   ? 0
                   : format_key_error("seed", value, "must be 0 to 2^64 - 1");
    default:
        return format_key_error(
            "key", value,
            "must be voltage=, base=, channels=, steps=, peak= or "
            "seed=");
    }
}

/* Groups of 32 channels that make a unit, from which the pieces follow. */
static void set_pieces(struct sweep *sweep)
{
    uint64_t groups = (sweep->channels + 31) / 32;
    uint64_t together =
        1 + (UNIT_INSTRUCTIONS - 1) / (STEP_INSTRUCTIONS * sweep->steps);
    uint64_t few = (sweep->values * groups + UNITS_MAX - 1) / UNITS_MAX;

    together = few > together ? few : together;
    sweep->pieces = (groups + together - 1) / together;
}

static int parse_sweep(struct sweep *sweep, char *text)
{
    static char *const keys[] = {"voltage", "base", "channels", "steps",
                                 "peak",    "seed", NULL};
    char *rest = text;
    int status = 0;

    while (*rest != '\0' && status == 0) {
        char *value = NULL;
        int key = getsubopt(&rest, keys, &value);

        status = set_key(sweep, key, value);
    }
    if (status != 0) {
        return status;
    }
    if (sweep->values == 0) {
        return format_key_error("voltage", "", "is required; " VOLTAGE_ALLOWED);
    }
    if (sweep->peak == 0) {
        sweep->peak = (sweep->steps * 6 + 9) / 10;
    }
    if (sweep->peak > sweep->steps) {
        char value[24];

        snprintf(value, sizeof value, "%" PRIu64, sweep->peak);
        return format_key_error("peak", value,
                                "must be 1 to the number of steps");
    }
    set_pieces(sweep);
    return 0;
}

static void fill_load(struct format_load *load, const struct sweep *sweep)
{
    uint64_t lead = (sweep->steps - sweep->peak) / 2;
    uint8_t *arg = memory_or_exit(malloc(ARG_BYTES));

    load->arg = arg;
    load->context = memory_or_exit(malloc(sizeof *sweep));
    memcpy(load->context, sweep, sizeof *sweep);
    kernel_store_u32(arg, (uint32_t)sweep->values);
    kernel_store_u32(arg + 4, (uint32_t)sweep->pieces);
    kernel_store_u32(arg + 8, (uint32_t)sweep->first_nv);
    kernel_store_u32(arg + 12, (uint32_t)sweep->last_nv);
    kernel_store_u32(arg + 16, (uint32_t)sweep->base_nv);
    kernel_store_u32(arg + 20, (uint32_t)sweep->channels);
    kernel_store_u32(arg + 24, (uint32_t)sweep->steps);
    kernel_store_u32(arg + 28, (uint32_t)lead);
    kernel_store_u32(arg + 32, (uint32_t)sweep->peak);
    kernel_store_u32(arg + 36, load->wants_output);
    kernel_store_u64(arg + 40, sweep->seed);
    load->arg_bytes = ARG_BYTES;
    load->units = sweep->values * sweep->pieces;
}

static int read_channels(struct format_load *load, const char *path,
                         const uint8_t *arg, uint32_t arg_bytes)
{
    struct sweep sweep = {
        .base_nv = -80000000, .channels = 10000, .steps = 1000};
    char *text = memory_or_exit(strdup((const char *)arg));
    int status = parse_sweep(&sweep, text);

    (void)path;
    (void)arg_bytes;
    free(text);
    if (status == 0) {
        fill_load(load, &sweep);
    }
    return status;
}

/* ---- the output ---- */

/* All pieces of one value. */
struct point {
    int64_t voltage_nv;
    uint64_t at_peak;
    uint64_t at_base;
    uint64_t squares;
};

/* As the kernel has it. */
static int64_t voltage_of(const struct sweep *sweep, uint64_t value)
{
    int64_t span = sweep->last_nv - sweep->first_nv;
    int64_t last = (int64_t)sweep->values - 1;

    if (last == 0) {
        return sweep->first_nv;
    }
    return span < 0 ? sweep->last_nv - span * (last - (int64_t)value) / last
                    : sweep->first_nv + span * (int64_t)value / last;
}

/* Millionths of a quotient, the half away from 0: "-1.250000". */
static void print_millionths(FILE *out, int64_t dividend, int64_t divisor)
{
    uint64_t magnitude = (uint64_t)(dividend < 0 ? -dividend : dividend);
    uint64_t by = (uint64_t)divisor;
    uint64_t value = magnitude / by;

    value += magnitude % by >= by - magnitude % by;
    fprintf(out, ",%s%" PRIu64 ".%06" PRIu64,
            dividend < 0 && value > 0 ? "-" : "", value / 1000000,
            value % 1000000);
}

/*
 * The standard deviation of the mean current, in millionths of a pA, cut off:
 * (B squares - sum^2) / (B - 1) is that of the sum, from how its B parts of 16
 * channels differ.
 */
static void print_deviation(FILE *out, const struct sweep *sweep,
                            const struct point *point)
{
    uint64_t parts = sweep->channels / 16;
    int64_t drive = point->voltage_nv - REVERSAL_NV;
    mpz_t value;
    mpz_t other;

    mpz_init_set_ui(value, point->squares);
    mpz_init_set_ui(other, point->at_peak);
    mpz_mul_ui(value, value, parts);
    mpz_submul(value, other, other);
    mpz_set_si(other, drive);
    mpz_mul(value, value, other);
    mpz_mul(value, value, other);
    mpz_set_ui(other, NV_OF_UPA * sweep->peak);
    mpz_mul(other, other, other);
    mpz_mul_ui(other, other, parts - 1);
    mpz_tdiv_q(value, value, other);
    mpz_sqrt(value, value);
    print_millionths(out, (int64_t)mpz_get_ui(value), 1);
    mpz_clear(value);
    mpz_clear(other);
}

static void print_point(FILE *out, const struct sweep *sweep,
                        const struct point *point)
{
    int64_t drive = point->voltage_nv - REVERSAL_NV;
    int64_t peak = (int64_t)sweep->peak;
    uint64_t magnitude = (uint64_t)(point->voltage_nv < 0 ? -point->voltage_nv
                                                          : point->voltage_nv);

    fprintf(out, "%s%" PRIu64 ".%06" PRIu64, point->voltage_nv < 0 ? "-" : "",
            magnitude / 1000000, magnitude % 1000000);
    print_millionths(out, (int64_t)point->at_peak * 1000000,
                     (int64_t)sweep->channels * peak);
    print_millionths(out, (int64_t)point->at_peak * drive, NV_OF_UPA * peak);
    print_deviation(out, sweep, point);
    print_millionths(out,
                     (int64_t)point->at_peak * drive +
                         (int64_t)point->at_base *
                             (sweep->base_nv - REVERSAL_NV),
                     NV_STEPS_OF_UFC);
    fputc('\n', out);
}

static void print_points(FILE *out, const struct sweep *sweep,
                         const uint8_t *at)
{
    fputs("voltage_mV,open_fraction,mean_pA,sd_pA,charge_fC\n", out);
    for (uint64_t value = 0; value < sweep->values; ++value) {
        struct point point = {.voltage_nv = voltage_of(sweep, value)};

        for (uint64_t i = 0; i < sweep->pieces; ++i) {
            point.at_peak += kernel_load_u64(at);
            point.at_base += kernel_load_u64(at + 8);
            point.squares += kernel_load_u64(at + 16);
            at += UNIT_OUTPUT_BYTES;
        }
        print_point(out, sweep, &point);
    }
}

static int write_channels(FILE *out, const struct format_load *load,
                          const char *path, const uint8_t *output,
                          uint64_t bytes)
{
    const struct sweep *sweep = (const struct sweep *)load->context;

    if (bytes != load->units * UNIT_OUTPUT_BYTES) {
        return file_error(path, "the output is not complete");
    }
    print_points(out, sweep, output);
    return 0;
}

const struct format format_channels = {
    .kernel = "channels",
    .example = "voltage=-80:40:25",
    .done = "simulated",
    .argument =
        "voltage=FIRST:LAST:COUNT in mV, and optionally base=-80 (mV), "
        "channels=10000 (a multiple of 16), steps=1000 (of 10 us), peak=600 "
        "(steps at that voltage; 60 % if not given), seed=0",
    .output = "CSV: voltage, open fraction, mean current and its standard "
              "deviation, charge",
    .suffixes = "csv txt",
    .read = read_channels,
    .write = write_channels};
