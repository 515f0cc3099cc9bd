/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the kernel `channels` has computed as CSV, one line for each
   voltage of a sweep. The job has no INPUT. The current of an open ion channel
   is its conductance times the distance of the voltage from REVERSAL_NV. A step
   lasts 10 us. All numbers are exact integers until they are printed with six
   decimals. */
#include "qemu/format/format.h"

#include "kernels/kernel.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARG_BYTES 48u
#define UNIT_OUTPUT_BYTES 24u
#define VALUES_MAX 1000000u
#define CHANNELS_MAX 100000u
#define STEPS_MAX 100000u
#define VOLTAGE_MAX_NV 200000000

/* A channel of 20 pS (picosiemens) carries 2e-8 pA for each nV, which is 2e-10
   fC in a step of 10 us. So 50 nV give 1e-6 pA, and 5000 nV give 1e-6 fC a
   step. */
#define REVERSAL_NV 60000000
#define NV_OF_UPA 50
#define NV_STEPS_OF_UFC 5000

/* A unit should take at least UNIT_INSTRUCTIONS, and a load have at most
   UNITS_MAX units. A step of 32 channels takes about STEP_INSTRUCTIONS. */
#define UNIT_INSTRUCTIONS 100000u
#define UNITS_MAX (1u << 18)
#define STEP_INSTRUCTIONS 260u

__extension__ typedef unsigned __int128 wide;

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

/* Reads a voltage such as "-12.5", in mV. The character `end` must follow it;
 *text is moved behind that. Returns whether the voltage is valid. */
static bool read_voltage(int64_t *voltage_nv, const char **text, char end)
{
    size_t bytes = strspn(*text, "-.0123456789"); /* no exponents, no names */
    char *after;
    long double value = 1e6L * strtold(*text, &after);
    bool good = after != *text && after == *text + bytes && *after == end &&
                fabsl(value) <= VOLTAGE_MAX_NV &&
                fabsl(value - rintl(value)) < 1e-6L;

    *voltage_nv = good ? (int64_t)rintl(value) : 0;
    *text = after + (good && end != '\0');
    return good;
}

static int set_voltage(void *field, const char *option, const char *text)
{
    struct sweep *sweep = (struct sweep *)field;
    const char *at = text;
    bool good = read_voltage(&sweep->first_nv, &at, ':') &&
                read_voltage(&sweep->last_nv, &at, ':') &&
                parse_count(at, &sweep->values) == NULL && sweep->values > 0 &&
                sweep->values <= VALUES_MAX &&
                (sweep->values > 1 || sweep->first_nv == sweep->last_nv);

    return parse_report(
        option, text,
        good ? NULL
             : "must be FIRST:LAST:COUNT, voltages of -200 to 200 mV with up "
               "to 6 decimals, COUNT 1 to 1000000 (1 only if both are the "
               "same)");
}

static int set_base(void *field, const char *option, const char *text)
{
    const char *at = text;

    return parse_report(option, text,
                        read_voltage((int64_t *)field, &at, '\0')
                            ? NULL
                            : "must be -200 to 200 mV, up to 6 decimals");
}

static int set_channels(void *field, const char *option, const char *text)
{
    uint64_t *channels = (uint64_t *)field;
    bool good = parse_count(text, channels) == NULL && *channels >= 32 &&
                *channels <= CHANNELS_MAX && *channels % 16 == 0;

    return parse_report(option, text,
                        good ? NULL : "must be a multiple of 16, 32 to 100000");
}

#define PEAK_ALLOWED "must be 1 to the number of steps"

#define FIELD(name) OPTION_AT(struct sweep, name)

