/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/places.h"

#include "qemu/report/result.h"
#include "qemu/format/format.h"
#include "qemu/base/json.h"
#include "qemu/base/quote.h"
#include "qemu/base/utf8.h"

#include <inttypes.h>
#include <string.h>

/* Most offsets of the result for which the report has the text around. */
#define TEXTS 200u

struct place {
    uint64_t at;   /* byte in the load */
    uint32_t file; /* number of the INPUT */
    struct format_file in;
};

static struct place place_of(const struct outcome *outcome,
                             const json_t *offsets, size_t index)
{
    const struct format_load *load = &outcome->request->originator[0].load;
    uint64_t offset =
        (uint64_t)json_integer_value(json_array_get(offsets, index));
    struct place place = {.at = offset, .in = {.bytes = outcome->load_bytes}};

    for (uint32_t i = 0; i < load->file_count; ++i) {
        if (i == 0 ||
            offset >= load->files[i - 1].at + load->files[i - 1].bytes) {
            place.file = i;
            place.in = load->files[i];
        }
    }
    return place;
}

static void print_place(FILE *out, const struct place *place)
{
    if (place->in.name != NULL) {
        fprintf(out, "%s:", quote_shown(place->in.name));
    }
    fprintf(out, "%" PRIu64, place->at - place->in.at);
}

/* Prints the first offsets in several INPUTs as a line `offsets = a.txt:12
   b.txt:0 ...`. If that are not all, a second line says so. */
static void print_list(FILE *out, const struct outcome *outcome,
                       const json_t *offsets, bool complete)
{
    size_t count = json_array_size(offsets);

    fputs("offsets =", out);
    for (size_t i = 0; i < count && i < RESULT_SHOWN; ++i) {
        struct place place = place_of(outcome, offsets, i);

        fputc(' ', out);
        print_place(out, &place);
    }
    if (count > RESULT_SHOWN) {
        fprintf(out, " ... (%zu in the report)", count);
    }
    fprintf(out, "%s\noffsets_complete = %s\n", count == 0 ? " none" : "",
            complete ? "yes" : "no");
}

/* ---- surrounding text ---- */

/* Bytes of the load that are shown before an offset, and from the offset on. */
#define CONTEXT_BEFORE 20u
#define CONTEXT_AFTER 40u

/* The load's text around an offset, as one line of UTF-8. Control characters
   become blanks; bytes that are not UTF-8 and marks of writing direction become
   '?'; characters cut at an end are left out. */
struct context {
    char before[CONTEXT_BEFORE + 1];
    char after[CONTEXT_AFTER + 1];
    unsigned columns; /* number of characters in `before` */
};

static bool is_plain(uint32_t character)
{
    return character >= 0x20 && character != 0x7f && character != UTF8_NONE &&
           character != 0xfffd && (character < 0x80 || character >= 0xa0) &&
           character != 0x061c && (character < 0x200e || character > 0x200f) &&
           (character < 0x2028 || character > 0x202e) &&
           (character < 0x2066 || character > 0x2069);
}

/* Writes the bytes as printable text with a final NUL. Returns the number of
   its characters. */
static unsigned clean(char *to, const uint8_t *text, unsigned bytes)
{
    unsigned characters = 0;
    unsigned i = 0;

    while (i < bytes && i < 3 && text[i] >> 6 == 2) {
        i += 1; /* skips the rest of a character that was cut */
    }
    while (i < bytes) {
        uint32_t character;
        unsigned length = utf8_first(&character, &text[i], bytes - i);

        if (length == 0) {
            break;
        }
        if (is_plain(character)) {
            memcpy(to, &text[i], length);
            to += length;
        } else {
            *to++ = character < 0x20 ? ' ' : '?';
        }
        i += length;
        characters += 1;
    }
    *to = '\0';
    return characters;
}

/* Reads the text around an offset, without that of other INPUTs. Returns false
   if the offset is outside of the load, or the load cannot be read. */
