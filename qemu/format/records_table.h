/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of kernel records: CSV as in RFC 4180, checked by libcsv record by
 * record, so that the kernel needs no case for what is malformed. A carriage
 * return alone that ends a record becomes a newline. Newlines inside quotes are
 * replaced by a byte that no table contains, so that on the mesh a newline
 * always ends a record.
 */
#ifndef QEMU_FORMAT_RECORDS_TABLE_H
#define QEMU_FORMAT_RECORDS_TABLE_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number has at most 18 digits, which 64 bits hold. */
#define RECORDS_DIGITS_MAX 18u

/* A column that is needed, and what its numbers need. */
struct records_column {
    const char *name; /* NULL: no column is needed */
    bool number;      /* the cells must be decimal numbers */
    bool found;       /* in the table at hand */
    uint32_t index;
    uint32_t whole;    /* most digits of a cell before the point, */
    uint32_t decimals; /* and behind it */
};

/* What the tables of a load are looked at for. */
struct records_look {
    struct records_column column; /* of the condition */
    struct records_column sum;
    const char *value; /* that the condition's cells are compared with */
    uint8_t separator; /* between fields; 0: a table's first line or its name
                          tells */
    /* Of the condition's cells, if they are compared as text: */
    bool seen_number; /* some are numbers */
    bool seen_text;   /* some are neither numbers nor empty */
    bool seen_value;  /* some are `value` */
};

struct records_table {
    struct text text;      /* the caller's: the header row, and all records */
    uint64_t header_bytes; /* of the header row, and of a first line sep=; */
    uint32_t longest;      /* bytes of the longest record */
    uint32_t last_bytes;   /* of the last one */
    bool ended;            /* the last newline is not the file's */
    uint8_t separator;     /* between fields */
    uint8_t newline;       /* the byte that stands for a newline in quotes; a
                              newline if there is none */
};

/* Reads and checks tables, which must have the same columns, and appends the
   records of all to the first. Result: 0; or 1, and no text, after a message.
 */
NODISCARD int records_table_read(struct records_table *table,
                                 struct format_load *load,
                                 struct records_look *look,
                                 const char *const path[], uint32_t count);

/* Whether a text that a 0 follows, "-12.50", is a decimal number; its digits
   before the point, without leading zeros, and behind it. */
bool records_table_number(const char *text, size_t bytes, uint32_t *whole,
                          uint32_t *decimals);

/* Whether a text that is no number has no letters, but characters that are not
   ASCII: blanks, signs or digits that only look like those of a number. */
bool records_table_looks_odd(const char *text, size_t bytes);

/* Where a text that a 0 follows begins without blanks; *bytes becomes its
   length without those at both ends. */
const char *records_table_trim(const char *text, size_t *bytes);

#endif
