/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads TIFF by strips or tiles: grey, RGB and indices of 1 to 16 bits, which
 * become 8 or 16, and palettes, which become RGB of 8. What else libtiff knows
 * (CMYK and other colours) it converts to RGB of 8 bits. libtiff passes reasons
 * of errors to one function for all files, which is set around every use.
 */
#include "qemu/format/image.h"

#include "qemu/base/file.h"

#include <tiffio.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLES_MAX 16
#define PIECE_BYTES_MAX (1u << 30) /* of a strip or tile */

static char tiff_reason[1024]; /* as long as TIFFRGBAImageOK() needs */

static void keep_reason(const char *module, const char *format, va_list rest)
{
    (void)module;
    vsnprintf(tiff_reason, sizeof tiff_reason, format, rest);
}

struct work {
    TIFF *tiff;
    struct image *image;
    uint16_t bits;     /* bits of a sample in the file */
    uint16_t samples;  /* samples of a pixel in the file */
    uint16_t colour;   /* TIFFTAG_PHOTOMETRIC */
    uint16_t format;   /* TIFFTAG_SAMPLEFORMAT */
    bool apart;        /* each channel has a plane of its own */
    bool alpha;        /* the first sample behind the colours is alpha */
    bool multiplied;   /* the colours are multiplied by alpha */
    uint16_t colours;  /* samples of a pixel before alpha and others */
    uint16_t *map[3];  /* red, green and blue of each index; NULL: no palette */
    uint32_t map_most; /* 255 or 65535 */
    uint32_t y;        /* row being read */
};

/* Opens a stream's file; closing the result leaves the stream open. */
static TIFF *open_tiff(FILE *file, const char *mode)
{
    int copy = fseek(file, 0, SEEK_SET) == 0 ? dup(fileno(file)) : -1;
    TIFF *tiff;

    snprintf(tiff_reason, sizeof tiff_reason, "it cannot be opened");
    TIFFSetErrorHandler(keep_reason);
    TIFFSetWarningHandler(NULL);
    tiff = copy >= 0 ? TIFFFdOpen(copy, "", mode) : NULL;
    if (tiff == NULL && copy >= 0) {
        close(copy);
    }
    return tiff;
}

/* ---- what the file says ---- */

/* Takes the palette. Many programs store colours of 8 bits where TIFF has
   16. Returns whether there is one. */
static bool read_palette(struct work *work)
{
    if (work->bits > 16 ||
        TIFFGetField(work->tiff, TIFFTAG_COLORMAP, &work->map[0], &work->map[1],
                     &work->map[2]) == 0) {
        return false;
    }
    work->map_most = 255;
    for (uint32_t i = 0; i < 3u << work->bits; ++i) {
        if (work->map[i % 3][i / 3] > 255) {
            work->map_most = 65535;
        }
    }
    return true;
}

/* Fills in the rest of `work`. Returns whether read_samples() can read it. */
static bool read_head(struct work *work)
{
    TIFF *tiff = work->tiff;
    uint16_t packed = 0;
    uint16_t planes = PLANARCONFIG_CONTIG;
    uint16_t others = 0;
    uint16_t *kinds = NULL;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &work->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &work->samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &work->format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planes);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &others, &kinds);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &packed);
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &work->colour) == 0) {
        work->colour = work->samples - others >= 3 ? PHOTOMETRIC_RGB
                                                   : PHOTOMETRIC_MINISBLACK;
    }
    work->apart = planes == PLANARCONFIG_SEPARATE;
    if (work->colour == PHOTOMETRIC_YCBCR && packed == COMPRESSION_JPEG &&
        !work->apart) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        work->colour = PHOTOMETRIC_RGB;
    }
    work->colours = work->colour == PHOTOMETRIC_RGB ? 3 : 1;
    work->alpha = others > 0 && work->samples > work->colours &&
                  (kinds[0] == EXTRASAMPLE_ASSOCALPHA ||
                   kinds[0] == EXTRASAMPLE_UNASSALPHA);
    work->multiplied = work->alpha && kinds[0] == EXTRASAMPLE_ASSOCALPHA;
    return work->bits >= 1 && work->bits <= 16 &&
           work->samples >= work->colours && work->samples <= SAMPLES_MAX &&
           (work->colour <= PHOTOMETRIC_RGB ||
            (work->colour == PHOTOMETRIC_PALETTE && read_palette(work)));
}