static bool read_text(struct context *context, const struct outcome *outcome,
                      const struct place *place)
{
    uint64_t at = place->at;
    uint64_t from = place->in.at;
    uint64_t end = from + place->in.bytes;
    uint64_t first = at - from > CONTEXT_BEFORE ? at - CONTEXT_BEFORE : from;
    uint64_t last = end - at > CONTEXT_AFTER ? at + CONTEXT_AFTER : end;
    struct file_piece piece = format_piece(outcome->load, first);
    uint8_t text[CONTEXT_BEFORE + CONTEXT_AFTER];

    if (at < from || at > end ||
        file_piece_copy(text, &piece, last - first) != 0) {
        return false;
    }
    context->columns = clean(context->before, text, (unsigned)(at - first));
    (void)clean(context->after, text + (at - first), (unsigned)(last - at));
    return true;
}

/* Prints a line for each offset: the load's text around it, and the offset. A
   '|' marks where the found text begins, in the same column of all lines. */
static void print_texts(FILE *out, const struct outcome *outcome,
                        const json_t *offsets)
{
    struct context context;

    for (size_t i = 0; i < json_array_size(offsets) && i < RESULT_SHOWN; ++i) {
        struct place place = place_of(outcome, offsets, i);

        if (!read_text(&context, outcome, &place)) {
            return;
        }
        fprintf(out, "%s  %*s%s|%s  ", i == 0 ? "\n" : "",
                (int)(CONTEXT_BEFORE - context.columns), "", context.before,
                context.after);
        print_place(out, &place);
        fputc('\n', out);
    }
}

/* Returns whether text around offsets can be shown. With several originators it
   cannot: offsets count within the load of each. */
static bool has_text(const struct outcome *outcome)
{
    return outcome->load != NULL && outcome->originators == 1 &&
           outcome->load_bytes == outcome->load_units;
}

static bool has_files(const struct outcome *outcome)
{
    return outcome->request->originator[0].load.file_count > 0;
}

void places_print(FILE *out, const struct outcome *outcome,
                  const json_t *result)
{
    const json_t *offsets = json_object_get(result, "offsets");

    if (offsets != NULL && has_files(outcome)) {
        print_list(out, outcome, offsets,
                   json_is_true(json_object_get(result, "offsets_complete")));
    }
    if (offsets != NULL && has_text(outcome)) {
        print_texts(out, outcome, offsets);
    }
}

json_t *places_json(const struct outcome *outcome, const json_t *result)
{
    const json_t *offsets = json_object_get(result, "offsets");
    json_t *list = offsets != NULL && has_files(outcome) ? json_array() : NULL;

    for (size_t i = 0; list != NULL && i < json_array_size(offsets); ++i) {
        struct place place = place_of(outcome, offsets, i);

        json_array_append_new(
            list, json_pack("{s:I, s:I}", "file", (json_int_t)place.file,
                            "offset", (json_int_t)(place.at - place.in.at)));
    }
    return list;
}

json_t *places_texts_json(const struct outcome *outcome, const json_t *result)
{
    const json_t *offsets = json_object_get(result, "offsets");
    json_t *list = offsets != NULL && has_text(outcome) ? json_array() : NULL;
    struct context context;

    for (size_t i = 0;
         list != NULL && i < json_array_size(offsets) && i < TEXTS; ++i) {
        struct place place = place_of(outcome, offsets, i);

        if (!read_text(&context, outcome, &place)) {
            break;
        }
        json_array_append_new(
            list, json_pack("[s, s]", context.before, context.after));
    }
    return list;
}

json_t *places_files_json(const struct outcome *outcome)
{
    const struct format_load *load = &outcome->request->originator[0].load;
    json_t *list = load->file_count > 0 ? json_array() : NULL;

    for (uint32_t i = 0; i < load->file_count; ++i) {
        const struct format_file *file = &load->files[i];

        json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "file",
                                              json_name(file->name), "at",
                                              (json_int_t)file->at, "bytes",
                                              (json_int_t)file->bytes));
    }
    return list;
}
