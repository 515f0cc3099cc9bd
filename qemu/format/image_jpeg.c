/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/image.h"

#include "qemu/base/file.h"

#include <turbojpeg.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define QUALITY_USUAL 90

/* Turns samples c m y k, stored inverted as programs do, into r g b, in
   place. */
static void convert_cmyk(struct image *image)
{
    size_t pixels = (size_t)image->width * image->height;
    uint8_t *to = image->samples;

    for (const uint8_t *from = to; pixels > 0; --pixels, from += 4) {
        uint32_t k = from[3];

        for (unsigned i = 0; i < 3; ++i) {
            *to++ = (uint8_t)((from[i] * k + 127) / 255);
        }
    }
    image->channels = 3;
}

/* Whether a failure is a warning that leaves all samples as they were meant. */
static bool is_harmless(tjhandle handle)
{
    const char *text = tjGetErrorStr2(handle);

    return tjGetErrorCode(handle) == TJERR_WARNING &&
           (strstr(text, "extraneous bytes") != NULL ||
            strstr(text, "Adobe") != NULL || strstr(text, "JFIF") != NULL);
}

/* Decompresses an image. Returns NULL, or what is wrong. */
static const char *decompress(tjhandle handle, struct image *image,
                              const uint8_t *data, size_t bytes)
{
    int width = 0;
    int height = 0;
    int sampling = -1;
    int colours = -1;
    int format;
    const char *wrong;

    /* Fails for an unusual sampling too, which can be decompressed all the
       same. */
    if (tjDecompressHeader3(handle, data, bytes, &width, &height, &sampling,
                            &colours) != 0 &&
        (width < 1 || height < 1 || colours < 0 || sampling >= 0)) {
        return tjGetErrorStr2(handle);
    }
    format = colours == TJCS_GRAY                           ? TJPF_GRAY
             : colours == TJCS_CMYK || colours == TJCS_YCCK ? TJPF_CMYK
                                                            : TJPF_RGB;
    wrong = image_allocate(image, (uint32_t)width, (uint32_t)height,
                           (uint32_t)tjPixelSize[format], 1);
    if (wrong == NULL &&
        tjDecompress2(handle, data, bytes, image->samples, width, 0, height,
                      format, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS) != 0 &&
        !is_harmless(handle)) {
        wrong = tjGetErrorStr2(handle);
    }
    return wrong;
}

int image_jpeg_read(struct image *image, struct format_load *load,
                    const char *path, uint8_t *data, size_t bytes)
{
    tjhandle handle = tjInitDecompress();
    const char *wrong = handle == NULL ? "no memory for libturbojpeg"
                                       : decompress(handle, image, data, bytes);

    if (wrong != NULL) {
        (void)file_error(path, "JPEG: %s", wrong);
    } else if (image->channels == 4) {
        convert_cmyk(image);
        format_note(load, "%s: converted from CMYK to RGB.", file_name(path));
    }
    image->kind = IMAGE_JPEG;
    if (handle != NULL) {
        tjDestroy(handle);
    }
    return wrong != NULL;
}

int image_jpeg_write(FILE *out, const struct image *image, const char *path)
{
    tjhandle handle = tjInitCompress();
    unsigned char *jpeg = NULL;
    unsigned long bytes = 0;
    bool grey = image->channels == 1;
    int status;

    if (handle == NULL) {
        return file_error(path, "no memory for libturbojpeg");
    }
    status = tjCompress2(handle, image->samples, (int)image->width, 0,
                         (int)image->height, grey ? TJPF_GRAY : TJPF_RGB, &jpeg,
                         &bytes, grey ? TJSAMP_GRAY : TJSAMP_444,
                         image->quality != 0 ? image->quality : QUALITY_USUAL,
                         TJFLAG_ACCURATEDCT);
    status =
        status != 0 ? file_error(path, "JPEG: %s", tjGetErrorStr2(handle)) : 0;
    if (status == 0) {
        fwrite(jpeg, 1, bytes, out);
    }
    tjFree(jpeg);
    tjDestroy(handle);
    return status;
}
