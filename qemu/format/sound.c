/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/sound.h"

#include "hal/bytes.h"
#include "qemu/format/sound_header.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"
#include "qemu/base/unpack.h"

#include <inttypes.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK_FRAMES 256u

/* From this length on, in bytes, a length means "unknown": SoX writes it into a
   pipe. */
#define OPEN_BYTES 0x7f000000u

/* ---- kinds of files ---- */

struct mark {
    const char *name;
    const char *first; /* bytes at the begin of the file */
    uint32_t first_bytes;
    const char *later; /* bytes at offset `at` of the file */
    uint32_t at;
    /* Reads the header of a file of this kind. NULL: this kind is refused. */
    int (*read)(struct sound_header *header, const char *path, uint8_t *file,
                uint64_t bytes);
};

/* Takes the header of a FLAC file as it is: it needs no correction. */
static int read_flac(struct sound_header *header, const char *path,
                     uint8_t *file, uint64_t bytes)
{
    (void)path;
    header->file = file;
    header->bytes = bytes;
    return 0;
}

static const struct mark marks[] = {
    {"WAV", "RIFF", 4, "WAVE", 8, sound_header_wav},
    {"WAV", "RIFX", 4, "WAVE", 8, sound_header_wav},
    {"WAV", "RF64", 4, "WAVE", 8, sound_header_wav},
    {"WAV", "BW64", 4, "WAVE", 8, sound_header_wav},
    {"WAV", "riff", 4, "WAVE", 8, sound_header_wav},
    {"AIFF", "FORM", 4, "AIFF", 8, sound_header_aiff},
    {"AIFF", "FORM", 4, "AIFC", 8, sound_header_aiff},
    {"AU", ".snd", 4, "", 0, sound_header_au},
    {"AU", "dns.", 4, "", 0, sound_header_au},
    {"FLAC", "fLaC", 4, "", 0, read_flac},
    {"Ogg", "OggS", 4, "", 0, NULL},
    {"MP3", "ID3", 3, "", 0, NULL},
    {"AAC", "\xff\xf1", 2, "", 0, NULL},
    {"AAC", "\xff\xf9", 2, "", 0, NULL},
    {"AAC", "ADIF", 4, "", 0, NULL},
    {"M4A", "", 0, "ftypM4A", 4, NULL},
    {"MP4 or QuickTime", "", 0, "ftyp", 4, NULL},
    {"WMA", "\x30\x26\xb2\x75\x8e\x66\xcf\x11", 8, "", 0, NULL},
    {"CAF", "caff\0\1", 6, "", 0, NULL},
    {"Wave64", "riff\x2e\x91\xcf\x11", 8, "", 0, NULL},
    {"8SVX", "FORM", 4, "8SVX", 8, NULL},
    {"16SV", "FORM", 4, "16SV", 8, NULL},
    {"MIDI", "MThd\0\0\0\6", 8, "", 0, NULL},
    {"MIDI", "RIFF", 4, "RMID", 8, NULL},
    {"AVI", "RIFF", 4, "AVI ", 8, NULL},
    {"Matroska or WebM", "\x1a\x45\xdf\xa3", 4, "", 0, NULL},
    {"DTS", "\x7f\xfe\x80\1", 4, "", 0, NULL},
    {"DSD", "DSD ", 4, "", 0, NULL},
    {"DSDIFF", "FRM8", 4, "", 0, NULL},
    {"Musepack", "MPCK", 4, "", 0, NULL},
    {"Musepack", "MP+", 3, "", 0, NULL},
    {"TAK", "tBaK", 4, "", 0, NULL},
    {"OptimFROG", "OFR ", 4, "", 0, NULL},
    {"RealAudio", ".ra\xfd", 4, "", 0, NULL},
    {"RealMedia", ".RMF", 4, "", 0, NULL},
    {"IRCAM", "\x64\xa3\1\0", 4, "", 0, NULL},
    {"IRCAM", "\x64\xa3\2\0", 4, "", 0, NULL},
    {"PAF", " paf", 4, "", 0, NULL},
    {"VOC", "Creative Voice File\x1a", 20, "", 0, NULL},
    {"NIST", "NIST_1A\n", 8, "", 0, NULL},
    {"WavPack", "wvpk", 4, "", 0, NULL},
    {"Monkey's Audio", "MAC ", 4, "", 0, NULL},
    {"True Audio", "TTA1", 4, "", 0, NULL},
    {"AMR", "#!AMR", 5, "", 0, NULL}};