static const char *allocate(struct work *work)
{
    uint32_t width = 0;
    uint32_t height = 0;

    TIFFGetField(work->tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(work->tiff, TIFFTAG_IMAGELENGTH, &height);
    return image_allocate(work->image, width, height,
                          (work->map_most != 0 ? 3u : work->colours) +
                              work->alpha,
                          work->bits > 8 && work->map_most == 0 ? 2 : 1);
}

/* ---- samples ---- */

/* Returns sample i of a row. */
static uint32_t sample_of(const struct work *work, const uint8_t *row, size_t i)
{
    size_t bit = i * work->bits;
    uint32_t value = 0;

    if (work->bits == 8) {
        return row[i];
    }
    if (work->bits == 16) {
        return ((const uint16_t *)(const void *)row)[i];
    }
    for (unsigned k = 0; k < work->bits; ++k, ++bit) {
        value = value << 1 | ((uint32_t)row[bit / 8] >> (7 - bit % 8) & 1);
    }
    return value;
}

/* Stores the sample that the file has for a channel of pixel `at`. */
static void store(const struct work *work, size_t at, uint32_t channel,
                  uint32_t value)
{
    struct image *image = work->image;
    uint32_t most = (1u << work->bits) - 1;

    at *= image->channels;
    if (channel >= work->colours) {
        if (channel == work->colours && work->alpha) {
            image_store(image, at + image->channels - 1,
                        image_scaled(value, most, image_most(image)));
        }
    } else if (work->map_most != 0) {
        for (uint32_t i = 0; i < 3; ++i) {
            image_store(image, at + i,
                        image_scaled(work->map[i][value], work->map_most, 255));
        }
    } else {
        value = work->colour == PHOTOMETRIC_MINISWHITE ? most - value : value;
        image_store(image, at + channel,
                    image_scaled(value, most, image_most(image)));
    }
}

/* Stores `pixels` pixels of a row from x, y on, of one plane if they are
   apart. */
static void store_row(const struct work *work, const uint8_t *row, uint32_t x,
                      uint32_t pixels, uint16_t plane)
{
    size_t at = (size_t)work->y * work->image->width + x;
    uint32_t samples = work->apart ? 1 : work->samples;

    for (size_t i = 0; i < pixels; ++i) {
        for (uint32_t k = 0; k < samples; ++k) {
            store(work, at + i, plane + k,
                  sample_of(work, row, i * samples + k));
        }
    }
}

/* Reads the strips or tiles of one plane; a strip is as wide as the image. */
static const char *read_pieces(struct work *work, uint8_t *piece,
                               uint16_t plane)
{
    TIFF *tiff = work->tiff;
    bool tiled = TIFFIsTiled(tiff) != 0;
    tmsize_t row = tiled ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff);
    uint32_t all = work->image->width;
    uint32_t width = all;
    uint32_t height = UINT32_MAX;

    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
    TIFFGetFieldDefaulted(
        tiff, tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, &height);
    for (uint32_t y = 0; y < work->image->height; y = work->y) {
        uint32_t left = work->image->height - y;
        uint32_t rows = height < left ? height : left;

        for (uint32_t x = 0; x < all; x += width) {
            work->y = y;
            if ((tiled ? TIFFReadTile(tiff, piece, x, y, 0, plane)
                       : TIFFReadEncodedStrip(
                             tiff, TIFFComputeStrip(tiff, y, plane), piece,
                             (tmsize_t)rows * row)) < 0) {
                return tiff_reason;
            }
            for (; work->y < y + rows; ++work->y) {
                store_row(work, piece + (work->y - y) * (size_t)row, x,
                          all - x < width ? all - x : width, plane);
            }
        }
    }
    return NULL;
}

static const char *read_samples(struct work *work)
{
    bool tiled = TIFFIsTiled(work->tiff) != 0;
    uint64_t bytes =
        tiled ? TIFFTileSize64(work->tiff) : TIFFStripSize64(work->tiff);
    const char *wrong = allocate(work);
    uint8_t *buffer;

    if (wrong == NULL && (bytes == 0 || bytes > PIECE_BYTES_MAX)) {
        wrong = "a strip or tile must have 1 to 2^30 bytes";
    }
    if (wrong == NULL && work->format != SAMPLEFORMAT_UINT &&
        work->format != SAMPLEFORMAT_VOID) {
        wrong = "its samples are signed or real; must be unsigned";
    }
    buffer = wrong == NULL ? malloc((size_t)bytes) : NULL;
    for (uint16_t i = 0; wrong == NULL && i < (work->apart ? work->samples : 1);
         ++i) {
        wrong = buffer == NULL ? "no memory for a strip or tile"
                               : read_pieces(work, buffer, i);
    }
    free(buffer);
    return wrong;
}

