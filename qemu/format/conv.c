/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes images for kernels/conv.c; the load has one plane of colour
 * after the other, the context alpha. --arg is one of
 *
 *    filter=NAME                        one of the filters below
 *    median=SIDE                        the median of a square
 *    coefficients=C:C:...[,divisor=D|,shift=S][,offset=O]
 *                                       9, 25 or 49, row by row from the top
 *                                       left
 *
 * and any of border, alpha, quality, pixels. With S the sum of a sample's
 * neighbours times the coefficients, the sample becomes
 * floor((S + floor(D / 2)) / D) + O, limited to what its bits hold.
 */
#include "qemu/format/format.h"

#include "hal/bytes.h"
#include "qemu/format/image_file.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TAPS_MAX 49
#define SHIFT_MAX 20
#define ARG_BYTES_MAX (20u + 2u * TAPS_MAX)
#define OFFSET_MAX 65535

struct filter {
    const char *name; /* NULL: --arg gives the coefficients */
    bool sobel;
    int taps; /* coefficients: 9, 25, 49; 0: not yet given */
    int16_t coefficient[TAPS_MAX];
    uint32_t divisor;
    int32_t offset;
};

static const struct filter filters[] = {
    {"sobel", true, 9, {0}, 1, 0},
    {"gauss", false, 9, {1, 2, 1, 2, 4, 2, 1, 2, 1}, 16, 0},
    {"gauss3", false, 9, {1, 2, 1, 2, 4, 2, 1, 2, 1}, 16, 0},
    {"gauss5",
     false,
     25,
     {1,  4, 6, 4,  1,  4,  16, 24, 16, 4, 6, 24, 36,
      24, 6, 4, 16, 24, 16, 4,  1,  4,  6, 4, 1},
     256,
     0},
    {"sharpen", false, 9, {0, -1, 0, -1, 5, -1, 0, -1, 0}, 1, 0},
};

static const char *filter_choice(size_t index)
{
    return index < sizeof filters / sizeof *filters ? filters[index].name
                                                    : NULL;
}

/* ---- the argument ---- */

struct arg {
    struct filter filter;
    uint8_t named; /* index in `filters`; NONE */
    uint8_t shift;
    uint8_t border; /* as kernels/conv.c has it */
    bool drop_alpha;
    uint8_t median;  /* side of the square; 0: none */
    uint8_t quality; /* 0: not given */
    uint32_t pixels;
};

#define NONE 255

static const char *read_coefficients(struct filter *filter, const char *text)
{
    for (const char *at = text;; ++at) {
        char *end;
        long value = strtol(at, &end, 10);

        if (filter->taps == TAPS_MAX) {
            return "must be 9, 25 or 49 coefficients, not more";
        }
        if (end == at || strspn(at, "-0123456789") != (size_t)(end - at) ||
            value != (int16_t)value || (*end != ':' && *end != '\0')) {
            return "must be whole numbers of -32768 to 32767, with colons "
                   "between them";
        }
        filter->coefficient[filter->taps++] = (int16_t)value;
        at = end;
        if (*at == '\0') {
            break;
        }
    }
    return filter->taps == 9 || filter->taps == 25 || filter->taps == TAPS_MAX
               ? NULL
               : "must be 9, 25 or 49 coefficients";
}

static int set_coefficients(void *field, const char *option, const char *text)
{
    return parse_report(option, text,
                        read_coefficients((struct filter *)field, text));
}

#define FIELD(name) OPTION_AT(struct arg, name)

