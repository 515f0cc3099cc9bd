/* SPDX-License-Identifier: Apache-2.0 */
/* The format of kernels without one: any file as it is or numbers as the load,
   and bytes or an image as the output. */
#include "qemu/format/image_file.h"
#include "qemu/format/keys.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reads any file unchanged, or takes load->numbers, for kernels without a
   format. */
static int read_raw(struct format_load *load, const char *path,
                    const uint8_t *arg, uint32_t arg_bytes)
{
    int status = 0;

    if (load->kernel->keys != NULL) {
        status = keys_read(load, arg, arg_bytes);
    } else {
        format_copy_arg(load, arg, arg_bytes);
    }
    if (status != 0) {
        return status;
    }
    if (load->numbers > 0) {
        load->units = load->numbers;
        return 0;
    }
    return format_open(load, path);
}

/* Returns the output's image without samples. */
static struct image image_of(const struct format_load *load)
{
    uint64_t pixels = (uint64_t)load->image.width * load->image.height;

    return (struct image){.kind = IMAGE_PNG,
                          .width = load->image.width,
                          .height = load->image.height,
                          .channels = (uint32_t)(load->output_bytes / pixels),
                          .bytes = 1};
}

/* Checks that the output has as many bytes as an image of --size. */
static int check_raw(const struct format_load *load, const char *path)
{
    uint64_t pixels = (uint64_t)load->image.width * load->image.height;
    struct image image;

    if (pixels == 0) {
        return 0;
    }
    if (load->output_bytes != pixels && load->output_bytes != 3 * pixels) {
        return usage_error("--size %ux%u: the output has %" PRIu64
                           " bytes; must have %" PRIu64 " for grey or %" PRIu64
                           " for RGB",
                           load->image.width, load->image.height,
                           load->output_bytes, pixels, 3 * pixels);
    }
    image = image_of(load);
    return image_check_name(&image, path);
}

static int write_raw(FILE *out, const struct format_load *load,
                     const char *path, const uint8_t *output, uint64_t bytes)
{
    struct image image;
    int status;

    if (load->image.width == 0) {
        fwrite(output, 1, (size_t)bytes, out);
        return 0;
    }
    if (bytes != load->output_bytes) {
        return file_error(path,
                          "the output has %" PRIu64 " bytes, not the %" PRIu64
                          " of the image",
                          bytes, load->output_bytes);
    }
    image = image_of(load);
    image.samples = memory_or_exit(malloc((size_t)bytes));
    memcpy(image.samples, output, (size_t)bytes);
    status = image_write(out, &image, path);
    free(image.samples);
    return status;
}

const struct format format_raw = {.input = "any file, as it is",
                                  .suffixes = "bin txt",
                                  .read = read_raw,
                                  .check = check_raw,
                                  .write = write_raw};