static const struct option_row rows[] = {
    {"voltage", "FIRST:LAST:COUNT", 0, OPTION_SET, OPTION_ALL,
     .set = set_voltage, .required = true},
    {"base", "MV", 0, OPTION_SET, FIELD(base_nv), .set = set_base},
    {"channels", "N", 0, OPTION_SET, FIELD(channels), .set = set_channels},
    {"steps", "N", 0, OPTION_COUNT, FIELD(steps), .least = 1,
     .most = STEPS_MAX},
    {"peak", "N", 0, OPTION_COUNT, FIELD(peak), .least = 1, .most = STEPS_MAX,
     .allowed = PEAK_ALLOWED},
    {"seed", "N", 0, OPTION_COUNT, FIELD(seed), .most = UINT64_MAX,
     .allowed = "must be 0 to 2^64 - 1"},
};

/* Sets how many units of the load compute one voltage. A unit has a whole
   number of groups of 32 channels. */
static void set_pieces(struct sweep *sweep)
{
    uint64_t groups = (sweep->channels + 31) / 32;
    uint64_t together =
        1 + (UNIT_INSTRUCTIONS - 1) / (STEP_INSTRUCTIONS * sweep->steps);
    uint64_t few = (sweep->values * groups + UNITS_MAX - 1) / UNITS_MAX;

    together = few > together ? few : together;
    sweep->pieces = (groups + together - 1) / together;
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
    int status =
        format_parse_arg(load, OPTION_TABLE(rows), arg, arg_bytes, &sweep);

    (void)path;
    if (status != 0) {
        return status;
    }
    if (sweep.peak == 0) {
        sweep.peak = (sweep.steps * 6 + 9) / 10;
    }
    if (sweep.peak > sweep.steps) {
        return usage_error("--arg: peak '%" PRIu64 "': " PEAK_ALLOWED,
                           sweep.peak);
    }
    set_pieces(&sweep);
    fill_load(load, &sweep);
    return 0;
}

/* ---- the output ---- */

struct point {
    int64_t voltage_nv;
    uint64_t at_peak;
    uint64_t at_base;
    uint64_t squares;
};

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

/* Prints `before` and a quotient with six decimals: ",-1.250000". Halves are
   rounded away from 0. */
static void print_millionths(FILE *out, const char *before, int64_t dividend,
                             int64_t divisor)
{
    uint64_t magnitude = (uint64_t)(dividend < 0 ? -dividend : dividend);
    uint64_t by = (uint64_t)divisor;
    uint64_t value = magnitude / by;

    value += magnitude % by >= by - magnitude % by;
    fprintf(out, "%s%s%" PRIu64 ".%06" PRIu64, before,
            dividend < 0 && value > 0 ? "-" : "", value / 1000000,
            value % 1000000);
}

/* Returns the standard deviation of the mean current in millionths of a pA,
   rounded down. Channels form B batches of 16. If S is the sum of the batches'
   values and Q the sum of their squares, the variance of S is (B Q - S^2) / (B
   - 1). B is at most 6250 and a value at most 1600000, so 123 bits hold all
   terms. */
static int64_t deviation_of(const struct sweep *sweep,
                            const struct point *point)
{
    uint64_t parts = sweep->channels / 16;
    wide drive = (wide)(point->voltage_nv - REVERSAL_NV);
    wide unit = NV_OF_UPA * sweep->peak;
    wide square =
        ((wide)parts * point->squares - (wide)point->at_peak * point->at_peak) *
        drive * drive / (unit * unit * (parts - 1));
    uint64_t root = (uint64_t)sqrtl((long double)square);

    while ((wide)root * root > square) {
        root -= 1;
    }
    while ((wide)(root + 1) * (root + 1) <= square) {
        root += 1;
    }
    return (int64_t)root;
}

static void print_point(FILE *out, const struct sweep *sweep,
                        const struct point *point)
{
    int64_t drive = point->voltage_nv - REVERSAL_NV;
    int64_t peak = (int64_t)sweep->peak;

    print_millionths(out, "", point->voltage_nv, 1);
    print_millionths(out, ",", (int64_t)point->at_peak * 1000000,
                     (int64_t)sweep->channels * peak);
    print_millionths(out, ",", (int64_t)point->at_peak * drive,
                     NV_OF_UPA * peak);
    print_millionths(out, ",", deviation_of(sweep, point), 1);
    print_millionths(out, ",",
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
