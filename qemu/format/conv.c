/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes images for kernels/conv.c. In the load, one plane (the
 * samples of a channel) comes after the other. --arg is
 *
 *    filter=NAME                        one of the filters below
 *    coefficients=C:C:...[,divisor=D|,shift=S][,offset=O]
 *                                       9 or 25, row by row from the top left
 *
 * If S is the sum of a sample's neighbours times the coefficients, the sample
 * becomes floor((S + floor(D / 2)) / D) + O, limited to 0 .. 255.
 */
#include "qemu/format/format.h"

#include "hal/bytes.h"
#include "qemu/format/image_file.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TAPS_MAX 25
#define SHIFT_MAX 20
#define ARG_BYTES_MAX (20u + 2u * TAPS_MAX)

struct filter {
    const char *name; /* NULL: --arg gives the coefficients */
    bool sobel;
    int taps; /* number of coefficients: 9 or 25; 0: not given so far */
    long coefficient[TAPS_MAX];
    long divisor;
    long offset;
};

static const struct filter filters[] = {
    {.name = "sobel", .sobel = true, .taps = 9, .divisor = 1},
    {.name = "gauss",
     .taps = 9,
     .coefficient = {1, 2, 1, 2, 4, 2, 1, 2, 1},
     .divisor = 16},
    {.name = "gauss5",
     .taps = 25,
     .coefficient = {1,  4, 6, 4,  1,  4,  16, 24, 16, 4, 6, 24, 36,
                     24, 6, 4, 16, 24, 16, 4,  1,  4,  6, 4, 1},
     .divisor = 256},
    {.name = "sharpen",
     .taps = 9,
     .coefficient = {0, -1, 0, -1, 5, -1, 0, -1, 0},
     .divisor = 1},
};

static const char *filter_choice(size_t index)
{
    return index < sizeof filters / sizeof *filters ? filters[index].name
                                                    : NULL;
}

/* ---- the argument ---- */

struct arg {
    struct filter filter;
    uint8_t named; /* index in `filters` */
    uint32_t shift;
};

static bool read_number(long *value, const char **text, long least, long most)
{
    char *end;

    if ((**text < '0' || **text > '9') && **text != '-') {
        return false;
    }
    errno = 0;
    *value = strtol(*text, &end, 10);
    if (end == *text || errno != 0 || *value < least || *value > most) {
        return false;
    }
    *text = end;
    return true;
}

static const char *read_coefficients(struct filter *filter, const char *text)
{
    for (const char *at = text;; ++at) {
        if (filter->taps == TAPS_MAX) {
            return "must be 9 or 25 coefficients, not more";
        }
        if (!read_number(&filter->coefficient[filter->taps], &at, INT16_MIN,
                         INT16_MAX) ||
            (*at != ':' && *at != '\0')) {
            return "must be whole numbers of -32768 to 32767, with colons "
                   "between them";
        }
        filter->taps += 1;
        if (*at == '\0') {
            break;
        }
    }
    return filter->taps == 9 || filter->taps == 25
               ? NULL
               : "must be 9 or 25 coefficients";
}

static int set_coefficients(void *field, const char *option, const char *text)
{
    return parse_report(option, text,
                        read_coefficients((struct filter *)field, text));
}

static int set_offset(void *field, const char *option, const char *text)
{
    const char *at = text;
    bool good = read_number((long *)field, &at, -255, 255) && *at == '\0';

    return parse_report(option, text, good ? NULL : "must be -255 to 255");
}

#define FIELD(name) OPTION_AT(struct arg, name)

static const struct option_row rows[] = {
    {"filter", "NAME", 0, OPTION_CHOICE, FIELD(named), .choice = filter_choice,
     .required = true, .instead = "coefficients", .without = "coefficients"},
    {"coefficients", "C:C:...", 0, OPTION_SET, FIELD(filter),
     .set = set_coefficients},
    {"divisor", "D", 0, OPTION_COUNT, FIELD(filter.divisor), .least = 1,
     .most = 1 << SHIFT_MAX, .needs = "coefficients", .without = "shift"},
    {"shift", "S", 0, OPTION_COUNT, FIELD(shift), .most = SHIFT_MAX,
     .needs = "coefficients"},
    {"offset", "O", 0, OPTION_SET, FIELD(filter.offset), .set = set_offset,
     .needs = "coefficients"},
};

