/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/sound_header.h"

#include "qemu/base/file.h"

#include <inttypes.h>
#include <string.h>

#define FORM_BYTES 12u /* bytes before the first chunk */
#define CHUNK_BYTES 8u /* bytes before a chunk's contents */
#define CAF_BYTES 12u  /* bytes before the contents of a CAF chunk */
#define AU_BYTES 24u
#define RATE_MAX INT32_MAX /* libsndfile's limit */

/* Lengths of at least this mean "unknown": SoX writes 7f000000 and 7ffff000
   into a pipe, other programs 7fffffff, 80000000 or ffffffff. */
#define OPEN_LENGTH 0x7f000000u

static bool is_named(const uint8_t *at, const char *name)
{
    return memcmp(at, name, 4) == 0;
}

/* Loads a number of `bytes` bytes. */
static uint64_t load(const uint8_t *at, uint32_t bytes, bool is_big)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes; ++i) {
        value = value << 8 | at[is_big ? i : bytes - 1 - i];
    }
    return value;
}

static void store(uint8_t *at, uint32_t value, bool is_big)
{
    for (uint32_t i = 0; i < 4; ++i) {
        at[is_big ? 3 - i : i] = (uint8_t)(value >> 8 * i);
    }
}

/* Hides an invalid rate, u32 at `at`, from libsndfile. */
static void check_rate(struct sound_header *header, uint8_t *at, bool is_big)
{
    uint64_t rate = load(at, 4, is_big);

    if (rate == 0 || rate > RATE_MAX) {
        header->rate_is_odd = true;
        header->odd_rate = (uint32_t)rate;
        store(at, 1, is_big);
    }
}

/* Sets the length of the samples, by the header, `size`, and by the file,
   `left`. */
static void measure(struct sound_header *header, uint64_t size, uint64_t left)
{
    header->is_open = (size >= OPEN_LENGTH && size > left) || size == 0;
    header->stated = header->is_open ? left : size;
    header->there = header->stated < left ? header->stated : left;
    header->is_open &= left > 0;
}

/* ---- files of chunks: WAV and AIFF ---- */

/* How a kind of file names its chunks. */
struct kind {
    const char *name;
    bool is_big;
    const char *kept[3];   /* chunks that are kept, the format first */
    uint32_t format_bytes; /* least bytes of the format's contents */
    const char *samples;
};

static const struct kind wav = {"WAV", false, {"fmt ", "fact", ""}, 16, "data"};
static const struct kind rifx = {"WAV", true, {"fmt ", "fact", ""}, 16, "data"};
static const struct kind aiff = {
    "AIFF", true, {"COMM", "FVER", ""}, 18, "SSND"};

static const struct kind *kind_of(const uint8_t *file, uint64_t bytes)
{
    if (bytes < FORM_BYTES) {
        return NULL;
    }
    if (is_named(file, "FORM")) {
        return is_named(file + 8, "AIFF") || is_named(file + 8, "AIFC") ? &aiff
                                                                        : NULL;
    }
    return !is_named(file + 8, "WAVE") ? NULL
           : is_named(file, "RIFX")    ? &rifx
           : is_named(file, "RIFF") || is_named(file, "RF64") ||
                   is_named(file, "BW64")
               ? &wav
               : NULL;
}

/* What find_chunks() finds. */
struct chunks {
    const uint8_t *kept[3]; /* as in struct kind; NULL: not found */
    uint64_t samples;       /* offset of the chunk; 0: not found */
    uint64_t long_bytes;    /* length of the samples that RF64 gives */
};

/* Returns whether the bytes are chunks up to the end, and thus no samples. */
static bool are_chunks(const uint8_t *at, uint64_t bytes, bool is_big)
{
    while (bytes >= CHUNK_BYTES) {
        uint64_t size = load(at + 4, 4, is_big);
        uint64_t whole = CHUNK_BYTES + size + size % 2;

        for (int i = 0; i < 4; ++i) {
            if (at[i] < ' ' || at[i] > '~') {
                return false;
            }
        }
        if (size > bytes - CHUNK_BYTES) {
            return false;
        }
        at += whole < bytes ? whole : bytes;
        bytes -= whole < bytes ? whole : bytes;
    }
    return bytes == 0;
}

/* Returns the offset of the last of several data chunks, which FFmpeg takes. */
static uint64_t find_last(const struct kind *kind, uint64_t samples,
                          const uint8_t *file, uint64_t bytes)
{
    uint64_t at = samples;
    uint64_t size = load(file + at + 4, 4, kind->is_big);

    while (size + size % 2 <= bytes - at - CHUNK_BYTES) {
        at += CHUNK_BYTES + size + size % 2;
        if (bytes - at < CHUNK_BYTES ||
            !are_chunks(file + at, bytes - at, kind->is_big)) {
            break;
        }
        size = load(file + at + 4, 4, kind->is_big);
        samples = is_named(file + at, kind->samples) && size > 0 ? at : samples;
    }
    return samples;
}

