/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/simplex.h"

#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

void theory_simplex_init(struct theory_simplex *simplex, size_t variables,
                         size_t limits)
{
    *simplex =
        (struct theory_simplex){.variables = variables, .limits = limits};
    simplex->table = memory_or_exit(
        malloc((limits + 2) * (variables + 1) * sizeof *simplex->table));
    simplex->row_of = memory_or_exit(malloc(limits * sizeof *simplex->row_of));
    simplex->column_of =
        memory_or_exit(malloc(variables * sizeof *simplex->column_of));
}

void theory_simplex_free(struct theory_simplex *simplex)
{
    free(simplex->table);
    free(simplex->row_of);
    free(simplex->column_of);
}

/* The column of a variable of which more is better: the first variable, or the
   column that `steepest` gains most a unit. None: `variables`. */
static size_t entering(const struct theory_simplex *simplex, bool steepest)
{
    const quad *first = theory_simplex_row(simplex, simplex->limits);
    const quad *second = theory_simplex_row(simplex, simplex->limits + 1);
    size_t best = simplex->variables;

    for (size_t j = 0; j < simplex->variables; ++j) {
        bool improves = first[j] < 0 || (first[j] == 0 && second[j] < 0);

        if (improves &&
            (best == simplex->variables ||
             (steepest ? first[j] < first[best]
                       : simplex->column_of[j] < simplex->column_of[best]))) {
            best = j;
        }
    }
    return best;
}

/* The row that bounds the column's variable first; of equals, that of the first
   variable. There is one. */
static size_t leaving(const struct theory_simplex *simplex, size_t column)
{
    size_t best = simplex->limits;
    quad least = 0;

    for (size_t i = 0; i < simplex->limits; ++i) {
        const quad *row = theory_simplex_row(simplex, i);
        quad most = row[simplex->variables] / row[column];
        int order =
            best == simplex->limits ? -1 : theory_number_compare(most, least);

        if (row[column] > 0 &&
            (order < 0 ||
             (order == 0 && simplex->row_of[i] < simplex->row_of[best]))) {
            best = i;
            least = most;
        }
    }
    return best;
}

/* Swaps a row's variable with a column's. Rounding leaves no other number where
   there should be 0: signs decide. */
static void pivot(struct theory_simplex *simplex, size_t row, size_t column)
{
    quad *with = theory_simplex_row(simplex, row);
    size_t variable = simplex->row_of[row];
    quad entry = with[column];

    with[column] = 1;
    for (size_t j = 0; j <= simplex->variables; ++j) {
        with[j] /= entry;
    }
    for (size_t i = 0; i < simplex->limits + 2; ++i) {
        quad *of = theory_simplex_row(simplex, i);
        quad factor = of[column];

        if (i == row || factor == 0) {
            continue;
        }
        of[column] = 0;
        for (size_t j = 0; j <= simplex->variables; ++j) {
            of[j] = theory_number_minus(of[j], factor * with[j]);
        }
        simplex->steps += simplex->variables + 1;
    }
    simplex->row_of[row] = simplex->column_of[column];
    simplex->column_of[column] = variable;
}

bool theory_simplex_solve(struct theory_simplex *simplex, size_t steps_max)
{
    for (size_t i = 0; i < simplex->limits; ++i) {
        simplex->row_of[i] = simplex->variables + i;
    }
    for (size_t j = 0; j < simplex->variables; ++j) {
        simplex->column_of[j] = j;
    }
    for (size_t i = 0; simplex->steps <= steps_max; ++i) {
        size_t column = entering(simplex, i < 4 * simplex->variables);
        size_t row;

        if (column == simplex->variables) {
            return true;
        }
        row = leaving(simplex, column);
        if (row == simplex->limits) {
            break; /* rounding has made it unbounded */
        }
        pivot(simplex, row, column);
    }
    return false;
}

void theory_simplex_values(const struct theory_simplex *simplex, quad *values)
{
    memset(values, 0, simplex->variables * sizeof *values);
    for (size_t i = 0; i < simplex->limits; ++i) {
        if (simplex->row_of[i] < simplex->variables) {
            values[simplex->row_of[i]] =
                theory_simplex_row(simplex, i)[simplex->variables];
        }
    }
}
