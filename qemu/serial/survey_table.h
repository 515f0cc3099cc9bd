/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The printer of surveys: a table with a line for each node, or for each of
 * its ports, and JSON. A table is no wider than the terminal (80 columns
 * without one): cells that do not fit go on below the second column.
 *
 *     node   state      waypoint                   since, s last circuit
 *            error of the last job
 *     0,0    scattering message from n, kind 16       0.005 sent w 4096 B
 *     1,0    no answer: dead link; tried E1, W2
 */
#ifndef QEMU_SERIAL_SURVEY_TABLE_H
#define QEMU_SERIAL_SURVEY_TABLE_H

#include "hal/nodiscard.h"
#include "qemu/serial/sweep.h"

#include <jansson.h>
#include <stdio.h>

struct table_column {
    const char *head;
    int width; /* width in characters; negative: left-aligned, as in printf */
};

struct table {
    FILE *out;
    const struct table_column *column;
    size_t columns;
    size_t room;    /* width of the terminal, characters */
    size_t next;    /* index of the next cell's column */
    size_t at;      /* position of the next cell in its line */
    size_t written; /* number of characters in this line */
    bool ends;      /* the next text begins a new line */
};

/* Prints the heads of a table. The first column is the node. Returns the
   table. */
struct table table_begin(FILE *out, const struct table_column column[],
                         size_t columns);

/* Prints the next cell of a row. The last cell ends the row. */
__attribute__((format(printf, 2, 3))) void table_print(struct table *table,
                                                       const char *format, ...);

/* Prints the row of a node that does not answer. */
void table_print_silent(struct table *table, const struct sweep_node *node);

/* Prints `json` and a newline to standard output and releases `json`. `flags`
   are those of json_dumpf(). Returns 0, or -1 if writing failed. */
NODISCARD int table_print_json(json_t *json, size_t flags);

#endif
