/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images of 8-bit grey or RGB samples in files. What a file is, its contents
 * tell when it is read, and its name's end when it is written.
 *
 * PNG by libpng: a palette and grey of fewer bits become 8-bit RGB and grey
 * without loss; what has alpha, a transparent colour or 16 bits is refused.
 * Samples are taken as they are, whatever the file says of gamma or colour.
 *
 * PGM and PPM by libnetpbm, binary or plain, of one image and maximum 255;
 * binary is written.
 */
#ifndef QEMU_FORMAT_IMAGE_H
#define QEMU_FORMAT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* No image has more samples. */
#define IMAGE_SAMPLES_MAX 0x3fffffffu

struct image {
    uint32_t width; /* pixels, at least 1 */
    uint32_t height;
    uint32_t channels; /* 1: grey; 3: red, green, blue */
    uint8_t *samples;  /* malloc'd: pixel by pixel, rows from the top */
};

/* Functions below that return 1 have said on stderr why. */

/* Reads a file; the caller frees the samples. Result: 0 or 1. */
int image_read(struct image *image, const char *path);

/* Whether a file of this name can hold such an image. Result: 0 or 1. */
int image_check_name(const struct image *image, const char *path);

/* Writes a file whose name has been checked. Result: 0 or 1. */
int image_write(const struct image *image, const char *path);

/* Sets the shape and allocates the samples; NULL, or what is wrong. */
const char *image_allocate(struct image *image, uint32_t width, uint32_t height,
                           uint32_t channels);

/* Says what is wrong, and at which byte of the file; 1. */
int image_file_error(const char *path, size_t at, const char *reason);

/* Reads the file's bytes, which begin as PNG does. Result: 0 or 1. */
int image_png_read(struct image *image, const char *path, const uint8_t *data,
                   size_t bytes);

/* The same for PGM and PPM, of which they have the magic number; the bytes are
   not changed. */
int image_pnm_read(struct image *image, const char *path, uint8_t *data,
                   size_t bytes);

int image_png_write(const struct image *image, const char *path);
int image_pnm_write(const struct image *image, const char *path);

#endif
