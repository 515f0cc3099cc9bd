/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/sound.h"

#include "qemu/format/sound_header.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"
#include "qemu/base/unpack.h"

#include <inttypes.h>
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BLOCK_FRAMES 256u

/* ---- kinds of files ---- */

const char *sound_format_name(int format)
{
    SF_FORMAT_INFO info = {.format = format};

    sf_command(NULL, SFC_GET_FORMAT_INFO, &info, sizeof info);
    return info.name != NULL ? info.name : "unknown";
}

/* How samples of an encoding are taken. */
struct encoding {
    uint32_t bytes; /* of the integer that a sample becomes */
    bool is_real;   /* the file holds real numbers */
    bool is_whole;  /* the file holds integers */
};

static struct encoding encoding_of(int format)
{
    switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8:
    case SF_FORMAT_DPCM_8:
        return (struct encoding){1, false, true};
    case SF_FORMAT_PCM_16:
    case SF_FORMAT_ALAC_16:
    case SF_FORMAT_DPCM_16:
    case SF_FORMAT_DWVW_12:
    case SF_FORMAT_DWVW_16:
        return (struct encoding){2, false, true};
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_ALAC_20:
    case SF_FORMAT_ALAC_24:
    case SF_FORMAT_DWVW_24:
        return (struct encoding){3, false, true};
    case SF_FORMAT_PCM_32:
    case SF_FORMAT_ALAC_32:
        return (struct encoding){4, false, true};
    case SF_FORMAT_FLOAT:
    case SF_FORMAT_DOUBLE:
        return (struct encoding){4, true, false};
    case SF_FORMAT_VORBIS:
    case SF_FORMAT_OPUS:
    case SF_FORMAT_MPEG_LAYER_I:
    case SF_FORMAT_MPEG_LAYER_II:
    case SF_FORMAT_MPEG_LAYER_III:
        return (struct encoding){2, true, false};
    default: /* mu-law, A-law, ADPCM, GSM: decoders make 16 bits */
        return (struct encoding){2, false, false};
    }
}

/* ---- reading ---- */

struct reader {
    const char *path;
    const char *kind; /* "WAV (Microsoft)" */
    struct sound_header header;
    struct encoding encoding;
    SNDFILE *file;
    SF_INFO info;
    uint64_t most;    /* most bytes of samples */
    uint64_t clipped; /* samples beyond full scale */
    double *block;    /* malloc'd: BLOCK_FRAMES frames */
    bool is_chained;  /* another Ogg stream begins behind the first page */
};

/* Reads frames to `to`. libsndfile gives real numbers, of integers exact ones.
   Returns the number of frames, or -1 after a message. */
static int64_t read_block(uint8_t *to, const struct sound *sound,
                          struct reader *reader)
{
    uint32_t bytes = sound->shape.sample_bytes;
    double scale = ldexp(1, (int)(8 * bytes - 1));
    uint32_t flip = sound->is_unsigned ? 0x80 : 0;
    int64_t got = sf_readf_double(reader->file, reader->block, BLOCK_FRAMES);

    for (int64_t i = 0; i < got * sound->shape.channels; ++i) {
        double exact = reader->block[i] * scale;
        /* SDS has bits below an integer's lowest one. */
        double value = reader->encoding.is_real ? rint(exact) : floor(exact);

        if (!isfinite(value)) {
            file_error(reader->path,
                       "frame %" PRIu64 ", channel %" PRId64 ": is %s; must be "
                       "a finite number",
                       sound->frames + (uint64_t)(i / sound->shape.channels),
                       i % sound->shape.channels,
                       isnan(value) ? "NaN" : "infinite");
            return -1;
        }
        reader->clipped += value > scale || value < -scale;
        value = value > scale - 1 ? scale - 1 : value < -scale ? -scale : value;
        for (uint32_t byte = 0; byte < bytes; ++byte) {
            *to++ = (uint8_t)(((uint32_t)(int32_t)value ^ flip) >> 8 * byte);
        }
    }
    return got;
}

