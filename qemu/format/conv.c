/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images for kernels/conv.c: on the wire, one plane after the other. --arg is
 *
 *    filter=NAME                        one of the filters below
 *    coefficients=C:C:...[,divisor=D|,shift=S][,offset=O]
 *                                       9 or 25, row by row from the top left
 *
 * A sample becomes floor((sum + floor(D / 2)) / D) + O, limited to 0 .. 255.
 */
#include "qemu/format/format.h"

#include "hal/bytes.h"
#include "qemu/format/image_file.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TAPS_MAX 25
#define SHIFT_MAX 20
#define ARG_BYTES_MAX (20u + 2u * TAPS_MAX)

struct filter {
    const char *name; /* NULL: given by its coefficients */
    bool sobel;
    int taps; /* 0: not yet given */
    long coefficient[TAPS_MAX];
    long divisor; /* 0: not given */
    long offset;
};

static const struct filter filters[] = {
    {.name = "sobel", .sobel = true, .taps = 9},
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

#define ARGUMENT                                                               \
    "filter=sobel, gauss, gauss5 or sharpen; or coefficients=C:C:..., 9 or "   \
    "25 of them row by row, then ,divisor=D or ,shift=S, and ,offset=O"

/* ---- the argument ---- */

static const char *set_filter(struct filter *filter, const char *name)
{
    if (filter->taps != 0) {
        return "filter= or coefficients= must be given once";
    }
    for (size_t i = 0; name != NULL && i < sizeof filters / sizeof *filters;
         ++i) {
        if (strcmp(filters[i].name, name) == 0) {
            *filter = filters[i];
            return NULL;
        }
    }
    return "filter must be sobel, gauss, gauss5 or sharpen";
}

/* A whole number that ends at `end`, which it moves on; false if none. */
static bool parse_number(long *value, const char **text, long least, long most)
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

static const char *set_coefficients(struct filter *filter, const char *text)
{
    if (filter->taps != 0) {
        return "filter= or coefficients= must be given once";
    }
    for (const char *at = text; at != NULL; ++at) {
        if (filter->taps == TAPS_MAX) {
            return "there must be 9 or 25 coefficients, not more";
        }
        if (!parse_number(&filter->coefficient[filter->taps], &at, INT16_MIN,
                          INT16_MAX) ||
            (*at != ':' && *at != '\0')) {
            return "coefficients must be whole numbers of -32768 to 32767, "
                   "with colons between them";
        }
        filter->taps += 1;
        if (*at == '\0') {
            break;
        }
    }
    return filter->taps == 9 || filter->taps == 25
               ? NULL
               : "there must be 9 or 25 coefficients";
}

static const char *set_divisor(struct filter *filter, const char *text,
                               bool shift)
{
    if (filter->name != NULL || filter->divisor != 0) {
        return "divisor= or shift= may be given once, with coefficients=";
    }
    if (text == NULL ||
        !parse_number(&filter->divisor, &text, shift ? 0 : 1,
                      shift ? SHIFT_MAX : 1 << SHIFT_MAX) ||
        *text != '\0') {
        return shift ? "shift must be 0 to 20" : "divisor must be 1 to 1048576";
    }
    filter->divisor = shift ? 1 << filter->divisor : filter->divisor;
    return NULL;
}

static const char *set_offset(struct filter *filter, const char *text)
{
    if (filter->name != NULL || text == NULL ||
        !parse_number(&filter->offset, &text, -255, 255) || *text != '\0') {
        return "offset must be -255 to 255, with coefficients=";
    }
    return NULL;
}

/* Takes one key=value after the other; NULL, or what is wrong. */
static const char *set_all(struct filter *filter, char *text)
{
    enum key {
        FILTER,
        COEFFICIENTS,
        DIVISOR,
        SHIFT,
        OFFSET
    };
    char *const keys[] = {"filter", "coefficients", "divisor",
                          "shift",  "offset",       NULL};
    const char *wrong = NULL;

    while (wrong == NULL && *text != '\0') {
        char *value = NULL;

        switch (getsubopt(&text, keys, &value)) {
        case FILTER:
            wrong = set_filter(filter, value);
            break;
        case COEFFICIENTS:
            wrong = set_coefficients(filter, value);
            break;
        case DIVISOR:
            wrong = set_divisor(filter, value, false);
            break;
        case SHIFT:
            wrong = set_divisor(filter, value, true);
            break;
        case OFFSET:
            wrong = set_offset(filter, value);
            break;
        default:
            wrong = "must be " ARGUMENT;
        }
    }
    return wrong == NULL && filter->taps == 0 ? "must be " ARGUMENT : wrong;
}

static int read_filter(struct filter *filter, const uint8_t *arg,
                       uint32_t arg_bytes)
{
    char *text = memory_or_exit(strdup((const char *)arg));
    const char *wrong = "must be text";

    *filter = (struct filter){.name = NULL};
    if (strlen(text) == arg_bytes) {
        wrong = set_all(filter, text);
    }
    free(text);
    if (wrong != NULL) {
        return format_arg_error((const char *)arg, "%s", wrong);
    }
    filter->divisor = filter->divisor == 0 ? 1 : filter->divisor;
    return 0;
}

/* The kernel's form of it; the number of bytes. */
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

/* Takes pixels apart into planes, or puts them together again. */
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

/* The load has the image's planes, its context the shape. */
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
    int status = read_filter(&filter, arg, arg_bytes);

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
    .argument = ARGUMENT,
    .input = "PNG, PGM or PPM, 8-bit grey or RGB",
    .output = "an image: .png, .pgm, .ppm or .pnm",
    .read = read_conv,
    .check = check_conv,
    .write = write_conv,
};
