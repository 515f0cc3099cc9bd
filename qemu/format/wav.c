/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/wav.h"

#include "hal/bytes.h"
#include "qemu/support/file.h"
#include "qemu/support/memory.h"

#include <inttypes.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any header that libsndfile writes. */
#define HEADER_ROOM 4096

#define RIFF_BYTES 12u /* before the first chunk */
#define CHUNK_BYTES 8u /* before a chunk's contents */

#define LITTLE_ENDIAN_RIFF "WAV header: must be little-endian RIFF"

/* ---- a file in memory, for libsndfile ---- */

struct memory {
    uint8_t *data;
    int64_t bytes; /* of the file */
    int64_t room;  /* to write, 0 if it is only read */
    int64_t at;
};

static sf_count_t memory_length(void *context)
{
    return ((struct memory *)context)->bytes;
}

static sf_count_t memory_tell(void *context)
{
    return ((struct memory *)context)->at;
}

static sf_count_t memory_seek(sf_count_t offset, int whence, void *context)
{
    struct memory *memory = (struct memory *)context;
    int64_t from = whence == SEEK_SET   ? 0
                   : whence == SEEK_CUR ? memory->at
                                        : memory->bytes;

    if (offset < -from || offset > INT64_MAX - from) {
        return -1;
    }
    memory->at = from + offset;
    return memory->at;
}

static sf_count_t memory_read(void *to, sf_count_t bytes, void *context)
{
    struct memory *memory = (struct memory *)context;
    int64_t left = memory->bytes - memory->at;

    if (bytes > left) {
        bytes = left;
    }
    if (bytes <= 0) {
        return 0;
    }
    memcpy(to, memory->data + memory->at, (size_t)bytes);
    memory->at += bytes;
    return bytes;
}

static sf_count_t memory_write(const void *from, sf_count_t bytes,
                               void *context)
{
    struct memory *memory = (struct memory *)context;

    if (bytes <= 0 || bytes > memory->room - memory->at) {
        return 0;
    }
    memcpy(memory->data + memory->at, from, (size_t)bytes);
    memory->at += bytes;
    memory->bytes = memory->at > memory->bytes ? memory->at : memory->bytes;
    return bytes;
}

static SNDFILE *memory_open(struct memory *memory, int mode, SF_INFO *info)
{
    SF_VIRTUAL_IO calls = {memory_length, memory_seek, memory_read,
                           memory_write, memory_tell};

    return sf_open_virtual(&calls, mode, info, memory);
}

/* ---- reading ---- */

bool wav_begins(const uint8_t *file, uint64_t bytes)
{
    return bytes >= 12 && memcmp(file + 8, "WAVE", 4) == 0 &&
           (memcmp(file, "RIFF", 4) == 0 || memcmp(file, "RIFX", 4) == 0 ||
            memcmp(file, "RF64", 4) == 0);
}

/* Bytes of the data chunk as the header says, which libsndfile corrects in all
   else where the file ends before. -1: not known. */
static int64_t data_bytes(SNDFILE *file)
{
    SF_CHUNK_INFO chunk = {.id = "data", .id_size = 4};
    SF_CHUNK_ITERATOR *at = sf_get_chunk_iterator(file, &chunk);

    if (at == NULL || sf_get_chunk_size(at, &chunk) != SF_ERR_NO_ERROR) {
        return -1;
    }
    return chunk.datalen;
}

/*
 * Where a file's samples end, by its chunks: libsndfile need not look at what
 * is behind them. Nor at a chunk before them that is longer than the file:
 * libsndfile 1.2 goes on in it for minutes (its issue 1118). 0: there is one,
 * at *place.
 */
static uint64_t end_of_samples(uint64_t *place, const uint8_t *file,
                               uint64_t bytes)
{
    uint64_t at = RIFF_BYTES;

    while (at < bytes && bytes - at >= CHUNK_BYTES) {
        uint64_t left = bytes - at - CHUNK_BYTES;
        uint64_t size = bytes_load_u32(file + at + 4);
        bool samples = memcmp(file + at, "data", 4) == 0;

        if (!samples && size > left) {
            *place = at;
            return 0;
        }
        if (samples) {
            return at + CHUNK_BYTES + (size < left ? size : left);
        }
        at += CHUNK_BYTES + size + size % 2;
    }
    return bytes;
}

static uint32_t sample_bytes(const SF_INFO *info)
{
    switch (info->format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_U8:
        return 1;
    case SF_FORMAT_PCM_16:
        return 2;
    case SF_FORMAT_PCM_32:
        return 4;
    default:
        return 0;
    }
}

