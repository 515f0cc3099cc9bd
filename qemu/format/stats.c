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

static const struct {
    const char *name;
    uint8_t type; /* the kernel's argument */
} types[] = {{"u8", 1},  {"s8", SIGNED + 1},  {"u16", 2}, {"s16", SIGNED + 2},
             {"u24", 3}, {"s24", SIGNED + 3}, {"u32", 4}, {"s32", SIGNED + 4}};

#define TYPES (sizeof types / sizeof *types)

static const char *choice(size_t index)
{
    return index < TYPES ? types[index].name : NULL;
}

static const struct option_row rows[] = {
    {"type", "T", 0, OPTION_CHOICE, 0, sizeof(uint8_t), .choice = choice}};

static const char *type_name(uint8_t type)
{
    size_t i = 0;

    while (i + 1 < TYPES && types[i].type != type) {
        ++i;
    }
    return types[i].name;
}

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

static int refuse_type(const char *path, uint8_t type, uint8_t is)
{
    return usage_error("--arg: type '%s': samples of %s are %s; leave type= "
                       "out, or --as-is takes its bytes",
                       type_name(type), file_name(path), type_name(is));
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
    if (status == SOUND_NONE && kind == NULL && !load->as_is &&
        load->units > 0 && sound_is_named(path)) {
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
    uint8_t place = TYPES;
    uint8_t type; /* 0: not given */
    int status =
        format_parse_arg(load, OPTION_TABLE(rows), arg, arg_bytes, &place);

    if (status != 0) {
        return status;
    }
    type = place < TYPES ? types[place].type : 0;
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
