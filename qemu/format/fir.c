/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes sounds for the kernel `fir`. The filter's taps are designed
 * here, or come from a text file.
 *
 * The design is a windowed sinc. Frequencies are fractions of half the sample
 * rate. A filter of T taps that lets LO to HI pass has the taps, for k = 0 .. T
 * - 1,
 *
 *   w[k] (HI sinc(HI m) - LO sinc(LO m)),  m = k - (T - 1) / 2,
 *   w[k] = 0.54 - 0.46 cos(2 pi k / (T - 1)),
 *
 * all divided by the filter's gain: that at 0 for a low pass, at half the
 * sample rate for a high pass, else in the middle of the band.
 */
#include "qemu/format/format.h"
#include "qemu/format/sound.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAPS_MIN 3u
#define TAPS_MAX 1000u /* as in kernels/fir.c */
#define TAPS_DEFAULT 33u
#define Q15 32768.0
#define BETWEEN " \t,;[](){}" /* characters between taps */

/* What --arg asks for; 0 or NULL: not given. */
struct design {
    struct band {
        double low;  /* lowest frequency that passes, Hz; 0: all below `high` */
        double high; /* highest frequency that passes, Hz; 0: all above `low` */
    } band;
    uint32_t taps;
    const char *file;
};

/* ---- --arg ---- */

/* Reads a positive number up to the character `end`. Returns the text from
   there on, or NULL. */
static const char *read_hertz(double *value, const char *text, char end)
{
    char *after;

    *value = strtod(text, &after);
    return after != text && *after == end && isfinite(*value) && *value > 0
               ? after
               : NULL;
}

static int set_hertz(void *field, const char *option, const char *text)
{
    return parse_report(option, text,
                        read_hertz((double *)field, text, '\0') != NULL
                            ? NULL
                            : "must be a frequency in Hz");
}

static int set_band(void *field, const char *option, const char *text)
{
    struct band *band = (struct band *)field;
    const char *colon = read_hertz(&band->low, text, ':');
    bool good = colon != NULL &&
                read_hertz(&band->high, colon + 1, '\0') != NULL &&
                band->low < band->high;

    return parse_report(option, text,
                        good ? NULL
                             : "must be two ascending frequencies in Hz, "
                               "LO:HI");
}

#define FIELD(name) OPTION_AT(struct design, name)

static const struct option_row rows[] = {
    {"low", "HZ", 0, OPTION_SET, FIELD(band.high), .set = set_hertz,
     .without = "high band file"},
    {"high", "HZ", 0, OPTION_SET, FIELD(band.low), .set = set_hertz,
     .without = "band file"},
    {"band", "LO:HI", 0, OPTION_SET, FIELD(band), .set = set_band,
     .without = "file"},
    {"file", "TAPS", 0, OPTION_TEXT, FIELD(file), .least = 1,
     .allowed = "must name a file", .without = "taps"},
    {"taps", "N", 0, OPTION_COUNT, FIELD(taps), .least = TAPS_MIN,
     .most = TAPS_MAX},
};

#define ARGUMENT                                                               \
    "low=HZ, high=HZ or band=LO:HI, with ,taps=N (3 to 1000, default 33), or " \
    "file=TAPS, a text of numbers from -1 to below 1"

static int read_design(struct design *design, struct format_load *load,
                       const uint8_t *arg, uint32_t arg_bytes)
{
    int status =
        format_parse_arg(load, OPTION_TABLE(rows), arg, arg_bytes, design);

    if (status != 0) {
        return status;
    }
    if (design->band.low == 0 && design->band.high == 0 &&
        design->file == NULL) {
        return usage_error("--arg: must be " ARGUMENT);
    }
    if (design->band.low > 0 && design->band.high == 0 &&
        design->taps % 2 == 0 && design->taps != 0) {
        return usage_error("--arg: taps '%" PRIu32 "': must be odd with high: "
                           "an even number of taps lets nothing of half the "
                           "rate pass",
                           design->taps);
    }
    design->taps = design->taps == 0 ? TAPS_DEFAULT : design->taps;
    return 0;
}

/* ---- taps ---- */

/* Adds a tap to the kernel's argument. Returns false if 16 bits (Q15) cannot
   hold it. */
static bool add_tap(struct format_load *load, double value)
{
    double scaled = round(value * Q15);
    uint16_t bits;

    if (!(scaled >= -Q15 && scaled < Q15)) {
        return false;
    }
    bits = (uint16_t)(int16_t)scaled;
    load->arg[load->arg_bytes] = (uint8_t)bits;
    load->arg[load->arg_bytes + 1] = (uint8_t)(bits >> 8);
    load->arg_bytes += 2;
    return true;
}

static double sinc(double x)
{
    return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x);
}

/* Designs taps that let frequencies from `low` to `high` pass, with a gain of 1
   at `middle`. All three are fractions of half the sample rate. */
static void design_taps(double tap[TAPS_MAX], uint32_t taps, double low,
                        double high, double middle)
{
    double gain = 0;

    for (uint32_t k = 0; k < taps; ++k) {
        double m = k - 0.5 * (taps - 1);
        double window = 0.54 - 0.46 * cos(2 * M_PI * k / (taps - 1));

        tap[k] = window * (high * sinc(high * m) - low * sinc(low * m));
        gain += tap[k] * cos(M_PI * m * middle);
    }
    for (uint32_t k = 0; k < taps; ++k) {
        tap[k] /= gain;
    }
}

