/* SPDX-License-Identifier: Apache-2.0 */
/* Samples for the kernel stats: raw ones, or those of a WAV file. */
#include "qemu/format/format.h"
#include "qemu/format/wav.h"
#include "qemu/support/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SIGNED 16u /* kernels/stats.c */

static const char allowed[] =
    "must be type=u8, s8, u16, s16, u32 or s32, or nothing";

/* The kernel's argument for a type's name; 0: no such type. */
static uint8_t type_named(const char *name)
{
    static const struct {
        const char *name;
        uint8_t type;
    } types[] = {{"u8", 1},           {"s8", SIGNED + 1}, {"u16", 2},
                 {"s16", SIGNED + 2}, {"u32", 4},         {"s32", SIGNED + 4}};

    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        if (strcmp(types[i].name, name) == 0) {
            return types[i].type;
        }
    }
    return 0;
}

/* The type that --arg names; 0: none, it is empty. */
static int read_type(uint8_t *type, const uint8_t *arg, uint32_t arg_bytes)
{
    const char *text = (const char *)arg;

    *type = 0;
    if (arg_bytes == 0) {
        return 0;
    }
    if (strlen(text) != arg_bytes || strncmp(text, "type=", 5) != 0) {
        return format_arg_error(text, allowed);
    }
    *type = type_named(text + 5);
    return *type == 0 ? format_arg_error(text, allowed) : 0;
}

/* A unit is a sample. */
static int check_raw(struct format_load *load, const char *path, uint8_t type)
{
    uint32_t bytes = type % SIGNED;

    if (load->units % bytes != 0) {
        return file_error(path,
                          "%" PRIu64 " bytes; must be a multiple of %u, "
                          "samples are that long",
                          load->units, bytes);
    }
    load->units /= bytes;
    load->unit_bytes = bytes;
    return 0;
}

/* A unit is a frame: a sample of each channel. */
static int decode_wav(struct format_load *load, const char *path, uint8_t *type)
{
    struct wav wav;
    int status = wav_decode(&wav, path, load->data, load->units,
                            WAV_8_BITS + WAV_16_BITS + WAV_32_BITS);

    if (status != 0) {
        return status;
    }
    free(load->data);
    load->data = wav.data;
    load->units = wav.frames;
    load->unit_bytes = wav.frame_bytes;
    *type = (uint8_t)(wav.sample_bytes + (wav.sample_bytes > 1 ? SIGNED : 0));
    return 0;
}

static int decode_samples(struct format_load *load, const char *path,
                          uint8_t *type)
{
    bool named = *type != 0;
    uint64_t samples;
    int status;

    if (!named && wav_begins(load->data, load->units)) {
        status = decode_wav(load, path, type);
    } else {
        *type = named ? *type : 1;
        status = check_raw(load, path, *type);
    }
    if (status != 0) {
        return status;
    }
    samples = load->units * (load->unit_bytes / (*type % SIGNED));
    if (samples > UINT32_MAX) {
        return file_error(path,
                          "%" PRIu64 " samples; stats counts at most "
                          "%" PRIu32,
                          samples, UINT32_MAX);
    }
    return 0;
}

static int read_stats(struct format_load *load, const char *path,
                      const uint8_t *arg, uint32_t arg_bytes)
{
    uint8_t type;
    int status = read_type(&type, arg, arg_bytes);

    if (status != 0) {
        return status;
    }
    load->unit_bytes = 1;
    status = format_read_file(load, &load->data, &load->units, path);
    status = status == 0 ? decode_samples(load, path, &type) : status;
    if (status == 0) {
        format_copy_arg(load, &type, 1);
    }
    return status;
}

const struct format format_stats = {
    .kernel = "stats",
    .done = "counted",
    .argument = "type=u8, s8, u16, s16, u32 or s32: samples of a raw file "
                "(default u8); a WAV file without it has its own",
    .input = "any file, or WAV of 8, 16 or 32 bits",
    .read = read_stats,
};
