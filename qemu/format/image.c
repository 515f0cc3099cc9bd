/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/image.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

const char *image_allocate(struct image *image, uint32_t width, uint32_t height,
                           uint32_t channels, uint32_t bytes)
{
    uint64_t pixels = (uint64_t)width * height;

    if (pixels == 0) {
        return "the image has no pixels";
    }
    if (pixels > IMAGE_SAMPLES_MAX / channels) {
        return "the image has more than 2^30 - 1 samples";
    }
    if (pixels > image->pixels_max) {
        snprintf(image->wrong, sizeof image->wrong,
                 "the image has %llu pixels; at most %u are read unless "
                 "pixels=N allows more",
                 (unsigned long long)pixels, (unsigned)image->pixels_max);
        return image->wrong;
    }
    image->width = width;
    image->height = height;
    image->channels = channels;
    image->bytes = bytes;
    image->samples = malloc((size_t)pixels * channels * bytes);
    return image->samples == NULL ? "no memory for the image" : NULL;
}