static const struct mark mp3 = {.name = "MP3"};

/* Returns the length of the MP3 frame at `at`, by its header (ISO 11172-3,
   2.4.1.3, layer III; 13818-3 for the lower rates); 0 if there is no frame. */
static uint32_t mp3_frame(const uint8_t *at, uint64_t bytes)
{
    static const uint16_t kbit[2][15] = {
        {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
        {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}};
    static const uint16_t rates[] = {44100, 48000, 32000};
    unsigned version =
        bytes < 4 ? 1 : at[1] >> 3 & 3; /* 3: MPEG 1; 2: MPEG 2; 0: MPEG 2.5 */
    bool low = version != 3;
    uint32_t rate;

    if (version == 1 || at[0] != 0xff || (at[1] & 0xe6) != 0xe2 ||
        at[2] >> 4 == 0 || at[2] >> 4 == 15 || (at[2] >> 2 & 3) == 3) {
        return 0;
    }
    rate = (uint32_t)rates[at[2] >> 2 & 3] >> (version == 0 ? 2 : low);
    return (low ? 72000u : 144000u) * kbit[low][at[2] >> 4] / rate +
           (at[2] >> 1 & 1);
}

/* Returns whether a file without a mark is MP3: an MP3 frame, then another one
   or the end. */
static bool is_mp3(const uint8_t *file, uint64_t bytes)
{
    uint32_t first = mp3_frame(file, bytes);

    return first != 0 &&
           (first == bytes ||
            (first < bytes && mp3_frame(file + first, bytes - first) != 0));
}

static const struct mark *mark_of(const uint8_t *file, uint64_t bytes)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
        const struct mark *mark = &marks[i];
        size_t later = strlen(mark->later);

        if (bytes >= mark->first_bytes && bytes >= mark->at + later &&
            memcmp(file, mark->first, mark->first_bytes) == 0 &&
            memcmp(file + mark->at, mark->later, later) == 0) {
            return mark;
        }
    }
    return is_mp3(file, bytes) ? &mp3 : NULL;
}

const char *sound_named(bool *taken, const uint8_t *file, uint64_t bytes)
{
    const struct mark *mark = mark_of(file, bytes);

    *taken = mark != NULL && mark->read != NULL;
    return mark != NULL ? mark->name : NULL;
}

/* ---- reading ---- */

struct reader {
    const char *path;
    const struct mark *mark;
    struct sound_header header;
    SNDFILE *file;
    SF_INFO info;
    uint64_t most; /* most bytes that the samples may have */
};

static int read_sample_bytes(struct sound *sound, const struct reader *reader,
                             uint32_t wanted)
{
    int format = reader->info.format & SF_FORMAT_SUBMASK;
    SF_FORMAT_INFO name = {.format = format};

    sound->is_signed = format != SF_FORMAT_PCM_U8;
    sound->sample_bytes = format == SF_FORMAT_PCM_32                        ? 4
                          : format == SF_FORMAT_PCM_16                      ? 2
                          : format == SF_FORMAT_PCM_S8 || !sound->is_signed ? 1
                                                                            : 0;
    if ((sound->sample_bytes & wanted) != 0) {
        return 0;
    }
    sf_command(NULL, SFC_GET_FORMAT_INFO, &name, sizeof name);
    return file_error(
        reader->path, "%s header: samples are %s; must be PCM of %s",
        reader->mark->name, name.name != NULL ? name.name : "of another kind",
        (wanted & SOUND_8_BITS) == 0 ? "16 bits" : "8, 16 or 32 bits");
}