static const struct option_row rows[] = {
    {"filter", "NAME", 0, OPTION_CHOICE, FIELD(named), .choice = filter_choice,
     .without = "coefficients median"},
    {"coefficients", "C:C:...", 0, OPTION_SET, FIELD(filter),
     .set = set_coefficients, .without = "median"},
    {"median", "SIDE", 0, OPTION_COUNT, FIELD(median), .choices = "3 5"},
    {"divisor", "D", 0, OPTION_COUNT, FIELD(filter.divisor), .least = 1,
     .most = 1 << SHIFT_MAX, .needs = "coefficients", .without = "shift"},
    {"shift", "S", 0, OPTION_COUNT, FIELD(shift), .most = SHIFT_MAX,
     .needs = "coefficients"},
    {"offset", "O", 0, OPTION_INTEGER, FIELD(filter.offset),
     .least = (uint64_t)-OFFSET_MAX, .most = OFFSET_MAX,
     .allowed = "must be -255 to 255, or -65535 to 65535 for an image with 16 "
                "bits a sample",
     .needs = "coefficients"},
    {"border", "KIND", 0, OPTION_CHOICE, FIELD(border),
     .choices = "replicate reflect zero"},
    {"alpha", "keep|drop", 0, OPTION_CHOICE, FIELD(drop_alpha),
     .choices = "keep drop"},
    {"quality", "Q", 0, OPTION_COUNT, FIELD(quality), .least = 1, .most = 100},
    {"pixels", "N", 0, OPTION_COUNT, FIELD(pixels), .least = 1,
     .most = IMAGE_SAMPLES_MAX},
};

static int read_arg(struct arg *arg, struct format_load *load,
                    const uint8_t *text, uint32_t bytes)
{
    int status;

    *arg = (struct arg){
        .filter.divisor = 1, .named = NONE, .pixels = IMAGE_PIXELS_USUAL};
    status = format_parse_arg(load, OPTION_TABLE(rows), text, bytes, arg);
    if (status == 0 && arg->named == NONE && arg->filter.taps == 0 &&
        arg->median == 0) {
        status = usage_error("--arg needs filter=NAME or "
                             "coefficients=C:C:... or median=SIDE");
    }
    if (arg->named != NONE) {
        arg->filter = filters[arg->named];
    }
    arg->filter.divisor <<= arg->shift;
    return status;
}

/* Returns 0, or 2 after a message. */
static int check_offset(const struct arg *arg, const struct image *image)
{
    return abs(arg->filter.offset) <= (int)image_most(image)
               ? 0
               : usage_error("--arg: offset '%d': must be -255 to 255 for an "
                             "image with 8 bits a sample",
                             arg->filter.offset);
}

static uint32_t store_filter(uint8_t *out, const struct arg *arg,
                             const struct image *image)
{
    const struct filter *filter = &arg->filter;

    memset(out, 0, ARG_BYTES_MAX);
    out[0] = arg->median != 0     ? arg->median
             : filter->taps == 9  ? 3
             : filter->taps == 25 ? 5
                                  : 7;
    out[1] = arg->median != 0 ? 2 : filter->sobel;
    out[2] = arg->border;
    bytes_store_u32(out + 4, image->width);
    bytes_store_u32(out + 8, image->height);
    if (out[1] != 0) {
        return 12;
    }
    bytes_store_u32(out + 12, (uint32_t)filter->offset);
    bytes_store_u32(out + 16, filter->divisor);
    for (int i = 0; i < filter->taps; ++i) {
        bytes_store_u16(out + 20 + 2 * i, (uint16_t)filter->coefficient[i]);
    }
    return 20 + 2 * (uint32_t)filter->taps;
}

/* ---- the image ---- */

/* Copies a channel of one image to a channel of another. */
static void copy_channel(struct image *to, uint32_t to_channel,
                         const struct image *from, uint32_t from_channel)
{
    for (size_t i = 0; i < image_pixels(from); ++i) {
        image_store(to, i * to->channels + to_channel,
                    image_sample(from, i * from->channels + from_channel));
    }
}

/* Returns plane `i`, one of colour or of alpha, of an image that has one plane
   after the other. */
static struct image plane_of(const struct image *image, uint8_t *planes,
                             uint32_t i)
{
    struct image plane = *image;

    plane.channels = 1;
    plane.samples = planes + i * image_pixels(image) * image->bytes;
    return plane;
}

static bool is_opaque(const struct image *image)
{
    size_t end = image_pixels(image) * image->channels;
    size_t i = image->channels - 1;

    while (i < end && image_sample(image, i) == image_most(image)) {
        i += image->channels;
    }
    return i >= end;
}

