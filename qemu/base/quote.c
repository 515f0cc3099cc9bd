/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/quote.h"

#include "qemu/base/memory.h"
#include "qemu/base/utf8.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a name ---- */

#define SHOWN_BYTES 512u
#define ESCAPE_BYTES 4u /* most bytes of an escape for one byte */

/* Returns whether a terminal may get the character as it is. Control characters
   and characters that change the writing direction are escaped. */
static bool is_printable(uint32_t character)
{
    return character >= 0x20 && character != '\\' &&
           !(character >= 0x7f && character < 0xa0) &&
           !(character >= 0x200b && character <= 0x200f) &&
           !(character >= 0x2028 && character <= 0x202e) &&
           !(character >= 0x2060 && character <= 0x206f) && character != 0xfeff;
}

/* Returns the bytes of the text's first character if it is UTF-8 and needs no
   escape; else 0. */
static size_t printable_bytes(const char *text)
{
    uint32_t character;
    unsigned length = utf8_first(&character, (const uint8_t *)text, SIZE_MAX);

    return character != UTF8_NONE && is_printable(character) ? length : 0;
}

/* Writes one byte as \n, \t, \r, \\ or \xNN. Returns the bytes written, at most
   ESCAPE_BYTES. */
static size_t escape(char *to, unsigned char byte)
{
    static const char plain[] = "\n\t\r\\";
    const char *found = strchr(plain, byte);

    if (found == NULL) {
        return (size_t)snprintf(to, ESCAPE_BYTES + 1, "\\x%02x", byte);
    }
    to[0] = '\\';
    to[1] = "ntr\\"[found - plain];
    return 2;
}

static void write_shown(char shown[SHOWN_BYTES], const char *text)
{
    size_t at = 0;

    while (*text != '\0' && at + 2 * ESCAPE_BYTES < SHOWN_BYTES) {
        size_t bytes = printable_bytes(text);

        if (bytes > 0) {
            memcpy(shown + at, text, bytes);
            at += bytes;
        } else {
            bytes = 1;
            at += escape(shown + at, (unsigned char)*text);
        }
        text += bytes;
    }
    strcpy(shown + at, *text == '\0' ? "" : "...");
}

const char *quote_shown(const char *text)
{
    static _Thread_local char shown[QUOTE_SHOWN_AT_ONCE][SHOWN_BYTES];
    static _Thread_local unsigned next;
    const char *at = text;
    size_t bytes;

    if (text == NULL) {
        return NULL;
    }
    while (*at != '\0' && (bytes = printable_bytes(at)) > 0) {
        at += bytes;
    }
    if (*at == '\0') {
        return text;
    }
    next = (next + 1) % QUOTE_SHOWN_AT_ONCE;
    write_shown(shown[next], text);
    return shown[next];
}

/* ---- streams ---- */

#define CHARACTER_BYTES 4u
#define GUARDED_BYTES 8192u
#define GUARDED_ESCAPE_BYTES 10u /* most bytes of a character's escape */

/* A stream whose output is escaped. It has the first bytes of an incomplete
   character, and the text that is ready to be written. It allocates no memory,
   because it also prints messages about lack of memory. */
struct guarded {
    int descriptor;
    size_t held;
    uint8_t begin[CHARACTER_BYTES];
    size_t ready;
    char text[GUARDED_BYTES];
};

static bool put_out(struct guarded *guarded)
{
    size_t at = 0;

    while (at < guarded->ready) {
        ssize_t written =
            write(guarded->descriptor, guarded->text + at, guarded->ready - at);

        if (written < 0 && errno != EINTR) {
            guarded->ready = 0;
            return false;
        }
        at += written > 0 ? (size_t)written : 0;
    }
    guarded->ready = 0;
    return true;
}

/* Moves the first character of `begin` to `text`, escaped if needed. Of bytes
   that are not UTF-8 it moves the first one. Returns false if the character is
   incomplete. */