static int read_info(struct sound *sound, const struct reader *reader,
                     uint32_t wanted)
{
    const SF_INFO *info = &reader->info;

    if ((wanted & SOUND_RATE) != 0 && reader->header.rate_is_odd) {
        return file_error(reader->path,
                          "%s header: the sample rate is %" PRIu32
                          " Hz; must be 1 or more, and below 2^31",
                          reader->mark->name, reader->header.odd_rate);
    }
    if (info->channels < 1 || info->channels > (int)SOUND_CHANNELS_MAX ||
        info->samplerate < 1) {
        return file_error(reader->path,
                          "%s header: %d channels at %d Hz; 1 to %u channels "
                          "are taken",
                          reader->mark->name, info->channels, info->samplerate,
                          SOUND_CHANNELS_MAX);
    }
    if (read_sample_bytes(sound, reader, wanted) != 0) {
        return 1;
    }
    sound->channels = (uint32_t)info->channels;
    sound->frame_bytes = sound->channels * sound->sample_bytes;
    sound->rate = (uint32_t)info->samplerate;
    return 0;
}

/* Reads frames (a sample of each channel). libsndfile gives samples of any
   length as the upper bits of an int, and unsigned ones less 128. Returns the
   number of frames. */
static int64_t read_block(uint8_t *to, const struct sound *sound,
                          const struct reader *reader)
{
    int block[BLOCK_FRAMES * SOUND_CHANNELS_MAX];
    int64_t got = sf_readf_int(reader->file, block, BLOCK_FRAMES);

    for (int64_t i = 0; i < got * sound->channels; ++i) {
        uint32_t value =
            (uint32_t)block[i] ^ (sound->is_signed ? 0 : 0x80000000u);

        for (uint32_t left = sound->sample_bytes; left > 0; --left) {
            *to++ = (uint8_t)(value >> (32 - 8 * left));
        }
    }
    return got;
}

static int read_frames(struct sound *sound, const struct reader *reader)
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
                              reader->mark->name, reader->most);
        }
        if (room - used < block) {
            room = 2 * room + block;
            sound->data = memory_or_exit(realloc(sound->data, room));
        }
        got = read_block(sound->data + used, sound, reader);
        sound->frames += got > 0 ? (uint64_t)got : 0;
    }
    return 0;
}

static int truncated(const struct reader *reader, uint64_t stated,
                     uint64_t there)
{
    return file_error(reader->path,
                      "truncated: the header says %" PRIu64
                      " frames, the file ends after %" PRIu64,
                      stated, there);
}

static int check_bytes(const struct sound *sound, const struct reader *reader)
{
    const struct sound_header *header = &reader->header;

    if (!header->is_counted || header->counts_frames || header->is_open) {
        return 0;
    }
    if (header->stated % sound->frame_bytes != 0) {
        return file_error(reader->path,
                          "%s header: %" PRIu64 " bytes of samples; must be a "
                          "multiple of %u",
                          reader->mark->name, header->stated,
                          sound->frame_bytes);
    }
    return header->there < header->stated
               ? truncated(reader, header->stated / sound->frame_bytes,
                           header->there / sound->frame_bytes)
               : 0;
}

static int check_frames(const struct sound *sound, struct reader *reader)
{
    struct sound_header *header = &reader->header;
    uint64_t stated = header->stated / sound->frame_bytes;

    if (header->counts_frames) {
        stated = header->stated;
        header->is_open =
            sound->frames > 0 &&
            (stated == 0 || (stated > sound->frames &&
                             stated * sound->frame_bytes >= OPEN_BYTES));
    } else if (!header->is_counted) { /* FLAC */
        stated = (uint64_t)reader->info.frames;
        header->is_open = stated == 0 || stated >= SF_COUNT_MAX;
    }
    if (header->is_open || stated == sound->frames) {
        return 0;
    }
    if (stated < sound->frames) {
        return file_error(reader->path,
                          "%s header: says %" PRIu64 " frames, the samples are "
                          "%" PRIu64,
                          reader->mark->name, stated, sound->frames);
    }
    return truncated(reader, stated, sound->frames);
}

static int read_all(struct sound *sound, struct reader *reader, uint32_t wanted)
{
    int status = read_info(sound, reader, wanted);

    status = status == 0 ? check_bytes(sound, reader) : status;
    status = status == 0 ? read_frames(sound, reader) : status;
    if (status == 0 && sf_error(reader->file) != SF_ERR_NO_ERROR) {
        return file_error(reader->path, "%s: frame %" PRIu64 ": %s",
                          reader->mark->name, sound->frames,
                          sf_strerror(reader->file));
    }
    return status == 0 ? check_frames(sound, reader) : status;
}