/* Returns whether the output has the image's alpha, and says so. */
static bool keep_alpha(struct format_load *load, const struct image *image,
                       const struct arg *arg, const char *path)
{
    bool keep = false;

    if (!image_has_alpha(image)) {
        return false;
    }
    if (arg->drop_alpha) {
        format_note(load, "%s: its alpha channel is left out.",
                    file_name(path));
    } else if (is_opaque(image)) {
        format_note(load,
                    "%s: its alpha channel, opaque everywhere, is left out.",
                    file_name(path));
    } else {
        format_note(load,
                    "%s: its alpha channel is carried through unchanged; "
                    "alpha=drop leaves it out.",
                    file_name(path));
        keep = true;
    }
    return keep;
}

/* Fills in the load with the image's planes; its units are those of colour,
   behind which that of alpha lies for write(). */
static void fill_load(struct format_load *load, const struct image *image,
                      const struct arg *arg, const char *path)
{
    uint32_t colours = (image->channels - 1) | 1; /* 1 or 3 */
    struct image *output = memory_or_exit(malloc(sizeof *output));

    *output = *image;
    output->samples = NULL;
    output->channels = colours + keep_alpha(load, image, arg, path);
    load->context = output;
    load->units = (uint64_t)image_pixels(image) * colours;
    load->unit_bytes = image->bytes;
    load->data = memory_or_exit(
        malloc(output->channels * image_pixels(image) * image->bytes));
    load->arg = memory_or_exit(malloc(ARG_BYTES_MAX));
    load->arg_bytes = store_filter(load->arg, arg, image);
    for (uint32_t i = 0; i < output->channels; ++i) {
        struct image plane = plane_of(image, load->data, i);

        copy_channel(&plane, 0, image, i);
    }
}

static int read_conv(struct format_load *load, const char *path,
                     const uint8_t *text, uint32_t bytes)
{
    struct arg arg;
    int status = read_arg(&arg, load, text, bytes);
    struct image image = {.pixels_max = arg.pixels, .quality = arg.quality};

    status = status == 0 ? image_read(&image, load, path) : status;
    status = status == 0 ? check_offset(&arg, &image) : status;
    if (status == 0) {
        fill_load(load, &image, &arg, path);
    }
    free(image.samples);
    return status;
}

static int check_conv(const struct format_load *load, const char *path)
{
    return image_check_name(load->context, path);
}

static int write_conv(FILE *out, const struct format_load *load,
                      const char *path, const uint8_t *output, uint64_t bytes)
{
    struct image image = *(const struct image *)load->context;
    uint32_t colours = (image.channels - 1) | 1;
    const char *wrong = bytes != load->units * load->unit_bytes
                            ? "the output is not as long as the image"
                            : image_allocate(&image, image.width, image.height,
                                             image.channels, image.bytes);
    int status;

    if (wrong != NULL) {
        return file_error(path, "%s", wrong);
    }
    for (uint32_t i = 0; i < image.channels; ++i) {
        struct image plane = plane_of(
            &image, i < colours ? (uint8_t *)(uintptr_t)output : load->data, i);

        copy_channel(&image, i, &plane, 0);
    }
    status = image_write(out, &image, path);
    free(image.samples);
    return status;
}

const struct format format_conv = {
    .kernel = "conv",
    .example = "filter=sobel",
    .done = "filtered",
    .argument =
        "filter=sobel, gauss, gauss3, gauss5 or sharpen; or median=3 or 5; or "
        "coefficients=C:C:..., 9, 25 or 49 of them row by row, then ,divisor=D "
        "or ,shift=S, and ,offset=O; with any of them "
        "border=replicate|reflect|zero, alpha=keep|drop, quality=90 "
        "for JPEG, pixels=N, the most that are read",
    .input = "PNG, PNM, PAM, JPEG or TIFF; grey or RGB, 8 or 16 bits, alpha",
    .output = "an image: .png, .pgm, .ppm, .pnm, .pam, .tif, .jpg, or of "
              "INPUT's kind",
    .read = read_conv,
    .check = check_conv,
    .write = write_conv,
};
