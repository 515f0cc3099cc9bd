/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads kernel records' tables: CSV as in RFC 4180, and what else is called so.
 * libcsv divides each record, so that the kernel never sees a malformed one. A
 * lone carriage return that ends a record becomes a newline. Newlines inside
 * quotes are replaced by a byte that no table contains: on the mesh, a newline
 * always ends a record.
 */
#ifndef QEMU_FORMAT_RECORDS_TABLE_H
#define QEMU_FORMAT_RECORDS_TABLE_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"
#include "qemu/format/records_number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDS_CONDITIONS_MAX 8u
#define RECORDS_USES_MAX (RECORDS_CONDITIONS_MAX + 2u)
#define RECORDS_STYLES 2u
#define RECORDS_NO_QUOTE '\0' /* value of records_look.quote */

/* The digits that a column's cells have if they are read in one style. */
struct records_reading {
    bool fails; /* a cell is no number in this style */
    uint32_t whole;
    uint32_t decimals;
};

/* A cell that is told of. */
struct records_spot {
    char text[16]; /* its first characters */
    const char *path;
    uint64_t line;
};

/* A column that is needed, for a condition, for the sum or for groups. */
struct records_use {
    const char *name;  /* name or number of the column */
    const char *value; /* text that the cells are compared with; or NULL */
    bool condition;    /* a condition compares the cells */
    bool number;       /* the cells must be decimal numbers */
    bool found;        /* the current table has the column */
    uint32_t index;
    struct records_reading reading[RECORDS_STYLES];
    bool commas;      /* a cell has a comma */
    bool rewritten;   /* the boards cannot read a cell as it is */
    uint64_t missing; /* number of cells without a number */
    struct records_spot first_missing;
    struct records_spot first_comma;
    /* The column's style, once all tables are read. */
    uint8_t style;
    uint32_t whole;    /* most digits of a cell before the point */
    uint32_t decimals; /* most digits of a cell after the point */
    /* What the cells are, if text is compared: */
    bool seen_number; /* a cell is a number */
    bool seen_text;   /* a cell is neither a number nor empty */
    bool seen_value;  /* a cell equals `value` */
};

/* What is looked for in the tables of a load, and how they are written. */
struct records_look {
    struct records_use use[RECORDS_USES_MAX];
    uint32_t uses;
    struct records_style style[RECORDS_STYLES];
    uint32_t styles;   /* number of styles that are allowed, 1 or 2 */
    uint8_t separator; /* field separator; 0: first line or name tells */
    bool quote_given;
    uint8_t quote; /* character of quotes, or RECORDS_NO_QUOTE */
    bool escape_given;
    uint8_t escape;  /* character of escapes; 0: none */
    uint8_t comment; /* lines that begin with it are left out; 0: none */
    uint64_t skip;   /* lines before the table */
    bool header;     /* the table has a header row */
    bool missing_fails;
};

#define RECORDS_ABSENT UINT32_MAX

/* A record of a table. */
struct records_row {
    uint64_t at;    /* offset of its text */
    uint64_t cells; /* offset of its cells in struct records_table.cells */
    uint32_t bytes; /* length of its text, with the newline */
};

struct records_table {
    struct text text;      /* header row and all records */
    uint64_t header_bytes; /* length of all before the first record */
    uint32_t longest;      /* bytes of the longest record */
    uint32_t last_bytes;   /* bytes of the last record */
    bool ended;        /* the file lacked the last newline, which was added */
    bool rewritten;    /* the boards cannot read the text as it is */
    uint8_t separator; /* separator of fields */
    uint8_t newline; /* byte that stands for a newline in quotes; '\n': none */
    struct records_row *row;
    uint64_t rows;
    /* The used cells of each row, in the order of records_look.use: the length
       as u32, or RECORDS_ABSENT; then the text. */
    uint8_t *cells;
    uint64_t cell_bytes;
};

/* Reads and checks tables, which must have equal columns, and appends all
   records to the first table. Returns 0; or 1, and no table, after a message.
 */
NODISCARD int records_table_read(struct records_table *table,
                                 struct format_load *load,
                                 struct records_look *look,
                                 const char *const path[], uint32_t count);

/* Frees what the table holds. */
void records_table_free(struct records_table *table);

#endif