static int read_filter(struct filter *filter, struct format_load *load,
                       const uint8_t *arg, uint32_t arg_bytes)
{
    struct arg values = {.filter.divisor = 1};
    int status =
        format_parse_arg(load, OPTION_TABLE(rows), arg, arg_bytes, &values);

    *filter = values.filter.taps != 0 ? values.filter : filters[values.named];
    filter->divisor <<= values.shift;
    return status;
}

static uint32_t store_filter(uint8_t *out, const struct filter *filter,
                             const struct image *image)
{
    long add = filter->divisor / 2 + filter->offset * filter->divisor;

    memset(out, 0, ARG_BYTES_MAX);
    out[0] = filter->taps == 9 ? 3 : 5;
    out[1] = filter->sobel;
    bytes_store_u32(out + 4, image->width);
    bytes_store_u32(out + 8, image->height);
    if (filter->sobel) {
        return 12;
    }
    bytes_store_u32(out + 12, (uint32_t)add);
    bytes_store_u32(out + 16, (uint32_t)filter->divisor);
    for (int i = 0; i < filter->taps; ++i) {
        bytes_store_u16(out + 20 + 2 * i, (uint16_t)filter->coefficient[i]);
    }
    return 20 + 2 * (uint32_t)filter->taps;
}

/* ---- the image ---- */

static void split_planes(uint8_t *plane, const struct image *image)
{
    size_t pixels = (size_t)image->width * image->height;

    for (size_t channel = 0; channel < image->channels; ++channel) {
        for (size_t i = 0; i < pixels; ++i) {
            *plane++ = image->samples[i * image->channels + channel];
        }
    }
}

static void join_planes(struct image *image, const uint8_t *plane)
{
    size_t pixels = (size_t)image->width * image->height;

    for (size_t channel = 0; channel < image->channels; ++channel) {
        for (size_t i = 0; i < pixels; ++i) {
            image->samples[i * image->channels + channel] = *plane++;
        }
    }
}

static void fill_load(struct format_load *load, const struct image *image,
                      const struct filter *filter)
{
    struct image *shape = memory_or_exit(malloc(sizeof *shape));

    load->context = shape;
    load->units = (uint64_t)image->width * image->height * image->channels;
    load->unit_bytes = 1;
    load->data = memory_or_exit(malloc((size_t)load->units));
    load->arg = memory_or_exit(malloc(ARG_BYTES_MAX));
    *shape = *image;
    shape->samples = NULL;
    split_planes(load->data, image);
    load->arg_bytes = store_filter(load->arg, filter, image);
}

static int read_conv(struct format_load *load, const char *path,
                     const uint8_t *arg, uint32_t arg_bytes)
{
    struct image image;
    struct filter filter;
    int status = read_filter(&filter, load, arg, arg_bytes);

    status = status == 0 ? image_read(&image, load, path) : status;
    if (status == 0) {
        fill_load(load, &image, &filter);
        free(image.samples);
    }
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
    const char *wrong =
        bytes != load->units
            ? "the output is not as long as the image"
            : image_allocate(&image, image.width, image.height, image.channels);
    int status;

    if (wrong != NULL) {
        return file_error(path, "%s", wrong);
    }
    join_planes(&image, output);
    status = image_write(out, &image, path);
    free(image.samples);
    return status;
}

const struct format format_conv = {
    .kernel = "conv",
    .example = "filter=sobel",
    .done = "filtered",
    .argument =
        "filter=sobel, gauss, gauss5 or sharpen; or coefficients=C:C:..., 9 or "
        "25 of them row by row, then ,divisor=D or ,shift=S, and ,offset=O",
    .input = "PNG, PGM or PPM, 8-bit grey or RGB",
    .output = "an image: .png, .pgm, .ppm or .pnm",
    .read = read_conv,
    .check = check_conv,
    .write = write_conv,
};
