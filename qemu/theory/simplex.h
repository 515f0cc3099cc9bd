/* SPDX-License-Identifier: Apache-2.0 */
/* Small linear programmes, by the simplex method. */
#ifndef QEMU_THEORY_SIMPLEX_H
#define QEMU_THEORY_SIMPLEX_H

#include "hal/nodiscard.h"
#include "qemu/theory/number.h"

#include <stddef.h>

/*
 * Maximises objective[0] . x and, among all maxima, objective[1] . x, with
 * x >= 0 and row . x <= its limit, which is 0 or more. An objective row holds
 * its negated coefficients. The table's last column holds the limits, and once
 * it is solved the objectives' values.
 */
struct theory_simplex {
    size_t variables;
    size_t limits;  /* rows of them; the two objectives follow */
    quad *table;    /* row by row, of variables + 1 numbers each */
    size_t *row_of; /* the variable of a row: 0 .., then the slacks */
    size_t *column_of;
    size_t steps; /* numbers of the table computed so far */
};

/* theory_simplex_free(). */
void theory_simplex_init(struct theory_simplex *simplex, size_t variables,
                         size_t limits);
void theory_simplex_free(struct theory_simplex *simplex);

/* A row of the table, from 0: the caller fills all of them. */
static inline quad *theory_simplex_row(const struct theory_simplex *simplex,
                                       size_t row)
{
    return simplex->table + row * (simplex->variables + 1);
}

/* Solves a bounded programme: every variable has a limit. Ends always, at the
   latest by Bland's rule. Result: whether `steps` have not become more than
   `steps_max`; else it is not solved. */
NODISCARD bool theory_simplex_solve(struct theory_simplex *simplex,
                                    size_t steps_max);

/* Writes what is best to the variables. */
void theory_simplex_values(const struct theory_simplex *simplex, quad *values);

#endif
