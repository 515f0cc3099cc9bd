/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads kernel records' tables: CSV as in RFC 4180. libcsv checks each record,
 * so that the kernel never sees a malformed one. A lone carriage return that
 * ends a record becomes a newline. Newlines inside quotes are replaced by a
 * byte that no table contains: on the mesh, a newline always ends a record.
 */
#ifndef QEMU_FORMAT_RECORDS_TABLE_H
#define QEMU_FORMAT_RECORDS_TABLE_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most digits of a number, which 64 bits hold. */
#define RECORDS_DIGITS_MAX 18u

/* A column that the kernel needs, and the number of its digits. */
struct records_column {
    const char *name; /* NULL: no column is needed */
    bool number;      /* the cells must be decimal numbers */
    bool found;       /* the current table has the column */
    uint32_t index;
    uint32_t whole;    /* most digits of a cell before the point */
    uint32_t decimals; /* most digits of a cell after the point */
};

/* The columns and the value that are looked for in the tables of a load. */
struct records_look {
    struct records_column column; /* column of the condition */
    struct records_column sum;
    const char *value; /* text that the condition's cells are compared with */
    uint8_t separator; /* field separator; 0: first line or name tells */
    /* What the cells of `column` are, if the condition compares text: */
    bool seen_number; /* a cell is a number */
    bool seen_text;   /* a cell is neither a number nor empty */
    bool seen_value;  /* a cell equals `value` */
};

struct records_table {
    struct text text;      /* header row and all records; the caller frees it */
    uint64_t header_bytes; /* length of header row and first line sep= */
    uint32_t longest;      /* bytes of the longest record */
    uint32_t last_bytes;   /* bytes of the last record */
    bool ended;        /* the file lacked the last newline, which was added */
    uint8_t separator; /* separator of fields */
    uint8_t newline; /* byte that stands for a newline in quotes; '\n': none */
};

/* Reads and checks tables, which must have equal columns, and appends all
   records to the first table. Returns 0; or 1, and no text, after a message. */
NODISCARD int records_table_read(struct records_table *table,
                                 struct format_load *load,
                                 struct records_look *look,
                                 const char *const path[], uint32_t count);

/* Returns whether a text that ends in 0, "-12.50", is a decimal number. Sets
   how many digits it has before the point, without leading zeros, and after. */
bool records_table_number(const char *text, size_t bytes, uint32_t *whole,
                          uint32_t *decimals);

/* Returns whether a text that is no number looks like one: it has no letters,
   but non-ASCII blanks, signs or digits. */
bool records_table_looks_odd(const char *text, size_t bytes);

/* Returns the first character of a text, which ends in 0, that is no blank. The
   length without blanks at both ends goes to *bytes. */
const char *records_table_trim(const char *text, size_t *bytes);

#endif
