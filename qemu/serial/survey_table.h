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
    int width; /* negative: texts on the left, as printf has it */
};

struct table {
    FILE *out;
    const struct table_column *column;
    size_t columns;
    size_t room;    /* columns of the terminal */
    size_t next;    /* column of the next cell */
    size_t at;      /* where the next cell begins in its line */
    size_t written; /* characters of this line */
    bool ends;      /* the next text begins a line */
};

/* Result: a table whose heads are printed. The first column is the node. */
struct table table_begin(FILE *out, const struct table_column column[],
                         size_t columns);

/* Prints the next cell of a row; the last one ends the row. */
__attribute__((format(printf, 2, 3))) void table_print(struct table *table,
                                                       const char *format, ...);

/* Prints the row of a node that does not answer. */
void table_print_silent(struct table *table, const struct sweep_node *node);

/* Prints `json` and a newline to standard output, and releases it. `flags`: of
   json_dumpf(). Result: 0, or -1 if a write failed. */
NODISCARD int table_print_json(json_t *json, size_t flags);

#endif
