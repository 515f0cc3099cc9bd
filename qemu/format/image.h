/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images in memory, and their readers and writers, each in the file that its
 * name tells. Samples are taken unchanged, whatever a file says of gamma,
 * colour or orientation. Functions that return 1 have printed why on stderr.
 */
#ifndef QEMU_FORMAT_IMAGE_H
#define QEMU_FORMAT_IMAGE_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Most samples of an image; most pixels unless the user allows more. */
#define IMAGE_SAMPLES_MAX 0x3fffffffu
#define IMAGE_PIXELS_USUAL (1u << 27)

enum image_kind {
    IMAGE_PNG,
    IMAGE_PNM,
    IMAGE_PAM,
    IMAGE_JPEG,
    IMAGE_TIFF
};

struct image {
    /* The caller sets the fields below before an image is read or written. */
    uint32_t pixels_max; /* most pixels that are read */
    uint8_t quality;     /* of JPEG, 1 to 100; 0: 90 */

    enum image_kind kind;
    uint32_t width; /* pixels, at least 1 */
    uint32_t height;
    uint32_t channels; /* 1: grey; 2: grey, alpha; 3: RGB; 4: RGB, alpha */
    uint32_t bytes;    /* bytes of a sample, in this machine's order: 1 or 2 */
    uint8_t *samples;  /* malloc'd: pixel by pixel, rows from the top */
    char wrong[96];    /* the text of image_allocate() */
};

#define IMAGE_MORE "%s: what is behind its first image is left out."

/* Sets the shape and allocates the samples. Returns NULL, or what is wrong. */
const char *image_allocate(struct image *image, uint32_t width, uint32_t height,
                           uint32_t channels, uint32_t bytes);

static inline bool image_has_alpha(const struct image *image)
{
    return image->channels % 2 == 0;
}

static inline size_t image_pixels(const struct image *image)
{
    return (size_t)image->width * image->height;
}

static inline size_t image_row_bytes(const struct image *image)
{
    return (size_t)image->width * image->channels * image->bytes;
}

/* Returns the greatest sample. */
static inline uint32_t image_most(const struct image *image)
{
    return image->bytes == 1 ? 255 : 65535;
}

/* Returns value / most, of a file, as a fraction of `full`: rounded. */
static inline uint32_t image_scaled(uint32_t value, uint32_t most,
                                    uint32_t full)
{
    return most == full ? value : (value * full + most / 2) / most;
}

/* Stores sample i of an image. */
static inline void image_store(struct image *image, size_t i, uint32_t sample)
{
    if (image->bytes == 1) {
        image->samples[i] = (uint8_t)sample;
    } else {
        ((uint16_t *)(void *)image->samples)[i] = (uint16_t)sample;
    }
}

static inline uint32_t image_sample(const struct image *image, size_t i)
{
    return image->bytes == 1 ? image->samples[i]
                             : ((uint16_t *)(void *)image->samples)[i];
}

/* Read the bytes of a file of the kind, behind which is a spare one. `path` is
   for messages, `load` takes notes. Each returns 0 or 1. */
NODISCARD int image_png_read(struct image *image, struct format_load *load,
                             const char *path, uint8_t *data, size_t bytes);
NODISCARD int image_pnm_read(struct image *image, struct format_load *load,
                             const char *path, uint8_t *data, size_t bytes);
NODISCARD int image_jpeg_read(struct image *image, struct format_load *load,
                              const char *path, uint8_t *data, size_t bytes);
NODISCARD int image_tiff_read(struct image *image, struct format_load *load,
                              const char *path, uint8_t *data, size_t bytes);

/* Write a file of the kind; `path` is for messages. Each returns 0 or 1. PNM
   takes no alpha, JPEG neither alpha nor 16 bits. */
NODISCARD int image_png_write(FILE *out, const struct image *image,
                              const char *path);
NODISCARD int image_pnm_write(FILE *out, const struct image *image,
                              const char *path);
NODISCARD int image_pam_write(FILE *out, const struct image *image,
                              const char *path);
NODISCARD int image_jpeg_write(FILE *out, const struct image *image,
                               const char *path);
NODISCARD int image_tiff_write(FILE *out, const struct image *image,
                               const char *path);

#endif
