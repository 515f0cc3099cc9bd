/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/image.h"

#include "qemu/base/file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 0x3fffffffu
#define MAXIMUM 255u
#define NUMBER_MAX 99999999u /* that is read; and of no image */

static const char too_short[] = "the file ends within the image";

const char *image_allocate(struct image *image, uint32_t width, uint32_t height,
                           uint32_t channels)
{
    uint64_t pixels = (uint64_t)width * height;

    if (pixels == 0) {
        return "the image has no pixels";
    }
    if (pixels > SAMPLES_MAX / channels) {
        return "the image has more than 2^30 - 1 samples";
    }
    image->width = width;
    image->height = height;
    image->channels = channels;
    image->samples = malloc((size_t)pixels * channels);
    return image->samples == NULL ? "no memory for the image" : NULL;
}

/* What is left of a file, and how many samples have been read. */
struct reader {
    const uint8_t *at;
    const uint8_t *end;
    size_t samples;
};

/* Skips blanks and, between # and a line's end, comments. */
static void skip_blanks(struct reader *reader)
{
    bool comment = false;

    for (; reader->at < reader->end; ++reader->at) {
        uint8_t byte = *reader->at;

        comment = byte == '#' || (comment && byte != '\n' && byte != '\r');
        if (!comment && !isspace(byte)) {
            return;
        }
    }
}

/* Reads a number. Result: NULL, or what is wrong. */
static const char *read_number(uint32_t *number, struct reader *reader)
{
    skip_blanks(reader);
    if (reader->at == reader->end) {
        return too_short;
    }
    if (!isdigit(*reader->at)) {
        return "a number is missing";
    }
    for (*number = 0; reader->at < reader->end && isdigit(*reader->at);
         ++reader->at) {
        *number = *number * 10 + (*reader->at - '0');
        if (*number > NUMBER_MAX) {
            return "a number is too large";
        }
    }
    return NULL;
}

static const char *read_head(struct image *image, struct reader *reader,
                             uint32_t channels)
{
    uint32_t number[3] = {0}; /* width, height, maximum */
    const char *wrong = NULL;

    for (unsigned i = 0; wrong == NULL && i < 3; ++i) {
        wrong = read_number(&number[i], reader);
    }
    if (wrong != NULL) {
        return wrong;
    }
    if (number[2] != MAXIMUM) {
        return "its samples have another maximum than 255";
    }
    return (uint64_t)number[0] * number[1] >
                   (uint64_t)(reader->end - reader->at)
               ? too_short
               : image_allocate(image, number[0], number[1], channels);
}

/* Reads samples as numbers, and what blanks there are behind the image. */
static const char *read_plain(struct image *image, struct reader *reader,
                              size_t samples)
{
    for (; reader->samples < samples; ++reader->samples) {
        uint32_t number;
        const char *wrong = read_number(&number, reader);

        if (wrong != NULL || number > MAXIMUM) {
            return wrong != NULL ? wrong : "a sample is larger than 255";
        }
        image->samples[reader->samples] = (uint8_t)number;
    }
    skip_blanks(reader);
    return NULL;
}

/* Reads samples as bytes; a blank is before them. */
static const char *read_binary(struct image *image, struct reader *reader,
                               size_t samples)
{
    size_t left = (size_t)(reader->end - reader->at);

    if (left == 0 || !isspace(*reader->at)) {
        return "a blank is missing before its samples";
    }
    left -= 1;
    reader->samples = left < samples ? left : samples;
    memcpy(image->samples, reader->at + 1, reader->samples);
    reader->at += 1 + reader->samples;
    return left < samples ? too_short : NULL;
}

int image_read_pnm(struct image *image, const char *path, const uint8_t *data,
                   size_t bytes)
{
    bool plain = data[1] == '2' || data[1] == '3';
    struct reader reader = {.at = data + 2, .end = data + bytes};
    size_t row = 1;
    const char *wrong = read_head(image, &reader, data[1] % 3 == 0 ? 3 : 1);

    if (wrong == NULL) {
        row = (size_t)image->width * image->channels;
        wrong = (plain ? read_plain : read_binary)(image, &reader,
                                                   row * image->height);
    }
    if (wrong == NULL && reader.at < reader.end) {
        wrong = "there is more behind the image";
    }
    return wrong == NULL
               ? 0
               : file_error(path, "row %zu: %s", reader.samples / row, wrong);
}

int image_write_pnm(FILE *out, const struct image *image, const char *path)
{
    (void)path;
    fprintf(out, "P%c\n%u %u\n255\n", image->channels == 1 ? '5' : '6',
            image->width, image->height);
    fwrite(image->samples, image->channels,
           (size_t)image->width * image->height, out);
    return 0;
}
