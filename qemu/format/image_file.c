/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/image_file.h"

#include "qemu/format/image_png.h"
#include "qemu/format/image_pnm.h"
#include "qemu/base/file.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    const char *suffix;
    int (*write)(FILE *out, const struct image *image, const char *path);
    uint32_t channels; /* channels that such a file has; 0: any number */
};

static const struct kind kinds[] = {{".png", image_png_write, 0},
                                    {".pgm", image_pnm_write, 1},
                                    {".ppm", image_pnm_write, 3},
                                    {".pnm", image_pnm_write, 0}};

#define SUFFIXES ".png, .pgm, .ppm or .pnm"

static const struct kind *kind_of(const char *path)
{
    if (file_is_standard_output(path)) {
        return &kinds[0];
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        size_t length = strlen(kinds[i].suffix);

        if (strlen(path) > length &&
            strcasecmp(path + strlen(path) - length, kinds[i].suffix) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

int image_check_name(const struct image *image, const char *path)
{
    const struct kind *kind = kind_of(path);

    if (kind == NULL) {
        return file_error(path, "an image's name must end in " SUFFIXES);
    }
    if (kind->channels != 0 && kind->channels != image->channels) {
        return file_error(
            path, image->channels == 1
                      ? "the image is grey; the name must not end in .ppm"
                      : "the image is RGB; the name must not end in .pgm");
    }
    return 0;
}

int image_write(FILE *out, const struct image *image, const char *path)
{
    return kind_of(path)->write(out, image, path);
}

static const char *other_kind(const uint8_t *data, size_t bytes)
{
    static const struct {
        const char *mark;
        size_t bytes;
        size_t at;
        const char *is;
    } kinds_known[] = {
        {"\xff\xd8\xff", 3, 0, "is JPEG"},
        {"GIF8", 4, 0, "is GIF"},
        {"WEBP", 4, 8, "is WebP"},
        {"BM", 2, 0, "is BMP"},
        {"II*\0", 4, 0, "is TIFF"},
        {"MM\0*", 4, 0, "is TIFF"},
        {"ftyp", 4, 4, "is HEIF, AVIF or a video"},
        {"\xff\x0a", 2, 0, "is JPEG XL"},
        {"%PDF", 4, 0, "is PDF"},
        {"8BPS", 4, 0, "is a Photoshop file"},
        {"<svg", 4, 0, "is SVG"},
        {"<?xml", 5, 0, "is XML, as SVG"},
        {"\xef\xbb\xbfP", 4, 0, "has a byte order mark before its image"},
        {"\x89PNG", 4, 0, "is PNG that a transfer as text has damaged"}};

    for (size_t i = 0; i < sizeof kinds_known / sizeof *kinds_known; ++i) {
        if (bytes >= kinds_known[i].at + kinds_known[i].bytes &&
            memcmp(data + kinds_known[i].at, kinds_known[i].mark,
                   kinds_known[i].bytes) == 0) {
            return kinds_known[i].is;
        }
    }
    return bytes == 0 ? "is empty" : "is no image";
}

static int read_bytes(struct image *image, const char *path, uint8_t *data,
                      size_t bytes)
{
    if (bytes >= 8 && png_sig_cmp(data, 0, 8) == 0) {
        return image_png_read(image, path, data, bytes);
    }
    if (bytes >= 2 && data[0] == 'P' && strchr("2356", data[1]) != NULL) {
        return image_pnm_read(image, path, data, bytes);
    }
    /* PAM is refused here, since libnetpbm leaks memory if a file is
       truncated. */
    if (bytes >= 2 && data[0] == 'P' && strchr("147", data[1]) != NULL) {
        return file_error(path, "is PBM or PAM; must be PGM or PPM");
    }
    return file_error(path, "%s; must be PNG, PGM or PPM",
                      other_kind(data, bytes));
}

int image_read(struct image *image, struct format_load *load, const char *path)
{
    uint8_t *data;
    uint64_t bytes;
    int status = format_read_file(load, &data, &bytes, path);

    *image = (struct image){.samples = NULL};
    if (status == 0) {
        status = read_bytes(image, path, data, (size_t)bytes);
        free(data);
    }
    if (status != 0) {
        free(image->samples);
        image->samples = NULL;
    }
    return status;
}
