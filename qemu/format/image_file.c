/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/image_file.h"

#include "qemu/base/file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define JPEG_SIDE_MAX 65500u

/* ---- writing ---- */

struct writer {
    const char *suffix;
    int (*write)(FILE *out, const struct image *image, const char *path);
    uint32_t channels;   /* channels that the kind takes; 0: any */
    bool opaque;         /* the kind has no alpha */
    enum image_kind was; /* kind of the input that is written so by itself */
};

static const struct writer writers[] = {
    {".png", image_png_write, 0, false, IMAGE_PNG},
    {".pnm", image_pnm_write, 0, true, IMAGE_PNM},
    {".pam", image_pam_write, 0, false, IMAGE_PAM},
    {".tif", image_tiff_write, 0, false, IMAGE_TIFF},
    {".tiff", image_tiff_write, 0, false, IMAGE_TIFF},
    {".jpg", image_jpeg_write, 0, true, IMAGE_PNG},
    {".jpeg", image_jpeg_write, 0, true, IMAGE_PNG},
    {".pgm", image_pnm_write, 1, true, IMAGE_PNM},
    {".ppm", image_pnm_write, 3, true, IMAGE_PNM}};

#define SUFFIXES ".png, .pgm, .ppm, .pnm, .pam, .tif, .tiff, .jpg or .jpeg"

static const struct writer *find_writer(const struct image *image,
                                        const char *path)
{
    const char *name = strrchr(path, '/');
    const char *suffix = strrchr(name != NULL ? name : path, '.');

    for (size_t i = 0; i < sizeof writers / sizeof *writers; ++i) {
        if (suffix != NULL ? strcasecmp(suffix, writers[i].suffix) == 0
                           : writers[i].was == image->kind ||
                                 (image->kind == IMAGE_JPEG && i == 0)) {
            return &writers[i];
        }
    }
    return NULL;
}

int image_check_name(const struct image *image, const char *path)
{
    const struct writer *writer = find_writer(image, path);
    bool jpeg = writer != NULL && writer->write == image_jpeg_write;

    if (writer == NULL) {
        return file_error(path, "an image's name must end in " SUFFIXES);
    }
    if (writer->opaque && image_has_alpha(image)) {
        return file_error(path,
                          "the image has an alpha channel, which .png, .pam "
                          "and .tif hold; alpha=drop leaves it out");
    }
    if (writer->channels != 0 && writer->channels != image->channels) {
        return file_error(
            path, image->channels == 1
                      ? "the image is grey; the name must not end in .ppm"
                      : "the image is RGB; the name must not end in .pgm");
    }
    if (jpeg && image->bytes == 2) {
        return file_error(path, "the image has 16 bits a sample; JPEG has 8");
    }
    if (jpeg &&
        (image->width > JPEG_SIDE_MAX || image->height > JPEG_SIDE_MAX)) {
        return file_error(path, "a side of the image is longer than the 65500 "
                                "pixels that JPEG has");
    }
    if (image->quality != 0 && !jpeg) {
        return file_error(path, "quality= is for .jpg and .jpeg alone");
    }
    return 0;
}

int image_write(FILE *out, const struct image *image, const char *path)
{
    return find_writer(image, path)->write(out, image, path);
}

/* ---- reading ---- */

static int read_bytes(struct image *image, struct format_load *load,
                      const char *path, uint8_t *data, size_t bytes)
{
    const char *kind = format_kind(data, bytes, false);

    if (bytes >= 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0) {
        return image_png_read(image, load, path, data, bytes);
    }
    if (bytes >= 2 && data[0] == 'P' && data[1] >= '1' && data[1] <= '7') {
        return image_pnm_read(image, load, path, data, bytes);
    }
    if (bytes >= 3 && memcmp(data, "\xff\xd8\xff", 3) == 0) {
        return image_jpeg_read(image, load, path, data, bytes);
    }
    /* Byte 2 or 3 is 42, or 43 in a file that may have more than 4 GiB. */
    if (bytes >= 4 &&
        (memcmp(data, "II", 2) == 0 || memcmp(data, "MM", 2) == 0) &&
        (data[2] | data[3] | 1) == 43) {
        return image_tiff_read(image, load, path, data, bytes);
    }
    return file_error(path, "is %s; must be PNG, PNM, PAM, JPEG or TIFF",
                      bytes == 0     ? "empty"
                      : kind != NULL ? kind
                                     : "no image");
}

int image_read(struct image *image, struct format_load *load, const char *path)
{
    uint8_t *data;
    uint64_t bytes;
    int status = format_read_file(load, &data, &bytes, path);

    image->samples = NULL;
    if (status == 0) {
        status = read_bytes(image, load, path, data, (size_t)bytes);
        free(data);
    }
    if (status != 0) {
        free(image->samples);
        image->samples = NULL;
    }
    return status;
}
