/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/simplex.h"

#include <stdbool.h>

void papers_simplex_init(struct papers_simplex *simplex, unsigned variables,
                         unsigned limits)
{
    simplex->variables = variables;
    simplex->limits = limits;
    mpz_init(simplex->scale);
    for (unsigned i = 0; i < limits + 2; ++i) {
        for (unsigned j = 0; j <= variables; ++j) {
            mpz_init(simplex->table[i][j]);
        }
    }
}

void papers_simplex_free(struct papers_simplex *simplex)
{
    mpz_clear(simplex->scale);
    for (unsigned i = 0; i < simplex->limits + 2; ++i) {
        for (unsigned j = 0; j <= simplex->variables; ++j) {
            mpz_clear(simplex->table[i][j]);
        }
    }
}

void papers_simplex_begin(struct papers_simplex *simplex)
{
    mpz_set_ui(simplex->scale, 1);
    for (unsigned i = 0; i < simplex->limits; ++i) {
        simplex->row_of[i] = simplex->variables + i;
    }
    for (unsigned j = 0; j < simplex->variables; ++j) {
        simplex->column_of[j] = j;
    }
}

/* Whether more of the column's variable is better. */
static bool improves(const struct papers_simplex *simplex, unsigned column)
{
    int first = mpz_sgn(simplex->table[simplex->limits][column]);

    return first < 0 ||
           (first == 0 &&
            mpz_sgn(simplex->table[simplex->limits + 1][column]) < 0);
}

/* The column of the first variable of which more is better, or `variables`. */
static unsigned entering(const struct papers_simplex *simplex)
{
    unsigned best = simplex->variables;

    for (unsigned j = 0; j < simplex->variables; ++j) {
        if (improves(simplex, j) &&
            (best == simplex->variables ||
             simplex->column_of[j] < simplex->column_of[best])) {
            best = j;
        }
    }
    return best;
}

/* How soon row i bounds the column's variable compared with row k: -1 sooner,
   0 as soon, 1 later. */
static int compare(const struct papers_simplex *simplex, unsigned column,
                   unsigned i, unsigned k)
{
    unsigned last = simplex->variables;
    int order;
    mpz_t one, other;

    mpz_inits(one, other, NULL);
    mpz_mul(one, simplex->table[i][last], simplex->table[k][column]);
    mpz_mul(other, simplex->table[k][last], simplex->table[i][column]);
    order = mpz_cmp(one, other);
    mpz_clears(one, other, NULL);
    return order;
}

/* The row that bounds the column's variable first; of equals, that of the first
   variable. There is one. */
static unsigned leaving(const struct papers_simplex *simplex, unsigned column)
{
    unsigned best = simplex->limits;

    for (unsigned i = 0; i < simplex->limits; ++i) {
        int order;

        if (mpz_sgn(simplex->table[i][column]) <= 0) {
            continue;
        }
        order =
            best == simplex->limits ? -1 : compare(simplex, column, i, best);
        if (order < 0 ||
            (order == 0 && simplex->row_of[i] < simplex->row_of[best])) {
            best = i;
        }
    }
    return best;
}

/* Computes a row anew: (entry pivot - its entry in the column * the pivot
   row's) / scale. */
static void pivot_row(struct papers_simplex *simplex, unsigned i, unsigned row,
                      unsigned column)
{
    mpz_ptr factor = simplex->table[i][column];

    for (unsigned j = 0; j <= simplex->variables; ++j) {
        mpz_ptr entry = simplex->table[i][j];

        if (j != column) {
            mpz_mul(entry, entry, simplex->table[row][column]);
            mpz_submul(entry, factor, simplex->table[row][j]);
            mpz_divexact(entry, entry, simplex->scale);
        }
    }
    mpz_neg(factor, factor);
}

/* Swaps a row's variable with a column's. */
static void pivot(struct papers_simplex *simplex, unsigned row, unsigned column)
{
    unsigned variable = simplex->row_of[row];

    for (unsigned i = 0; i < simplex->limits + 2; ++i) {
        if (i != row) {
            pivot_row(simplex, i, row, column);
        }
    }
    mpz_swap(simplex->scale, simplex->table[row][column]);
    simplex->row_of[row] = simplex->column_of[column];
    simplex->column_of[column] = variable;
}

void papers_simplex_solve(struct papers_simplex *simplex)
{
    for (unsigned column; (column = entering(simplex)) < simplex->variables;) {
        pivot(simplex, leaving(simplex, column), column);
    }
}

mpz_srcptr papers_simplex_value(const struct papers_simplex *simplex,
                                unsigned variable)
{
    for (unsigned i = 0; i < simplex->limits; ++i) {
        if (simplex->row_of[i] == variable) {
            return simplex->table[i][simplex->variables];
        }
    }
    return NULL;
}
