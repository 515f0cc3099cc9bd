/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tables of the kernel `records`: CSV as in RFC 4180. libcsv checks
   each record, so that the kernel never gets a malformed one. A record may end
   in a carriage return, which becomes a newline. Newlines in quotes are
   replaced by a byte that is in no table, since for the kernel every newline
   ends a record. */
#ifndef QEMU_FORMAT_RECORDS_TABLE_H
#define QEMU_FORMAT_RECORDS_TABLE_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most digits of a number; 64 bits hold as many. */
#define RECORDS_DIGITS_MAX 18u

/* A column that the kernel needs, and how many digits its cells have. */
struct records_column {
    const char *name; /* NULL: the kernel needs no column */
    bool number;      /* true: all cells must be decimal numbers */
    bool found;       /* true: the current table has the column */
    uint32_t index;
    uint32_t whole;    /* most digits that a cell has before the point */
    uint32_t decimals; /* most digits that a cell has after the point */
};

/* What is looked for in the tables of a load. */
struct records_look {
    struct records_column column; /* the column that the condition is about */
    struct records_column sum;
    const char *value; /* text with which cells of `column` are compared */
    uint8_t separator; /* between fields; 0: the first line or the name tells */
    /* What cells of `column` are, if texts are compared: */
    bool seen_number; /* true: some cell is a number */
    bool seen_text;   /* true: some cell is neither empty nor a number */
    bool seen_value;  /* true: some cell equals `value` */
};

struct records_table {
    struct text text;      /* header row and all records; the caller frees it */
    uint64_t header_bytes; /* length of header row and first line "sep=" */
    uint32_t longest;      /* bytes of the longest record */
    uint32_t last_bytes;   /* bytes of the last record */
    bool ended; /* true: the file lacked its last newline, which was added */
    uint8_t separator; /* byte between two fields */
    uint8_t newline;   /* byte that replaces a newline in quotes; '\n': none */
};

/* Reads and checks tables, which must have equal columns. Appends the records
   of all to the first table. Returns 0; or 1 after a message, with no text. */
NODISCARD int records_table_read(struct records_table *table,
                                 struct format_load *load,
                                 struct records_look *look,
                                 const char *const path[], uint32_t count);

/* Returns whether a text with a final NUL is a decimal number, as "-12.50".
   Sets how many digits it has before the point, without zeros at its begin, and
   after the point. */
bool records_table_number(const char *text, size_t bytes, uint32_t *whole,
                          uint32_t *decimals);

/* Returns whether a text that is no number looks like a number: it has no
   letters, but blanks, signs or digits that are not ASCII. */
bool records_table_looks_odd(const char *text, size_t bytes);

/* Returns a text, which ends with a NUL, from its first character on that is no
   blank. Sets *bytes to its length without blanks at both ends. */
const char *records_table_trim(const char *text, size_t *bytes);

#endif
