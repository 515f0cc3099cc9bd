/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/records_reader.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

#define CELLS_FIRST 16u

/* Returns whether a byte outside of quotes ends a cell. */
static bool ends_cell(const struct records_reader *reader, uint8_t byte)
{
    return byte == reader->dialect.separator || byte == '\n' || byte == '\r';
}

static bool is_blank(const struct records_reader *reader, uint8_t byte)
{
    return (byte == ' ' || byte == '\t') && byte != reader->dialect.separator;
}

static const uint8_t *skip_blanks(const struct records_reader *reader,
                                  const uint8_t *at)
{
    while (is_blank(reader, *at)) {
        at += 1;
    }
    return at;
}

/* Copies a cell without doubled quotes and escapes, up to its end: a closing
   quote if it is quoted. Returns that place; or NULL if there is none within
   the longest record. */
static const uint8_t *copy_cell(struct records_reader *reader,
                                const uint8_t *at, bool quoted)
{
    const struct records_dialect *dialect = &reader->dialect;
    const uint8_t *last = reader->end - 1; /* a line end */

    for (; at <= last && at - reader->text < RECORDS_BYTES_MAX; ++at) {
        if (dialect->escape != 0 && *at == dialect->escape &&
            (at[1] == dialect->quote || at[1] == dialect->separator ||
             at[1] == dialect->escape)) {
            at += 1;
        } else if (quoted && *at == dialect->quote) {
            if (at[1] != dialect->quote) {
                return at;
            }
            at += 1;
        } else if (!quoted && ends_cell(reader, *at)) {
            return at;
        }
        reader->line += *at == '\n';
        reader->copy[reader->copied++] = (char)*at;
    }
    return NULL;
}

/* Reads a cell whose text is in quotes. Returns its end, or NULL with `error`
   unless the quotes close and only blanks are behind them. */
static const uint8_t *read_quoted(struct records_reader *reader,
                                  struct records_cell *cell, const uint8_t *at)
{
    const uint8_t *closing;
    const uint8_t *end;

    cell->text = reader->copy + reader->copied;
    closing = copy_cell(reader, at + 1, true);
    if (closing == NULL) {
        reader->error = reader->end - reader->text > RECORDS_BYTES_MAX
                            ? "the record has over 1048576 bytes"
                            : "a quote in the record that begins here is not "
                              "closed";
        return NULL;
    }
    cell->bytes = (uint32_t)(reader->copy + reader->copied - cell->text);
    end = skip_blanks(reader, closing + 1);
    cell->trimmed = at > reader->at || end > closing + 1;
    if (!ends_cell(reader, *end)) {
        reader->at = end;
        reader->behind = true;
        reader->error = "text behind the closing quote";
        return NULL;
    }
    reader->outside = reader->outside || cell->trimmed;
    reader->odd = reader->odd || cell->trimmed;
    return end;
}

/* Reads a cell that is not in quotes. Returns its end, or NULL with `error`. */
static const uint8_t *read_plain(struct records_reader *reader,
                                 struct records_cell *cell, const uint8_t *at)
{
    const uint8_t *end = at;

    cell->trimmed = at > reader->at;
    if (reader->dialect.escape != 0) {
        cell->text = reader->copy + reader->copied;
        end = copy_cell(reader, at, false);
        cell->bytes = (uint32_t)(reader->copy + reader->copied - cell->text);
    } else {
        while (!ends_cell(reader, *end)) {
            end += 1;
        }
        cell->text = (const char *)at;
        cell->bytes = (uint32_t)(end - at);
    }
    if (end == NULL || end - reader->text >= RECORDS_BYTES_MAX) {
        reader->error = "the record has over 1048576 bytes";
        return NULL;
    }
    while (cell->bytes > 0 &&
           is_blank(reader, (uint8_t)cell->text[cell->bytes - 1])) {
        cell->bytes -= 1;
        cell->trimmed = true;
    }
    return end;
}

/* Reads the cell at `at`, and moves to its end. A quote behind blanks is a part
   of the text unless all of the cell is in quotes. */
static bool read_cell(struct records_reader *reader)
{
    struct records_cell cell;
    const uint8_t *at = reader->at;
    const uint8_t *from = skip_blanks(reader, at);
    const uint8_t *end = NULL;
    uint64_t line = reader->line;
    size_t copied = reader->copied;
    bool quoted = reader->dialect.quote != 0 && *from == reader->dialect.quote;

    if (quoted) {
        end = read_quoted(reader, &cell, from);
    }
    if (!quoted || (end == NULL && from > at)) {
        reader->at = at;
        reader->line = line;
        reader->copied = copied;
        reader->error = NULL;
        reader->behind = false;
        end = read_plain(reader, &cell, from);
    }
    if (end == NULL) {
        return false;
    }
    if (reader->cells == reader->room) {
        reader->room = reader->room > 0 ? 2 * reader->room : CELLS_FIRST;
        reader->cell = memory_or_exit(
            realloc(reader->cell, reader->room * sizeof *reader->cell));
    }
    reader->cell[reader->cells++] = cell;
    reader->at = end;
    return true;
}

/* Moves behind a line end. Returns whether it is a CR without LF. */
static bool skip_end(struct records_reader *reader)
{
    bool returns = *reader->at++ == '\r';

    if (returns && reader->at < reader->end && *reader->at == '\n') {
        reader->at += 1;
        returns = false;
    }
    reader->line += 1;
    return returns;
}

void records_reader_skip_line(struct records_reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n' &&
           *reader->at != '\r') {
        reader->at += 1;
    }
    if (reader->at < reader->end) {
        (void)skip_end(reader);
    }
}

bool records_reader_next(struct records_reader *reader)
{
    while (reader->at < reader->end) {
        bool comment = reader->dialect.comment != 0 &&
                       *reader->at == reader->dialect.comment;

        if (!comment && *reader->at != '\n' && *reader->at != '\r') {
            break;
        }
        reader->comments += comment;
        records_reader_skip_line(reader);
    }
    if (reader->copy == NULL) {
        reader->copy = memory_or_exit(malloc(RECORDS_BYTES_MAX));
    }
    reader->text = reader->at;
    reader->first_line = reader->line;
    reader->cells = 0;
    reader->copied = 0;
    reader->odd = false;
    if (reader->at == reader->end || reader->error != NULL) {
        return false;
    }
    while (read_cell(reader)) {
        if (*reader->at != reader->dialect.separator) {
            reader->returns = skip_end(reader);
            reader->bytes = (uint32_t)(reader->at - reader->text);
            return true;
        }
        reader->at += 1;
    }
    return false;
}

bool records_reader_begins(const struct records_reader *reader, uint32_t index,
                           char character)
{
    return index < reader->cells && reader->cell[index].bytes > 0 &&
           reader->cell[index].text[0] == character;
}

void records_reader_free(struct records_reader *reader)
{
    free(reader->cell);
    free(reader->copy);
    reader->cell = NULL;
    reader->copy = NULL;
}
