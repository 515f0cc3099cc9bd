/* SPDX-License-Identifier: Apache-2.0 */
/* Palettes and grey of fewer bits become RGB and grey of 8 bits, and
   transparent colours an alpha channel, all without loss. */
#include "qemu/format/image.h"

#include "qemu/base/file.h"

#include <png.h>

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The variables that must outlive a longjmp() out of libpng. */
struct work {
    png_structp png;
    png_infop info;
    struct image *image;
    const uint8_t *data;
    size_t bytes;
    size_t at;
    bool whole; /* the file ends between two chunks, and so do all rows */
    bool rows;  /* all rows are read */
    char reason[160];
};

/* libpng calls this at an error. Stores the reason and jumps back. */
static void fail(png_structp png, png_const_charp reason)
{
    struct work *work = png_get_error_ptr(png);

    snprintf(work->reason, sizeof work->reason, "%s", reason);
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
    struct work *work = png_get_io_ptr(png);

    if (work->bytes - work->at < bytes) {
        /* The head of a chunk has 8 bytes. */
        work->whole = work->rows && work->at == work->bytes && bytes == 8;
        work->at = work->bytes;
        png_error(png, "the file ends within the image");
    }
    memcpy(out, work->data + work->at, bytes);
    work->at += bytes;
}

/* Allocates the image before libpng allocates its rows. */
static void allocate(const struct work *work)
{
    png_structp png = work->png;
    png_infop info = work->info;
    int type = png_get_color_type(png, info);
    bool colour = (type & PNG_COLOR_MASK_COLOR) != 0;
    bool alpha = (type & PNG_COLOR_MASK_ALPHA) != 0 ||
                 png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    const char *wrong = image_allocate(
        work->image, png_get_image_width(png, info),
        png_get_image_height(png, info), (colour ? 3u : 1u) + alpha,
        png_get_bit_depth(png, info) == 16 ? 2 : 1);

    if (wrong != NULL) {
        png_error(png, wrong);
    }
}

static void read_rows(struct work *work)
{
    png_structp png = work->png;
    struct image *image = work->image;
    int passes = png_set_interlace_handling(png);

    png_read_update_info(png, work->info);
    if (png_get_rowbytes(png, work->info) != image_row_bytes(image)) {
        png_error(png, "libpng's rows have another length");
    }
    for (int pass = 0; pass < passes; ++pass) {
        for (uint32_t y = 0; y < image->height; ++y) {
            png_read_row(png, image->samples + y * image_row_bytes(image),
                         NULL);
        }
    }
    work->rows = true;
    png_read_end(png, NULL);
}

/* Gives the indices beyond a palette's end, which some files have, a colour:
   grey, as other readers do. */
static void fill_palette(png_structp png, png_infop info)
{
    png_color all[256];
    png_colorp given;
    int colours = 1 << png_get_bit_depth(png, info);
    int count;

    if (png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE &&
        png_get_PLTE(png, info, &given, &count) != 0) {
        for (int i = 0; i < colours; ++i) {
            png_byte grey = (png_byte)i;

            all[i] = i < count ? given[i] : (png_color){grey, grey, grey};
        }
        png_set_PLTE(png, info, all, colours);
    }
}

/* Returns whether the image was read; if not, work->reason tells why. */
static bool read_image(struct work *work)
{
    png_structp png = work->png;

    if (setjmp(png_jmpbuf(png)) != 0) {
        return work->whole;
    }
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_read_fn(png, work, read_bytes);
    png_read_info(png, work->info);
    fill_palette(png, work->info);
    png_set_expand(png);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        png_set_swap(png);
    }
    allocate(work);
    read_rows(work);
    return true;
}

int image_png_read(struct image *image, struct format_load *load,
                   const char *path, uint8_t *data, size_t bytes)
{
    struct work work = {.image = image,
                        .data = data,
                        .bytes = bytes,
                        .reason = "no memory for libpng"};
    bool read = false;

    image->kind = IMAGE_PNG;
    work.png =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, &work, fail, ignore);
    if (work.png != NULL) {
        work.info = png_create_info_struct(work.png);
        read = work.info != NULL && read_image(&work);
    }
    png_destroy_read_struct(&work.png, &work.info, NULL);
    if (work.whole) {
        format_note(load,
                    "%s: the file ends behind the image's rows, without an "
                    "IEND chunk.",
                    file_name(path));
    }
    return read ? 0 : file_error(path, "byte %zu: %s", work.at, work.reason);
}

/* Returns whether the image was written; if not, work->reason tells why. */
static bool write_image(struct work *work, FILE *out)
{
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    const struct image *image = work->image;
    png_structp png = work->png;

    if (setjmp(png_jmpbuf(png)) != 0) {
        return false;
    }
    png_init_io(png, out);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, work->info, image->width, image->height,
                 8 * (int)image->bytes, types[image->channels - 1],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, work->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, work->info);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        png_set_swap(png);
    }
    for (uint32_t y = 0; y < image->height; ++y) {
        png_write_row(png, image->samples + y * image_row_bytes(image));
    }
    png_write_end(png, NULL);
    return true;
}

int image_png_write(FILE *out, const struct image *image, const char *path)
{
    struct image copy = *image;
    struct work work = {.image = &copy, .reason = "no memory for libpng"};
    bool written = false;

    work.png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &work, fail, ignore);
    if (work.png != NULL) {
        work.info = png_create_info_struct(work.png);
        written = work.info != NULL && write_image(&work, out);
    }
    png_destroy_write_struct(&work.png, &work.info);
    /* A write error gives 0 too: the caller closes the file and reports it. */
    return written || ferror(out) != 0 ? 0
                                       : file_error(path, "%s", work.reason);
}
