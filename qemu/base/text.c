/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/text.h"

#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/unpack.h"

#include <iconv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CTRL_Z 0x1a
#define MARK "\xef\xbb\xbf"
#define MARK_BYTES 3u
#define WIDE_SEEN 128u /* bytes that tell UTF-16 and UTF-32 from other text */

/* Byte order marks. The mark of UTF-32LE begins with that of UTF-16LE, so
   longer marks come first. */
static const struct mark {
    const char *encoding;
    const char *mark;
    unsigned bytes;
} marks[] = {{"UTF-32LE", "\xff\xfe\0\0", 4},
             {"UTF-32BE", "\0\0\xfe\xff", 4},
             {"UTF-8", MARK, MARK_BYTES},
             {"UTF-16LE", "\xff\xfe", 2},
             {"UTF-16BE", "\xfe\xff", 2}};

static const struct mark *mark_of(const uint8_t *data, uint64_t bytes)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
        if (bytes >= marks[i].bytes &&
            memcmp(data, marks[i].mark, marks[i].bytes) == 0) {
            return &marks[i];
        }
    }
    return NULL;
}

static int convert(struct text *text, unsigned mark_bytes, const char *path)
{
    iconv_t to_utf8 = iconv_open("UTF-8", text->encoding);
    size_t room = (size_t)text->bytes / 2 * 3 + 1;
    size_t left = (size_t)text->bytes;
    char *from = (char *)text->data;
    char *to;
    uint8_t *made;
    int status = 0;

    if (to_utf8 == (iconv_t)-1) {
        return file_error(path, "is %s, which this host's iconv lacks",
                          text->encoding);
    }
    made = memory_or_exit(malloc(room + 1));
    to = (char *)made;
    if (iconv(to_utf8, &from, &left, &to, &room) == (size_t)-1) {
        status = file_error(
            path, "byte %zu: is no %s, which the mark at its beginning says",
            mark_bytes + (size_t)(from - (char *)text->data), text->encoding);
    }
    iconv_close(to_utf8);
    free(text->data);
    text->data = made;
    text->bytes = (uint64_t)(to - (char *)made);
    text->converted = true;
    return status;
}

static void drop_ctrl_z(struct text *text)
{
    uint64_t end = text->bytes;

    while (end > 0 && strchr("\r\n\x1a", text->data[end - 1]) != NULL &&
           text->data[end - 1] != '\0') {
        end -= 1;
        if (text->data[end] == CTRL_Z) {
            text->bytes = end;
            text->ended = true;
        }
    }
}

int text_decode(struct text *text, const char *path)
{
    const struct mark *mark = mark_of(text->data, text->bytes);
    const char *kind = unpack_named(text->data, text->bytes);
    int status = 0;

    if (kind != NULL) {
        status = file_error(path, "is compressed (%s); must be text", kind);
    } else if (mark != NULL) {
        text->encoding = mark->encoding;
        text->bytes -= mark->bytes;
        memmove(text->data, text->data + mark->bytes, (size_t)text->bytes);
        if (strcmp(mark->encoding, "UTF-8") != 0) {
            status = convert(text, mark->bytes, path);
        }
    }
    if (status != 0) {
        free(text->data);
        text->data = NULL;
        return status;
    }
    drop_ctrl_z(text);
    return 0;
}

int text_read(struct text *text, const char *path)
{
    *text = (struct text){.data = NULL};
    return file_read(&text->data, &text->bytes, path) == 0
               ? text_decode(text, path)
               : 1;
}

FILE *text_open(const char *path)
{
    struct text text;
    FILE *lines;

    if (text_read(&text, path) != 0) {
        return NULL;
    }
    text_end_lines(&text, false);
    lines = memory_or_exit(fmemopen(NULL, (size_t)text.bytes + 1, "w+"));
    fwrite(text.data, 1, (size_t)text.bytes, lines);
    rewind(lines);
    free(text.data);
    return lines;
}

/* Returns whether a UTF-8 byte order mark at `from` begins a line: data[0 ..
   to) is empty or ends in a newline. */
static bool is_mark(const struct text *text, uint64_t from, uint64_t to)
{
    return (to == 0 || text->data[to - 1] == '\n') &&
           text->bytes - from >= MARK_BYTES &&
           memcmp(text->data + from, MARK, MARK_BYTES) == 0;
}

/* Removes UTF-8 marks at the beginnings of lines. With `ends` also makes all
   lines end in LF, as text_end_lines() does. */
