/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/option_value.h"

#include "qemu/base/edits.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/option_help.h"
#include "qemu/base/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION_ROOM 512 /* bytes of an error text, "must be ..." */

static void store_number(const struct option_row *row, void *field,
                         uint64_t number)
{
    switch (row->width) {
    case sizeof(uint8_t):
        *(uint8_t *)field = (uint8_t)number;
        break;
    case sizeof(uint16_t):
        *(uint16_t *)field = (uint16_t)number;
        break;
    case sizeof(uint32_t):
        *(uint32_t *)field = (uint32_t)number;
        break;
    default:
        *(uint64_t *)field = number;
    }
}

/* ---- parsing values: NULL, or an error text ---- */

/* Writes which words are allowed, and the closest one to `text`: "must be 1, 2
   or 4". */
static const char *tell_choices(const struct option_row *row, const char *text,
                                char room[OPTION_ROOM])
{
    char choice[OPTION_CHOICE_BYTES];
    char next[OPTION_CHOICE_BYTES];
    char meant[OPTION_CHOICE_BYTES] = "";
    struct edits_nearest nearest = {.word = text};
    bool more = option_choice(choice, row, 0);
    size_t at = (size_t)snprintf(room, OPTION_ROOM, "must be ");

    for (size_t i = 1; more && at < OPTION_ROOM; ++i) {
        more = option_choice(next, row, i);
        at += (size_t)snprintf(room + at, OPTION_ROOM - at, "%s%s",
                               i == 1 ? ""
                               : more ? ", "
                                      : " or ",
                               choice);
        edits_offer(&nearest, choice);
        if (nearest.name == choice) {
            memcpy(meant, choice, sizeof meant);
            nearest.name = meant;
        }
        memcpy(choice, next, sizeof choice);
    }
    if (nearest.name != NULL && at < OPTION_ROOM) {
        snprintf(room + at, OPTION_ROOM - at, "; did you mean '%s'?", meant);
    }
    return room;
}

static int place_of(const struct option_row *row, const char *text)
{
    char choice[OPTION_CHOICE_BYTES];

    for (int i = 0; option_choice(choice, row, (size_t)i); ++i) {
        if (strcmp(choice, text) == 0) {
            return i;
        }
    }
    return -1;
}

static const char *set_choice(const struct option_row *row, void *field,
                              const char *text, char room[OPTION_ROOM])
{
    int place = place_of(row, text);

    if (place < 0 && row->allowed != NULL) {
        return row->allowed;
    }
    if (place < 0) {
        return tell_choices(row, text, room);
    }
    if (row->set == NULL) {
        store_number(row, field, (uint64_t)place);
    }
    return NULL;
}

static const char *set_number(const struct option_row *row, void *field,
                              const char *text, char room[OPTION_ROOM])
{
    uint64_t number = row->word_value;
    bool word = row->word != NULL && strcmp(text, row->word) == 0;
    const char *allowed =
        word                        ? NULL
        : row->type == OPTION_COUNT ? parse_count(text, &number)
        : row->type == OPTION_SIZE  ? parse_size(text, &number)
                                    : parse_time_ps(text, &number);

    if (row->choices != NULL && place_of(row, text) < 0) {
        return tell_choices(row, text, room);
    }
    if (allowed == NULL &&
        (word ||
         (number >= row->least && (row->most == 0 || number <= row->most)))) {
        store_number(row, field, number);
        return NULL;
    }
    if (row->most == 0 && allowed != NULL) {
        return allowed;
    }
    snprintf(room, OPTION_ROOM, "must be %" PRIu64 " to %" PRIu64, row->least,
             row->most);
    return row->allowed != NULL ? row->allowed : room;
}

static const char *set_integer(const struct option_row *row, void *field,
                               const char *text, char room[OPTION_ROOM])
{
    int64_t least = (int64_t)row->least;
    int64_t most = (int64_t)row->most;
    size_t bytes = strspn(text, "-0123456789"); /* no blanks, no plus */
    char *end;
    int64_t value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (end != text && end == text + bytes && *end == '\0' && errno == 0 &&
        value >= least && value <= most) {
        store_number(row, field, (uint64_t)value);
        return NULL;
    }
    snprintf(room, OPTION_ROOM, "must be %" PRId64 " to %" PRId64, least, most);
    return row->allowed != NULL ? row->allowed : room;
}

