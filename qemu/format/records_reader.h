/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the text of a table into records and cells: CSV as in RFC 4180, with
 * any quotes, separator and escapes. Blanks around a cell are no part of it,
 * unless they are in quotes. Lines end in LF, CRLF or CR.
 */
#ifndef QEMU_FORMAT_RECORDS_READER_H
#define QEMU_FORMAT_RECORDS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDS_BYTES_MAX (1u << 20) /* the longest record */

/* How a table is written. */
struct records_dialect {
    uint8_t separator;
    uint8_t quote;   /* 0: none */
    uint8_t escape;  /* gives a quote or separator behind it no meaning; or 0 */
    uint8_t comment; /* lines that begin with it are left out; 0: none */
};

struct records_cell {
    const char *text; /* valid until the next record is read */
    uint32_t bytes;
    bool trimmed; /* blanks around it are left out */
};

/* Set all fields but `dialect`, `at`, `end` and `line` to 0 before the first
   record, and free `cell` and `copy` after the last one. */
struct records_reader {
    struct records_dialect dialect;
    const uint8_t *at;  /* the rest of the text, which ends in a line end */
    const uint8_t *end; /* end of the text */
    uint64_t line;      /* current line, from 1 */
    /* The record. */
    const uint8_t *text;
    uint32_t bytes;            /* length of `text` with the line end */
    bool returns;              /* a CR without LF ends it */
    bool odd;                  /* the boards cannot tell its cells apart */
    uint64_t first_line;       /* line on which it begins */
    struct records_cell *cell; /* malloc'd */
    uint32_t cells;
    uint32_t room; /* cells that there is room for */
    char *copy;    /* malloc'd: cells' texts that are not in the table */
    size_t copied; /* bytes of `copy` that are used */
    /* Of all records so far. */
    uint64_t comments;
    bool outside;      /* blanks outside of quotes were left out */
    const char *error; /* why there is no further record; NULL: the end */
    bool behind;       /* the error is what is at `at`, behind a quote */
};

/* Reads the next record that is no empty line and no comment. Returns false at
   the end of the text, or after an error on the current line. */
bool records_reader_next(struct records_reader *reader);

/* Moves behind the current line, which is not counted as a record. */
void records_reader_skip_line(struct records_reader *reader);

/* Returns whether the cell of an index begins with a character. */
bool records_reader_begins(const struct records_reader *reader, uint32_t index,
                           char character);

void records_reader_free(struct records_reader *reader);

#endif