static int read_frames(struct sound *sound, struct reader *reader)
{
    size_t block = (size_t)BLOCK_FRAMES * sound->frame_bytes;
    size_t room = 0;
    int64_t got = 1;

    while (got > 0) {
        size_t used = (size_t)sound->frames * sound->frame_bytes;

        if (used > reader->most) {
            return file_error(reader->path,
                              "%s: expands to more than %" PRIu64
                              " bytes, 64 MiB or 100 times the file",
                              reader->kind, reader->most);
        }
        if (room - used < block) {
            room = 2 * room + block;
            sound->data = memory_or_exit(realloc(sound->data, room));
        }
        got = read_block(sound->data + used, sound, reader);
        sound->frames += got > 0 ? (uint64_t)got : 0;
    }
    return got < 0;
}

/* Notes what became of the samples. */
static void note_conversion(struct format_load *load,
                            const struct reader *reader)
{
    const char *name = file_name(reader->path);
    const char *encoding =
        sound_format_name(reader->info.format & SF_FORMAT_SUBMASK);
    unsigned bits = 8 * reader->encoding.bytes;

    if (reader->encoding.is_real) {
        format_note(load,
                    "%s: its samples (%s) became %u-bit integers: full scale, "
                    "1.0, is 2^%u; %" PRIu64 " beyond it were clipped.",
                    name, encoding, bits, bits - 1, reader->clipped);
    } else if (!reader->encoding.is_whole) {
        format_note(load,
                    "%s: its samples (%s) became the %u-bit integers that they "
                    "stand for.",
                    name, encoding, bits);
    }
}