static void clean(struct text *text, bool ends, bool crlf_stays)
{
    uint8_t *data = text->data;
    uint64_t to = 0;

    for (uint64_t from = 0; from < text->bytes; ++from) {
        bool cr = ends && data[from] == '\r';
        bool crlf = cr && from + 1 < text->bytes && data[from + 1] == '\n';

        if (is_mark(text, from, to)) {
            from += MARK_BYTES - 1;
            text->marks += 1;
        } else if (cr && !crlf) {
            data[to++] = '\n';
            text->returns += 1;
        } else if (!crlf || crlf_stays) {
            data[to++] = data[from];
        }
    }
    text->bytes = to;
}

void text_end_lines(struct text *text, bool crlf_stays)
{
    clean(text, true, crlf_stays);
}

void text_drop_marks(struct text *text)
{
    if (memmem(text->data, (size_t)text->bytes, MARK, MARK_BYTES) != NULL) {
        clean(text, false, false);
    }
}

/* Returns whether the text has the line end NEL, byte 0x85 of Latin-1, or its
   UTF-8. The same byte in other UTF-8 characters does not count. */
static bool has_nel(const struct text *text)
{
    for (uint64_t i = 0; i < text->bytes; ++i) {
        if (text->data[i] == 0x85 &&
            (i == 0 || text->data[i - 1] < 0x80 || text->data[i - 1] == 0xc2)) {
            return true;
        }
    }
    return false;
}

const char *text_other_ends(const struct text *text)
{
    static const struct {
        const char *end;
        size_t bytes;
        const char *name;
    } ends[] = {
        {"\0", 1, "bytes of 0"},       {"\f", 1, "form feeds"},
        {"\v", 1, "vertical tabs"},    {"\xe2\x80\xa8", 3, "U+2028"},
        {"\xe2\x80\xa9", 3, "U+2029"}, {"\x1e", 1, "record separators (0x1e)"}};
    bool has_mark;

    if (text->bytes == 0 ||
        text_wide(&has_mark, text->data, text->bytes) != NULL ||
        memchr(text->data, '\n', (size_t)text->bytes - 1) != NULL) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        if (memmem(text->data, (size_t)text->bytes, ends[i].end,
                   ends[i].bytes) != NULL) {
            return ends[i].name;
        }
    }
    return has_nel(text) ? "NEL (0x85)" : NULL;
}

/* Returns whether a character is common in text: a letter of an alphabet, or
   punctuation. */
static bool is_likely(uint32_t code)
{
    return code == '\t' || code == '\n' || code == '\r' ||
           (code >= ' ' && code < 0x1000 && (code < 0x7f || code > 0x9f)) ||
           (code >= 0x2010 && code < 0x2040);
}

/* Returns whether the bytes look like text with `width` bytes a character:
   every character is likely, and some are ASCII. */
static bool seems_wide(const uint8_t *data, uint64_t bytes, unsigned width,
                       bool big)
{
    uint64_t seen = (bytes < WIDE_SEEN ? bytes : WIDE_SEEN) / width;
    bool ascii = false;

    for (uint64_t i = 0; i < seen; ++i) {
        uint32_t code = 0;

        for (unsigned j = 0; j < width; ++j) {
            code = code << 8 | data[i * width + (big ? j : width - 1 - j)];
        }
        if (!is_likely(code)) {
            return false;
        }
        ascii = ascii || code < 0x80;
    }
    return seen >= 2 && ascii;
}

const char *text_wide(bool *has_mark, const uint8_t *data, uint64_t bytes)
{
    const struct mark *mark = mark_of(data, bytes);

    *has_mark = mark != NULL;
    if (mark != NULL) {
        return strcmp(mark->encoding, "UTF-8") != 0 ? mark->encoding : NULL;
    }
    return seems_wide(data, bytes, 2, false)   ? "UTF-16LE"
           : seems_wide(data, bytes, 2, true)  ? "UTF-16BE"
           : seems_wide(data, bytes, 4, false) ? "UTF-32LE"
           : seems_wide(data, bytes, 4, true)  ? "UTF-32BE"
                                               : NULL;
}

int text_check_narrow(const struct text *text, const char *path)
{
    bool has_mark;
    const char *encoding = text_wide(&has_mark, text->data, text->bytes);

    return encoding == NULL
               ? 0
               : file_error(path,
                            "seems to be %s without a mark, by its zero bytes; "
                            "must be UTF-8, or begin with the mark",
                            encoding);
}
