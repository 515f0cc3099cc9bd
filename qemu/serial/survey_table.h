/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what nodes have answered: a table with a line for each node, or for
 * each of its ports; and JSON. A table is no wider than the terminal (80
 * columns if there is none): cells that do not fit go on below the second
 * column.
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
    int width; /* width in characters; below 0: aligned left, as in printf() */
};

struct table {
    FILE *out;
    const struct table_column *column;
    size_t columns;
    size_t room;    /* width of the terminal, characters */
    size_t next;    /* column of the next cell */
    size_t at;      /* where in the line the next cell begins */
    size_t written; /* number of characters printed in the line */
    bool ends;      /* true: the next text begins a new line */
};

/* Prints the heads of the columns, of which the first is the node's. Returns
   the table. */
struct table table_begin(FILE *out, const struct table_column column[],
                         size_t columns);

/* Prints the next cell of the current row. The last cell ends the row. */
__attribute__((format(printf, 2, 3))) void table_print(struct table *table,
                                                       const char *format, ...);

/* Prints the row of a node that has not answered, and why. */
void table_print_silent(struct table *table, const struct sweep_node *node);

/* Prints a JSON value and a newline on standard output, and releases the value.
   `flags` are json_dumpf()'s. Returns 0, or -1 if writing failed. */
NODISCARD int table_print_json(json_t *json, size_t flags);

#endif