static int store_design(struct format_load *load, const struct design *design,
                        const struct sound *sound, const char *path)
{
    double half = 0.5 * sound->shape.rate;
    double low = design->band.low / half;
    double high = design->band.high / half;
    double tap[TAPS_MAX];

    if (half == 0) {
        return file_error(path, "header: the sample rate is 0 Hz or invalid; "
                                "low, high and band need one, file does not");
    }
    if (low >= 1 || high >= 1) {
        return usage_error("--arg: frequencies must be below %g Hz, half the "
                           "rate of %s",
                           half, file_name(path));
    }
    high = high == 0 ? 1 : high;
    design_taps(tap, design->taps, low, high,
                low == 0    ? 0
                : high == 1 ? 1
                            : 0.5 * (low + high));
    for (uint32_t k = 0; k < design->taps; ++k) {
        if (!add_tap(load, tap[k])) {
            return usage_error(
                "--arg: tap %u would be %.9g; Q15 holds -1 to below 1", k,
                tap[k]);
        }
    }
    return 0;
}

/* Refuses the tap from `text` up to `end`. */
static int bad_tap(const char *path, unsigned line, uint32_t tap,
                   const char *text, const char *end, const char *reason)
{
    return file_error(path, "line %u: tap %u is '%.*s'; %s", line, tap,
                      (int)(end - text), text, reason);
}

/* Parses numbers that blanks, commas, semicolons or brackets separate; # or %
   begins a comment. */
static int parse_taps(struct format_load *load, const char *text,
                      const char *path)
{
    const char *last = text; /* where the last tap begins */
    unsigned line = 1;

    for (;;) {
        uint32_t tap = load->arg_bytes / 2;
        char *after;
        const char *end;
        double value;

        text += strspn(text, BETWEEN);
        text += *text == '#' || *text == '%' ? strcspn(text, "\n") : 0;
        if (*text == '\0') {
            return tap > 0 ? 0 : file_error(path, "has no taps");
        }
        if (*text == '\n') {
            line += 1;
            text += 1;
            continue;
        }
        value = strtod(text, &after);
        end = text + strcspn(text, BETWEEN "#%\n");
        if (after != end) {
            return bad_tap(path, line, tap, text, end, "must be a number");
        }
        if (tap == TAPS_MAX) {
            return bad_tap(path, line, tap, text, end,
                           "at most 1000 are allowed, 0 to 999");
        }
        if (!add_tap(load, value)) {
            bool is_fraction = tap > 0 && text[-1] == ',' &&
                               last + strspn(last, "+-0") == text - 1;

            return is_fraction
                       ? bad_tap(path, line, tap - 1, last, end,
                                 "a comma separates taps; a fraction has a "
                                 "point")
                       : bad_tap(path, line, tap, text, end,
                                 "Q15 holds -1 to below 1");
        }
        last = text;
        text = after;
    }
}

static int read_taps(struct format_load *load, const char *path)
{
    struct text text;
    int status = format_read_text(load, &text, path);

    status = status == 0 ? text_check_narrow(&text, path) : status;
    if (status == 0) {
        text_end_lines(&text, false);
        text.data[text.bytes] = '\0';
        status = strlen((const char *)text.data) == text.bytes
                     ? parse_taps(load, (const char *)text.data, path)
                     : file_error(path, "is no text: it has zero bytes");
    }
    free(text.data);
    return status;
}

/* ---- files ---- */

static void store_sound(struct format_load *load, const struct sound *sound)
{
    struct sound_shape *shape = memory_or_exit(malloc(sizeof *shape));

    load->data = sound->data;
    load->units = sound->frames;
    load->unit_bytes = sound->frame_bytes;
    load->context = shape;
    load->arg = memory_or_exit(malloc(2 * TAPS_MAX + 1));
    *shape = sound->shape;
    for (uint64_t i = 0;
         sound->is_unsigned && i < sound->frames * sound->frame_bytes; ++i) {
        sound->data[i] ^= 0x80; /* the kernel's samples are signed */
    }
}

static int read_fir(struct format_load *load, const char *path,
                    const uint8_t *arg, uint32_t arg_bytes)
{
    struct design design = {.taps = 0};
    struct sound sound;
    int status = read_design(&design, load, arg, arg_bytes);

    status = status == 0 ? sound_read(&sound, load, path) : status;
    if (status != 0) {
        return status;
    }
    store_sound(load, &sound);
    status = design.file != NULL ? read_taps(load, design.file)
                                 : store_design(load, &design, &sound, path);
    if (status == 0 && sound.shape.sample_bytes != 2) {
        load->arg[load->arg_bytes++] = (uint8_t)sound.shape.sample_bytes;
    }
    return status;
}

static int check_fir(const struct format_load *load, const char *path)
{
    return sound_check(load, load->context, path);
}

static int write_fir(FILE *out, const struct format_load *load,
                     const char *path, const uint8_t *output, uint64_t bytes)
{
    return sound_write(out, path, output, bytes, load->context);
}

const struct format format_fir = {
    .kernel = "fir",
    .example = "low=1000",
    .done = "filtered",
    .argument = ARGUMENT,
    .input = SOUND_INPUT,
    .output = "a sound as INPUT is, or WAV, AIFF, AU, FLAC, CAF or W64 by "
              "OUTPUT's suffix",
    .suffixes = SOUND_SUFFIXES,
    .read = read_fir,
    .check = check_fir,
    .write = write_fir,
};