/* Reads an image of any colours that libtiff can convert. Returns NULL, or what
   is wrong. */
static const char *read_converted(struct work *work)
{
    struct image *image = work->image;
    const char *wrong;
    uint32_t *raster;

    if (TIFFRGBAImageOK(work->tiff, tiff_reason) == 0) {
        return tiff_reason;
    }
    work->colour = PHOTOMETRIC_RGB;
    work->colours = 3;
    work->bits = 8;
    work->alpha = false;
    wrong = allocate(work);
    if (wrong != NULL) {
        return wrong;
    }
    raster = malloc(sizeof *raster * image->width * image->height);
    if (raster == NULL) {
        return "no memory for the image";
    }
    if (TIFFReadRGBAImageOriented(work->tiff, image->width, image->height,
                                  raster, ORIENTATION_TOPLEFT, 1) == 0) {
        wrong = tiff_reason;
    }
    for (size_t i = 0;
         wrong == NULL && i < (size_t)image->width * image->height; ++i) {
        image_store(image, 3 * i, TIFFGetR(raster[i]));
        image_store(image, 3 * i + 1, TIFFGetG(raster[i]));
        image_store(image, 3 * i + 2, TIFFGetB(raster[i]));
    }
    free(raster);
    return wrong;
}

static const char *read_image(struct work *work, struct format_load *load,
                              const char *path)
{
    bool plain = read_head(work);
    const char *wrong = (plain ? read_samples : read_converted)(work);
    const char *name = file_name(path);

    if (wrong != NULL) {
        return wrong;
    }
    if (!plain) {
        format_note(load, "%s: converted to RGB of 8 bits a sample.", name);
    }
    if (plain && work->samples > work->colours + work->alpha) {
        format_note(load,
                    "%s: %d of its %d channels, neither colour nor alpha, are "
                    "left out.",
                    name, work->samples - work->colours - work->alpha,
                    work->samples);
    }
    if (work->multiplied) {
        format_note(load, "%s: its colours stay multiplied by its alpha.",
                    name);
    }
    if (TIFFLastDirectory(work->tiff) == 0) {
        format_note(load, IMAGE_MORE, name);
    }
    return NULL;
}

int image_tiff_read(struct image *image, struct format_load *load,
                    const char *path, uint8_t *data, size_t bytes)
{
    struct work work = {.image = image};
    FILE *file = file_scratch(path);
    const char *wrong = tiff_reason;

    image->kind = IMAGE_TIFF;
    if (file == NULL) {
        return 1;
    }
    fwrite(data, 1, bytes, file);
    work.tiff = open_tiff(file, "r");
    if (work.tiff != NULL) {
        wrong = read_image(&work, load, path);
        TIFFClose(work.tiff);
    }
    fclose(file);
    return wrong == NULL ? 0 : file_error(path, "row %u: %s", work.y, wrong);
}

/* ---- writing ---- */

static bool write_rows(TIFF *tiff, const struct image *image)
{
    uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
    bool good = true;

    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, image->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, image->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8 * image->bytes);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, image->channels);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                 image->channels < 3 ? PHOTOMETRIC_MINISBLACK
                                     : PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
    if (image_has_alpha(image)) {
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    }
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP,
                 TIFFDefaultStripSize(tiff, UINT32_MAX));
    for (uint32_t y = 0; good && y < image->height; ++y) {
        good =
            TIFFWriteScanline(tiff, image->samples + y * image_row_bytes(image),
                              y, 0) >= 0;
    }
    return good && TIFFFlush(tiff) != 0;
}

int image_tiff_write(FILE *out, const struct image *image, const char *path)
{
    FILE *file = file_scratch(path);
    TIFF *tiff;
    bool good = false;
    int status;

    if (file == NULL) {
        return 1;
    }
    tiff = open_tiff(file, "w");
    if (tiff != NULL) {
        good = write_rows(tiff, image);
        TIFFClose(tiff);
    }
    if (good && fseek(file, 0, SEEK_END) == 0) {
        uint64_t bytes = (uint64_t)ftell(file);
        uint8_t *data;

        status = file_read_open(&data, file, bytes, path);
        fwrite(data, 1, status == 0 ? bytes : 0, out);
        free(data);
    } else {
        status = file_error(path, "TIFF: %s", tiff_reason);
    }
    fclose(file);
    return status;
}
