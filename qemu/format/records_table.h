/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads kernel records' tables: finds the header rows and the columns that are
 * asked for, how each table and its numbers are written, and steps through the
 * rows of all tables.
 */
#ifndef QEMU_FORMAT_RECORDS_TABLE_H
#define QEMU_FORMAT_RECORDS_TABLE_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"
#include "qemu/format/records_number.h"
#include "qemu/format/records_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDS_CONDITIONS_MAX 8u
#define RECORDS_USES_MAX (RECORDS_CONDITIONS_MAX + 2u)
#define RECORDS_STYLES 2u
#define RECORDS_NONE UINT32_MAX

/* What a column's cells are if they are read in one style. */
struct records_reading {
    bool fails;        /* a cell is no number in this style */
    uint32_t whole;    /* most digits of a cell before the point */
    uint32_t decimals; /* most digits of a cell after the point */
};

/* A cell that is told of. */
struct records_spot {
    char text[16]; /* its first characters */
    const char *path;
    uint64_t line;
};

/* A column that is needed, for a condition, for the sum or for groups. The
   caller sets the fields up to `number`, and the digits of `value` in
   `reading`. */
struct records_use {
    const char *name;  /* name or number of the column */
    const char *value; /* what a condition compares the cells with; or NULL */
    struct records_number wanted; /* the number that `value` is */
    uint8_t accepted; /* kernel's bits of what the condition accepts */
    uint8_t type;     /* of the comparison, as --arg says it */
    bool number;      /* the cells must be decimal numbers */
    uint32_t index;   /* of the column, without a row's name */
    struct records_reading reading[RECORDS_STYLES];
    /* The column's, once all tables are read. */
    uint8_t style;
    struct records_reading digits;
    bool rewritten;   /* the boards cannot read a cell as it is */
    bool commas;      /* a cell has a comma */
    uint64_t missing; /* number of cells without a number */
    struct records_spot first_missing;
    struct records_spot mark; /* first cell with a comma, or whose points are
                                 marks of thousands */
    /* What the cells are, if text is compared: */
    bool seen_number; /* a cell is a number */
    bool seen_value;  /* a cell equals `value` */
    bool seen_latin;  /* a cell is no UTF-8 */
};

/* What is looked for in the tables of a load, and how they are written. */
struct records_look {
    struct records_use use[RECORDS_USES_MAX]; /* the conditions first */
    uint32_t uses;
    uint32_t conditions;
    uint32_t sum; /* index of the use that is summed, or RECORDS_NONE */
    uint32_t by;  /* index of the use that makes groups, or RECORDS_NONE */
    struct records_style style[RECORDS_STYLES];
    uint32_t styles; /* number of styles that are allowed, 1 or 2 */
    /* separator: 0: first line or name tells */
    struct records_dialect dialect;
    bool quote_given;
    bool escape_given;
    uint64_t skip; /* lines before the table */
    bool header;   /* the table has a header row */
    bool missing_fails;
};

/* One file. */
struct records_source;

struct records_table {
    struct records_look *look;
    struct records_source *source; /* malloc'd: the files in order */
    uint32_t sources;
    bool rewritten;  /* the boards cannot read the rows as they are */
    uint8_t newline; /* byte that stands for a newline in quotes; '\n': none */
    uint8_t separator;
    uint32_t names; /* cells of a row before its first column: its name, or 0 */
    /* All before the first row: lines that are skipped, and the header row. */
    const uint8_t *head;
    uint64_t head_bytes;
    bool mark;      /* a UTF-8 mark is before the header row */
    uint32_t added; /* bytes of the line end that the last row lacked */
    /* The row of records_table_next(). */
    uint32_t at; /* index of its file */
    const char *path;
    const uint8_t *row;
    uint32_t row_bytes;                         /* with the line end */
    struct records_cell cell[RECORDS_USES_MAX]; /* .text NULL: not there */
};

/* Reads and decodes the files. Returns 0, or 1 after a message. The caller
   calls records_table_free() in either case. */
NODISCARD int records_table_open(struct records_table *table,
                                 struct format_load *load,
                                 const char *const path[], uint32_t count);

/* Reads the tables, which must have equal columns, and fills in look->use.
   Returns 0, or 1 after a message. */
NODISCARD int records_table_scan(struct records_table *table,
                                 struct format_load *load,
                                 struct records_look *look);

/* Steps to the next row, after records_table_rewind() to the first one. Returns
   false behind the last row. */
bool records_table_next(struct records_table *table);
void records_table_rewind(struct records_table *table);

void records_table_free(struct records_table *table);

/* Returns the separator that a file's name tells, such as x.tsv or x.tsv.gz,
   and its plural for people; or 0. */
uint8_t records_table_separator(const char *path, const char **plural);

#endif