static const char *set_mesh(const struct option_row *row,
                            struct torus_size *size, const char *text)
{
    const char *allowed = parse_mesh(text, size);

    return allowed == NULL && row->most != 0 &&
                   (size->width > row->most || size->height > row->most)
               ? row->allowed
               : allowed;
}

static void *grow(void *array, uint32_t count, size_t bytes)
{
    return memory_or_exit(realloc(array, (count + 1u) * bytes));
}

static void add_text(struct option_texts *texts, const char *text)
{
    texts->text = grow(texts->text, texts->count, sizeof *texts->text);
    texts->text[texts->count++] = text;
}

/* Adds a coordinate "X,Y" to an option's list. If the row's .value has an
   equals sign, "=FILE" follows; it may lack if the equals sign is in brackets.
 */
static const char *add_place(const struct option_row *row,
                             struct option_places *places, const char *text,
                             char room[OPTION_ROOM])
{
    const char *way = strchr(row->value, '=');
    bool must = way != NULL && way[-1] != '[';
    const char *equals = way != NULL ? strchr(text, '=') : NULL;
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    struct option_place place = {.text = text,
                                 .more = equals != NULL ? equals + 1 : NULL};
    const char *allowed;

    if (row->word != NULL && strcmp(text, row->word) == 0) {
        places->word = true;
        return NULL;
    }
    if (places->count == row->most) {
        snprintf(room, OPTION_ROOM, "may be given %" PRIu64 " times",
                 row->most);
        return room;
    }
    if (equals != NULL ? *place.more == '\0' || length >= OPTION_ROOM : must) {
        snprintf(room, OPTION_ROOM, "must be %s", row->value);
        return row->allowed != NULL ? row->allowed : room;
    }
    snprintf(room, OPTION_ROOM, "%.*s", (int)length, text);
    allowed = parse_coord(room, &place.at);
    if (allowed != NULL) {
        return must && row->allowed != NULL ? row->allowed : allowed;
    }
    places->place = grow(places->place, places->count, sizeof place);
    places->place[places->count++] = place;
    return NULL;
}

int option_store(const struct option_row *row, const char *name, void *options,
                 const char *text)
{
    char *at = (char *)options;
    void *field = at + row->at;
    const char *allowed = NULL;
    char room[OPTION_ROOM];

    if (row->text != 0) {
        *(const char **)(void *)(at + row->text) = text != NULL ? text : "";
    }
    if (text == NULL && row->value != NULL) {
        return 0; /* the field keeps its default */
    }
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_FIXED:
        store_number(row, field, row->fixed);
        break;
    case OPTION_PATH:
        snprintf(field, row->width, "%s", text);
        break;
    case OPTION_UPDATE:
        allowed = strcmp(text, "-") == 0
                      ? "must be a file, which is read and written"
                      : NULL;
        *(const char **)field = text;
        break;
    case OPTION_TEXT:
    case OPTION_INPUT:
        *(const char **)field = text;
        allowed = strlen(text) < row->least ? row->allowed : NULL;
        break;
    case OPTION_OUTPUT:
        *(const char **)field = file_output_name(text);
        break;
    case OPTION_TEXTS:
    case OPTION_INPUTS:
        add_text(field, text);
        break;
    case OPTION_OUTPUTS:
        add_text(field, file_output_name(text));
        break;
    case OPTION_COUNT:
    case OPTION_SIZE:
    case OPTION_TIME:
        allowed = set_number(row, field, text, room);
        break;
    case OPTION_INTEGER:
        allowed = set_integer(row, field, text, room);
        break;
    case OPTION_CHOICE:
        allowed = set_choice(row, field, text, room);
        if (allowed == NULL && row->set != NULL) {
            return row->set(field, name, text);
        }
        break;
    case OPTION_MESH:
        allowed = set_mesh(row, field, text);
        break;
    case OPTION_SIDE:
        allowed = parse_side(text, field);
        break;
    case OPTION_COORD:
        allowed = parse_coord(text, field);
        break;
    case OPTION_PLACES:
        allowed = add_place(row, field, text, room);
        break;
    case OPTION_SET:
        return row->set(field, name, text);
    }
    return parse_report(name, text, allowed);
}