/* Notes choices on the file's length that the user may not expect. */
static void note_length(struct format_load *load, const struct reader *reader,
                        uint64_t frames)
{
    const struct sound_header *header = &reader->header;
    const char *name = file_name(reader->path);
    bool is_ogg = (reader->info.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_OGG;
    bool is_endless = reader->info.frames == SF_COUNT_MAX;
    char log[4096] = "";

    if (is_ogg && is_endless) {
        format_note(load,
                    "%s is cut short, or other bytes are behind its end: "
                    "%" PRIu64 " frames were taken.",
                    name, frames);
    } else if (header->is_open || is_endless) {
        format_note(load,
                    "The header of %s leaves its length open: all to the "
                    "file's end was taken, %" PRIu64 " frames.",
                    name, frames);
    }
    if (header->is_last) {
        format_note(load,
                    "%s has several data chunks: the last was taken, %" PRIu64
                    " frames.",
                    name, frames);
    }
    if (is_ogg && reader->is_chained) {
        format_note(load,
                    "%s has several streams: the first was taken, %" PRIu64
                    " frames.",
                    name, frames);
    }
    if (header->there < header->stated) {
        format_note(load,
                    "%s is cut short: its header says %" PRIu64
                    " bytes of samples, %" PRIu64 " are there; %" PRIu64
                    " frames were taken.",
                    name, header->stated, header->there, frames);
        return;
    }
    if (!is_endless && frames < (uint64_t)reader->info.frames) {
        format_note(load,
                    "%s is cut short or damaged: %" PRIu64 " of its %" PRId64
                    " frames were taken%s%s",
                    name, frames, (int64_t)reader->info.frames,
                    sf_error(reader->file) != 0 ? "; " : ".",
                    sf_error(reader->file) != 0 ? sf_strerror(reader->file)
                                                : "");
    }
    sf_command(reader->file, SFC_GET_LOG_INFO, log, sizeof log);
    if (!header->is_wav && (strstr(log, "(should be ") != NULL ||
                            strstr(log, "truncated") != NULL)) {
        format_note(load,
                    "The header of %s gives another length than the file "
                    "has: %" PRIu64 " frames were taken.",
                    name, frames);
    }
}

/* Sets the form of a file without header, which its name tells alone. */
static void take_suffix(SF_INFO *info, const char *path)
{
    const char *dot = strrchr(path, '.');
    int encoding = dot == NULL                    ? 0
                   : strcasecmp(dot, ".gsm") == 0 ? SF_FORMAT_GSM610
                   : strcasecmp(dot, ".vox") == 0 ? SF_FORMAT_VOX_ADPCM
                                                  : 0;

    if (encoding != 0) {
        *info = (SF_INFO){.samplerate = 8000,
                          .channels = 1,
                          .format = SF_FORMAT_RAW | encoding};
    }
}

/* Opens a copy of the file with the mended header. Returns 0, 1 after a
   message, or SOUND_NONE. */
static int open_copy(struct reader *reader)
{
    const struct sound_header *header = &reader->header;
    int file = process_memory();
    char name[32];
    const char *why;

    if (!process_memory_write(file, header->file, header->bytes, 0)) {
        process_close(file);
        return file_error(reader->path, "no memory for a copy");
    }
    if (!header->is_wav) {
        take_suffix(&reader->info, reader->path);
    }
    /* A descriptor alone lets libsndfile look for ./._ beside it. */
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    reader->file = sf_open(name, SFM_READ, &reader->info);
    process_close(file);
    if (reader->file != NULL) {
        return 0;
    }
    why = sf_strerror(NULL);
    if (sf_error(NULL) == SF_ERR_UNRECOGNISED_FORMAT) {
        return SOUND_NONE;
    }
    return file_error(reader->path, "cannot be read as a sound: %s",
                      strstr(why, "SF_INFO") != NULL ||
                              strstr(why, "internal error") != NULL
                          ? "its encoding, bits, sample rate or channels are "
                            "none that libsndfile knows"
                          : why);
}

static int read_all(struct sound *sound, struct format_load *load,
                    struct reader *reader)
{
    const SF_INFO *info = &reader->info;
    int status;

    reader->kind = sound_format_name(info->format & SF_FORMAT_TYPEMASK);
    reader->encoding = encoding_of(info->format);
    sound->is_unsigned = (info->format & SF_FORMAT_SUBMASK) == SF_FORMAT_PCM_U8;
    sound->shape = (struct sound_shape){
        (uint32_t)info->channels,
        reader->header.rate_is_odd ? 0 : (uint32_t)info->samplerate,
        reader->encoding.bytes, info->format};
    sound->frame_bytes = sound->shape.channels * sound->shape.sample_bytes;
    reader->block = memory_or_exit(
        malloc((size_t)BLOCK_FRAMES * sound->shape.channels * sizeof(double)));
    status = read_frames(sound, reader);
    free(reader->block);
    if (status == 0) {
        note_conversion(load, reader);
        note_length(load, reader, sound->frames);
    }
    return status;
}

int sound_decode(struct sound *sound, struct format_load *load,
                 const char *path, uint8_t *file, uint64_t bytes)
{
    struct reader reader = {
        .path = path,
        .most = unpack_limit(bytes),
        .is_chained =
            bytes > 0 &&
            memmem(file + 1, bytes - 1, "OggS\0\2\0\0\0\0\0\0\0", 13) != NULL};
    int status = sound_header_mend(&reader.header, path, file, bytes);

    *sound = (struct sound){.data = NULL};
    status = status == 0 ? open_copy(&reader) : status;
    if (status != 0) {
        return status;
    }
    status = read_all(sound, load, &reader);
    sf_close(reader.file);
    if (status != 0) {
        free(sound->data);
        sound->data = NULL;
    }
    return status;
}

int sound_read(struct sound *sound, struct format_load *load, const char *path)
{
    uint8_t *file;
    uint64_t bytes;
    const char *kind;
    int status = format_read_file(load, &file, &bytes, path);

    if (status != 0) {
        return status;
    }
    kind = format_kind(file, bytes, false);
    status = sound_decode(sound, load, path, file, bytes);
    free(file);
    return status != SOUND_NONE
               ? status
               : file_error(path,
                            "is %s; must be WAV, AIFF, AU, FLAC, Ogg, "
                            "MP3, CAF or another that libsndfile reads",
                            kind != NULL ? kind : "no sound file");
}