/* Finds the chunks up to the samples; those of AIFF files may follow them. */
static int find_chunks(struct chunks *chunks, const struct kind *kind,
                       const char *path, const uint8_t *file, uint64_t bytes)
{
    uint64_t at = FORM_BYTES;

    *chunks = (struct chunks){.samples = 0};
    while (at < bytes && bytes - at >= CHUNK_BYTES) {
        uint64_t size = load(file + at + 4, 4, kind->is_big);
        bool is_samples = is_named(file + at, kind->samples);

        if (is_samples) {
            chunks->samples = at;
        }
        if (is_samples && (kind != &aiff || chunks->kept[0] != NULL)) {
            break;
        }
        if (size > bytes - at - CHUNK_BYTES) {
            return file_error(path,
                              "%s header: the chunk at byte %" PRIu64
                              " is longer than the file",
                              kind->name, at);
        }
        for (int i = 0; i < 3; ++i) {
            if (is_named(file + at, kind->kept[i]) &&
                size < SOUND_HEAD_BYTES / 4 &&
                (i > 0 || size >= kind->format_bytes)) {
                chunks->kept[i] = file + at;
            }
        }
        if (is_named(file + at, "ds64") && size >= 16) {
            chunks->long_bytes = load(file + at + CHUNK_BYTES + 8, 8, false);
        }
        at += CHUNK_BYTES + size + size % 2;
    }
    if (chunks->kept[0] == NULL || chunks->samples == 0) {
        const char *name =
            chunks->kept[0] == NULL ? kind->kept[0] : kind->samples;

        return file_error(path, "%s header: there is no %.*s chunk", kind->name,
                          (int)strcspn(name, " "), name);
    }
    return 0;
}

/* Makes the head: form, kept chunks and the head of the samples. */
static void store_head(struct sound_header *header, const struct kind *kind,
                       const struct chunks *chunks, const uint8_t *file)
{
    uint8_t *to = header->head;
    uint32_t there = header->there < UINT32_MAX - SOUND_HEAD_BYTES
                         ? (uint32_t)header->there
                         : UINT32_MAX - SOUND_HEAD_BYTES;

    memcpy(to, file, FORM_BYTES);
    if (kind == &wav) {
        memcpy(to, "RIFF", 4);
    }
    to += FORM_BYTES;
    for (int i = 0; i < 3; ++i) {
        const uint8_t *chunk = chunks->kept[i];

        if (chunk != NULL) {
            uint32_t size = (uint32_t)load(chunk + 4, 4, kind->is_big);

            memcpy(to, chunk, CHUNK_BYTES + size);
            to += CHUNK_BYTES + size + size % 2;
        }
    }
    memcpy(to, kind->samples, 4);
    store(to + 4, there, kind->is_big);
    header->head_bytes = (uint32_t)(to + CHUNK_BYTES - header->head);
    store(header->head + 4, there + header->head_bytes - CHUNK_BYTES,
          kind->is_big);
}

static int mend_chunks(struct sound_header *header, const struct kind *kind,
                       const char *path, const uint8_t *file, uint64_t bytes)
{
    struct chunks chunks;
    uint64_t samples;
    uint64_t left;
    uint64_t size;
    uint8_t *format = header->head + FORM_BYTES + CHUNK_BYTES;

    if (find_chunks(&chunks, kind, path, file, bytes) != 0) {
        return 1;
    }
    samples = find_last(kind, chunks.samples, file, bytes);
    header->is_last = samples != chunks.samples;
    header->rest = file + samples + CHUNK_BYTES;
    left = bytes - samples - CHUNK_BYTES;
    size = load(file + samples + 4, 4, kind->is_big);
    if (size == UINT32_MAX && chunks.long_bytes != 0) {
        size = chunks.long_bytes;
    }
    if (size == 0 && are_chunks(header->rest, left, kind->is_big)) {
        left = 0;
    }
    measure(header, size, left);
    header->bytes = header->there;
    store_head(header, kind, &chunks, file);
    if (kind != &aiff) {
        check_rate(header, format + 4, kind->is_big);
    } else if (load(format + 8, 4, true) == 0) { /* a number of 80 bits */
        header->rate_is_odd = true;
        memcpy(format + 8, "\x3f\xff\x80\0", 4);
    }
    return 0;
}

/* ---- AU and CAF ---- */

static void mend_au(struct sound_header *header, uint8_t *file, uint64_t bytes,
                    bool is_big)
{
    uint64_t from = load(file + 4, 4, is_big);

    if (from <= bytes) {
        measure(header, load(file + 8, 4, is_big), bytes - from);
        store(file + 8, UINT32_MAX, is_big);
        check_rate(header, file + 16, is_big);
    }
}

/* Gives the chunk of the samples the length that it has in the file; -1 and 0
   mean that it is the last. */
static void mend_caf(struct sound_header *header, uint8_t *file, uint64_t bytes)
{
    for (uint64_t at = 8; bytes - at >= CAF_BYTES;) {
        uint64_t left = bytes - at - CAF_BYTES;
        uint64_t size = load(file + at + 4, 8, true);

        if (is_named(file + at, "data")) {
            measure(header, size, left);
            memset(file + at + 4, 0, 4);
            store(file + at + 8, (uint32_t)header->there, true);
            store(file + at + 4, (uint32_t)(header->there >> 32), true);
        }
        if (size > left) {
            return;
        }
        at += CAF_BYTES + size;
    }
}

int sound_header_mend(struct sound_header *header, const char *path,
                      uint8_t *file, uint64_t bytes)
{
    const struct kind *kind = kind_of(file, bytes);

    *header = (struct sound_header){.rest = file, .bytes = bytes};
    if (kind != NULL) {
        return mend_chunks(header, kind, path, file, bytes);
    }
    if (bytes >= AU_BYTES &&
        (is_named(file, ".snd") || is_named(file, "dns."))) {
        mend_au(header, file, bytes, is_named(file, ".snd"));
    }
    if (bytes >= CAF_BYTES && is_named(file, "caff")) {
        mend_caf(header, file, bytes);
    }
    return 0;
}
