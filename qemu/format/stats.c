/* SPDX-License-Identifier: Apache-2.0 */
/* Reads samples for the kernel `stats`: those of a sound file, or all bytes of
   another file. */
#include "qemu/format/format.h"
#include "qemu/format/sound.h"
#include "qemu/base/file.h"
#include "qemu/base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNED 16u /* flag in a type, as in kernels/stats.c */

/* The place of a type in this list is twice its bytes less two, and one more if
   it is signed. */
static const struct option_row rows[] = {
    {"type", "T", 0, OPTION_CHOICE, 0, sizeof(uint8_t),
     .choices = "u8 s8 u16 s16 u24 s24 u32 s32"}};

#define NONE 255

/* Checks samples that are all bytes of a file. A unit of the load is a
   sample. */
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

static const char *type_name(char name[4], uint8_t type)
{
    sprintf(name, "%c%u", type < SIGNED ? 'u' : 's', 8u * (type & 7));
    return name;
}

static int refuse_type(const char *path, uint8_t type, uint8_t is)
{
    char name[2][4];

    return usage_error("--arg: type '%s': samples of %s are %s; leave type= "
                       "out, or --as-is takes its bytes",
                       type_name(name[0], type), file_name(path),
                       type_name(name[1], is));
}

/* Makes a sound the load; a unit is a frame, a sample of each channel. */
static int store_sound(struct format_load *load, const struct sound *sound,
                       const char *path, uint8_t *type)
{
    uint8_t is = (uint8_t)(sound->shape.sample_bytes +
                           (sound->is_unsigned ? 0 : SIGNED));

    free(load->data);
    load->data = sound->data;
    load->units = sound->frames;
    load->unit_bytes = sound->frame_bytes;
    if (*type != 0 && *type != is) {
        return refuse_type(path, *type, is);
    }
    *type = is;
    return 0;
}

static int take_samples(struct format_load *load, const char *path,
                        uint8_t *type)
{
    const char *kind = NULL;
    int status = SOUND_NONE;
    struct sound sound;

    if (!load->as_is) {
        kind = format_kind(load->data, load->units, true);
        status = sound_decode(&sound, load, path, load->data, load->units);
    }
    if (status != SOUND_NONE) {
        return status == 0 ? store_sound(load, &sound, path, type) : status;
    }
    if (kind != NULL && *type == 0) {
        return file_error(path,
                          "is %s, which libsndfile does not read; --arg "
                          "type=u8 counts its bytes",
                          kind);
    }
    if (kind != NULL) {
        format_note(load,
                    "%s is %s, all of whose bytes were taken for samples.",
                    file_name(path), kind);
    }
    if (kind == NULL && !load->as_is && load->units > 0 &&
        sound_is_named(path)) {
        format_note(load,
                    "%s is no sound, as its name says it is: all of its bytes "
                    "were taken for samples.",
                    file_name(path));
    }
    *type = *type != 0 ? *type : 1;
    return check_raw(load, path, *type);
}

static int decode_samples(struct format_load *load, const char *path,
                          uint8_t *type)
{
    int status = take_samples(load, path, type);
    uint64_t samples;

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
    uint8_t place = NONE;
    uint8_t type; /* 0: not given */
    int status =
        format_parse_arg(load, OPTION_TABLE(rows), arg, arg_bytes, &place);

    if (status != 0) {
        return status;
    }
    type = place == NONE ? 0 : (uint8_t)(place / 2 + 1 + place % 2 * SIGNED);
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
    .argument = "type=u8, s8, u16, s16, u24, s24, u32 or s32: samples of a raw "
                "file (default u8); a sound file has its own",
    .input = "any file, or " SOUND_INPUT,
    .read = read_stats,
};
