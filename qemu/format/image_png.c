/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/image_png.h"

#include "qemu/base/file.h"

#include <png.h>

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Variables that must be valid after a longjmp() out of libpng. */
struct reader {
    png_structp png;
    png_infop info;
    struct image *image;
    const uint8_t *data;
    size_t bytes;
    size_t at;
    char reason[160];
};

/* libpng calls this at an error. Stores the reason and jumps back. */
static void fail(png_structp png, png_const_charp reason)
{
    struct reader *reader = png_get_error_ptr(png);

    snprintf(reader->reason, sizeof reader->reason, "%s", reason);
    png_longjmp(png, 1);
}

/* libpng calls this for a warning. Warnings do not concern samples. */
static void ignore(png_structp png, png_const_charp reason)
{
    (void)png;
    (void)reason;
}

static void read_bytes(png_structp png, png_bytep out, size_t bytes)
{
    struct reader *reader = png_get_io_ptr(png);

    if (reader->bytes - reader->at < bytes) {
        reader->at = reader->bytes;
        png_error(png, "the file ends within the image");
    }
    memcpy(out, reader->data + reader->at, bytes);
    reader->at += bytes;
}

/* Returns whether an image has transparent colours. A palette may say of all
   its colours that they are opaque. */
static bool is_transparent(png_structp png, png_infop info)
{
    png_bytep alpha = NULL;
    int count = 0;

    if (png_get_tRNS(png, info, &alpha, &count, NULL) == 0) {
        return false;
    }
    for (int i = 0; alpha != NULL && i < count; ++i) {
        if (alpha[i] < 255) {
            return true;
        }
    }
    return png_get_color_type(png, info) != PNG_COLOR_TYPE_PALETTE;
}

static const char *refusal(png_structp png, png_infop info)
{
    if (png_get_bit_depth(png, info) > 8) {
        return "16 bits a sample; 8 at most are allowed";
    }
    if ((png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA) != 0) {
        return "the image has an alpha channel; only grey and RGB are allowed";
    }
    if (is_transparent(png, info)) {
        return "the image has transparent colours; only opaque ones are "
               "allowed";
    }
    return NULL;
}

static void read_rows(struct reader *reader)
{
    png_structp png = reader->png;
    struct image *image = reader->image;
    int passes = png_set_interlace_handling(png);

    png_read_update_info(png, reader->info);
    for (int pass = 0; pass < passes; ++pass) {
        for (uint32_t y = 0; y < image->height; ++y) {
            png_read_row(png,
                         image->samples +
                             (size_t)y * image->width * image->channels,
                         NULL);
        }
    }
    png_read_end(png, NULL);
}

static bool read_image(struct reader *reader)
{
    png_structp png = reader->png;
    const char *reason;
    uint32_t channels;

    if (setjmp(png_jmpbuf(png)) != 0) {
        return false;
    }
    png_set_read_fn(png, reader, read_bytes);
    png_read_info(png, reader->info);
    reason = refusal(png, reader->info);
    if (reason != NULL) {
        png_error(png, reason);
    }
    png_set_palette_to_rgb(png);
    png_set_strip_alpha(png);
    png_set_expand_gray_1_2_4_to_8(png);
    channels =
        (png_get_color_type(png, reader->info) & PNG_COLOR_MASK_COLOR) != 0 ? 3
                                                                            : 1;
    reason =
        image_allocate(reader->image, png_get_image_width(png, reader->info),
                       png_get_image_height(png, reader->info), channels);
    if (reason != NULL) {
        png_error(png, reason);
    }
    read_rows(reader);
    return true;
}

int image_png_read(struct image *image, const char *path, const uint8_t *data,
                   size_t bytes)
{
    struct reader reader = {.image = image,
                            .data = data,
                            .bytes = bytes,
                            .reason = "no memory for libpng"};
    bool read = false;

    reader.png =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, fail, ignore);
    if (reader.png != NULL) {
        reader.info = png_create_info_struct(reader.png);
        read = reader.info != NULL && read_image(&reader);
    }
    png_destroy_read_struct(&reader.png, &reader.info, NULL);
    return read ? 0
                : file_error(path, "byte %zu: %s", reader.at, reader.reason);
}

int image_png_write(FILE *out, const struct image *image, const char *path)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = image->width,
                     .height = image->height,
                     .format = image->channels == 1 ? PNG_FORMAT_GRAY
                                                    : PNG_FORMAT_RGB};

    /* libpng fails on write errors, too; the caller finds them when it closes
       the file. */
    return png_image_write_to_stdio(&png, out, 0, image->samples, 0, NULL) !=
                       0 ||
                   ferror(out) != 0
               ? 0
               : file_error(path, "%s", png.message);
}