static int read_info(struct wav *wav, const SF_INFO *info, const char *path,
                     uint32_t allowed)
{
    int type = info->format & SF_FORMAT_TYPEMASK;

    if ((type != SF_FORMAT_WAV && type != SF_FORMAT_WAVEX) ||
        (info->format & SF_FORMAT_ENDMASK) == SF_ENDIAN_BIG) {
        return file_error(path, LITTLE_ENDIAN_RIFF);
    }
    if (info->channels < 1 || info->channels > (int)WAV_CHANNELS_MAX ||
        info->samplerate < 1) {
        return file_error(path,
                          "WAV header: %d channels at %d Hz; 1 to %u channels "
                          "are taken",
                          info->channels, info->samplerate, WAV_CHANNELS_MAX);
    }
    wav->sample_bytes = sample_bytes(info);
    if ((wav->sample_bytes & allowed) == 0) {
        return file_error(
            path, allowed == WAV_16_BITS
                      ? "WAV header: samples must be PCM of 16 bits"
                      : "WAV header: samples must be PCM of 8, 16 or 32 bits");
    }
    wav->channels = (uint32_t)info->channels;
    wav->frame_bytes = wav->channels * wav->sample_bytes;
    wav->rate = (uint32_t)info->samplerate;
    return 0;
}

static int truncated(const struct wav *wav, const char *path, int64_t got)
{
    return file_error(path,
                      "truncated: the header says %" PRIu64
                      " frames, the file ends after %" PRId64,
                      wav->frames, got < 0 ? 0 : got / wav->frame_bytes);
}

/* `most`: bytes of samples in the file. */
static int read_frames(struct wav *wav, SNDFILE *file, const char *path,
                       int64_t most)
{
    int64_t bytes = data_bytes(file);
    int64_t got;

    if (bytes < 0 || bytes % wav->frame_bytes != 0) {
        return file_error(path,
                          "WAV header: %" PRId64 " bytes of samples; must be a "
                          "multiple of %u",
                          bytes, wav->frame_bytes);
    }
    wav->frames = (uint64_t)bytes / wav->frame_bytes;
    if (most < bytes) {
        return truncated(wav, path, most);
    }
    wav->data = memory_or_exit(malloc((size_t)bytes + 1));
    got = sf_read_raw(file, wav->data, bytes);
    if (got != bytes) {
        free(wav->data);
        wav->data = NULL;
        return truncated(wav, path, got);
    }
    return 0;
}

/* `file` is of `bytes` that libsndfile is to see. */
static int decode(struct wav *wav, const char *path, const uint8_t *file,
                  uint64_t bytes, uint32_t allowed)
{
    struct memory memory = {.data = (uint8_t *)file, .bytes = (int64_t)bytes};
    SF_INFO info = {.format = 0};
    SNDFILE *open = memory_open(&memory, SFM_READ, &info);
    int status;

    if (open == NULL) {
        return file_error(path, "WAV header: %s", sf_strerror(NULL));
    }
    status = read_info(wav, &info, path, allowed);
    if (status == 0) {
        status = read_frames(wav, open, path, info.frames * wav->frame_bytes);
    }
    sf_close(open);
    return status;
}

int wav_decode(struct wav *wav, const char *path, const uint8_t *file,
               uint64_t bytes, uint32_t allowed)
{
    uint64_t place = 0;
    uint64_t end;

    *wav = (struct wav){.data = NULL};
    if (!wav_begins(file, bytes)) {
        return file_error(path, "is no WAV file");
    }
    if (memcmp(file, "RIFF", 4) != 0) {
        return file_error(path, LITTLE_ENDIAN_RIFF);
    }
    end = end_of_samples(&place, file, bytes);
    if (end == 0) {
        return file_error(path,
                          "WAV header: the chunk at byte %" PRIu64
                          " is longer than the file",
                          place);
    }
    return decode(wav, path, file, end, allowed);
}

int wav_read(struct wav *wav, struct format_load *load, const char *path,
             uint32_t allowed)
{
    uint8_t *file;
    uint64_t bytes;
    int status = format_read_file(load, &file, &bytes, path);

    if (status == 0) {
        status = wav_decode(wav, path, file, bytes, allowed);
        free(file);
    }
    return status;
}

/* ---- writing ---- */

int wav_write(FILE *out, const char *path, const uint8_t *data, uint64_t bytes,
              uint32_t channels, uint32_t rate)
{
    SF_INFO info = {.channels = (int)channels,
                    .samplerate = (int)rate,
                    .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
    struct memory memory = {.room = (int64_t)bytes + HEADER_ROOM};
    SNDFILE *file;
    bool written;

    memory.data = memory_or_exit(malloc((size_t)memory.room));
    file = memory_open(&memory, SFM_WRITE, &info);
    written = file != NULL &&
              sf_write_raw(file, data, (int64_t)bytes) == (int64_t)bytes;
    written &= file != NULL && sf_close(file) == 0;
    if (written) {
        fwrite(memory.data, 1, (size_t)memory.bytes, out);
    } else {
        file_error(path, "%s", sf_strerror(NULL));
    }
    free(memory.data);
    return written ? 0 : 1;
}