static bool guard_character(struct guarded *guarded)
{
    const uint8_t *byte = guarded->begin;
    char *to = guarded->text + guarded->ready;
    uint32_t character;
    size_t length = utf8_first(&character, byte, guarded->held);
    int made;

    if (length == 0) {
        return false;
    }
    if (character == UTF8_NONE ||
        (character < 0x20 && character != '\n' && character != '\t')) {
        made = snprintf(to, GUARDED_ESCAPE_BYTES, "\\x%02x", *byte);
    } else if (character >= 0x20 && character != '\\' &&
               !is_printable(character)) {
        made = snprintf(to, GUARDED_ESCAPE_BYTES, "\\u%04x", character);
    } else {
        made = (int)length;
        memcpy(to, byte, length);
    }
    guarded->ready += (size_t)made;
    guarded->held -= length;
    memmove(guarded->begin, byte + length, guarded->held);
    return true;
}

static ssize_t write_guarded(void *cookie, const char *from, size_t bytes)
{
    struct guarded *guarded = cookie;
    bool written = true;

    for (size_t at = 0; written && at < bytes; ++at) {
        guarded->begin[guarded->held++] = (uint8_t)from[at];
        while (guarded->held > 0 && guard_character(guarded)) {
        }
        if (guarded->ready + 4 * GUARDED_ESCAPE_BYTES > GUARDED_BYTES) {
            written = put_out(guarded);
        }
    }
    return written && put_out(guarded) ? (ssize_t)bytes : 0;
}

static FILE *guard(struct guarded *guarded, int descriptor, int buffering)
{
    FILE *stream = memory_or_exit(fopencookie(
        guarded, "w", (cookie_io_functions_t){.write = write_guarded}));

    guarded->descriptor = descriptor;
    setvbuf(stream, NULL, buffering, 0);
    return stream;
}

void quote_streams(void)
{
    static struct guarded out;
    static struct guarded messages;

    stdout = guard(&out, STDOUT_FILENO,
                   isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF);
    stderr = guard(&messages, STDERR_FILENO, _IONBF);
}

/* Returns the bytes of the text's first character if it needs no escape in a
   shell's word; else 0. */
static size_t plain_bytes(const char *text)
{
    return *text == '\\' ? 1 : printable_bytes(text);
}

/* ---- bytes ---- */

#define HEX "$HEX["

char *quote_bytes(const uint8_t *bytes, size_t count)
{
    char *text = memory_or_exit(malloc(count + 1));
    size_t at = 0;
    char *to;

    memcpy(text, bytes, count);
    text[count] = '\0';
    while (at < count && plain_bytes(text + at) > 0) {
        at += plain_bytes(text + at);
    }
    if (at == count && strncmp(text, HEX, strlen(HEX)) != 0) {
        return text;
    }
    free(text);
    text = memory_or_exit(malloc(strlen(HEX) + 2 * count + 2));
    to = stpcpy(text, HEX);
    for (size_t i = 0; i < count; ++i) {
        to += sprintf(to, "%02x", bytes[i]);
    }
    strcpy(to, "]");
    return text;
}

/* ---- a command ---- */

/* Characters that need no quotes anywhere in a word of a shell. */
#define PLAIN                                                                  \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"           \
    "_-+./:=,@%"

static bool is_plain(const char *word)
{
    while (*word != '\0' && plain_bytes(word) > 0) {
        word += plain_bytes(word);
    }
    return *word == '\0';
}

static void write_escaped(FILE *out, const char *word)
{
    fputs("$'", out);
    while (*word != '\0') {
        size_t bytes = plain_bytes(word);

        if (bytes == 0) {
            fprintf(out, "\\%03o", (unsigned char)*word);
        } else if (strchr("'\\", *word) != NULL) {
            fprintf(out, "\\%c", *word);
        } else {
            fwrite(word, 1, bytes, out);
        }
        word += bytes > 0 ? bytes : 1;
    }
    fputc('\'', out);
}

static void write_word(FILE *out, const char *word)
{
    if (*word != '\0' && word[strspn(word, PLAIN)] == '\0') {
        fputs(word, out);
        return;
    }
    if (!is_plain(word)) {
        write_escaped(out, word);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; ++word) {
        if (*word == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*word, out);
        }
    }
    fputc('\'', out);
}

char *quote_command(int argc, char *const argv[])
{
    char *text = NULL;
    size_t bytes;
    FILE *out = memory_or_exit(open_memstream(&text, &bytes));

    write_word(out, program_invocation_name);
    fputs(strchrnul(argv[0], ' '), out);
    for (int i = 1; i < argc; ++i) {
        fputc(' ', out);
        write_word(out, argv[i]);
    }
    fclose(out);
    return memory_or_exit(text);
}