static int refuse(const char *path, const struct mark *mark)
{
    return mark == NULL
               ? file_error(path, "is no sound file; must be WAV, AIFF, AU or "
                                  "FLAC")
               : file_error(path, "is %s; must be WAV, AIFF, AU or FLAC",
                            mark->name);
}

/* Adds notes on what the user may not expect of how the file was read. */
static void tell(struct format_load *load, const struct reader *reader,
                 uint64_t frames)
{
    if (reader->header.is_open) {
        format_note(load,
                    "The header of %s leaves its length open: all to the "
                    "file's end was taken, %" PRIu64 " frames.",
                    file_name(reader->path), frames);
    }
    if (reader->header.is_last) {
        format_note(load,
                    "%s has several data chunks: the last was taken, %" PRIu64
                    " frames.",
                    file_name(reader->path), frames);
    }
}

static int open_copy(struct reader *reader)
{
    int file = process_memory();
    const char *why;

    if (!process_memory_write(file, reader->header.file,
                              (size_t)reader->header.bytes, 0)) {
        process_close(file);
        return file_error(reader->path, "no memory for a copy");
    }
    reader->file = sf_open_fd(file, SFM_READ, &reader->info, SF_TRUE);
    if (reader->file != NULL) {
        return 0;
    }
    why = sf_strerror(NULL);
    return file_error(reader->path, "%s header: %s%s", reader->mark->name,
                      reader->header.format,
                      strstr(why, "SF_INFO") != NULL
                          ? "its sample rate or its channels cannot be"
                          : why);
}

int sound_decode(struct sound *sound, struct format_load *load,
                 const char *path, uint8_t *file, uint64_t bytes,
                 uint32_t wanted)
{
    struct reader reader = {.path = path,
                            .mark = mark_of(file, bytes),
                            .most = unpack_limit(bytes)};
    int status;

    *sound = (struct sound){.data = NULL};
    if (reader.mark == NULL || reader.mark->read == NULL) {
        return refuse(path, reader.mark);
    }
    status = reader.mark->read(&reader.header, path, file, bytes);
    status = status == 0 ? open_copy(&reader) : status;
    if (status != 0) {
        return status;
    }
    status = read_all(sound, &reader, wanted);
    sf_close(reader.file);
    if (status != 0) {
        free(sound->data);
        sound->data = NULL;
    } else {
        tell(load, &reader, sound->frames);
    }
    return status;
}

int sound_read(struct sound *sound, struct format_load *load, const char *path,
               uint32_t wanted)
{
    uint8_t *file;
    uint64_t bytes;
    int status = format_read_file(load, &file, &bytes, path);

    if (status == 0) {
        status = sound_decode(sound, load, path, file, bytes, wanted);
        free(file);
    }
    return status;
}

/* ---- writing ---- */

int sound_write(FILE *out, const char *path, const uint8_t *data,
                uint64_t bytes, uint32_t channels, uint32_t rate)
{
    SF_INFO info = {.channels = (int)channels,
                    .samplerate = (int)rate,
                    .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
    FILE *copy = fdopen(process_memory(), "w+b");
    SNDFILE *file;
    struct stat is = {.st_size = 0};
    uint8_t *whole = NULL;
    bool written;
    int status;

    if (copy == NULL) {
        return file_error(path, "no memory for a copy");
    }
    file = sf_open_fd(fileno(copy), SFM_WRITE, &info, SF_FALSE);
    written = file != NULL &&
              sf_write_raw(file, data, (int64_t)bytes) == (int64_t)bytes;
    written &=
        file != NULL && sf_close(file) == 0 && fstat(fileno(copy), &is) == 0;
    status = written ? file_read_open(&whole, copy, (uint64_t)is.st_size, path)
                     : file_error(path, "%s", sf_strerror(NULL));
    if (status == 0) {
        fwrite(whole, 1, (size_t)is.st_size, out);
    }
    free(whole);
    fclose(copy);
    return status;
}
