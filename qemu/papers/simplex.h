/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small linear programmes in whole numbers, exactly: the simplex method with
 * pivots that keep one denominator for all (every entry of the table is a
 * determinant of the first table, so every division has no remainder).
 */
#ifndef QEMU_PAPERS_SIMPLEX_H
#define QEMU_PAPERS_SIMPLEX_H

#include <gmp.h>

#define PAPERS_SIMPLEX_VARIABLES 5
#define PAPERS_SIMPLEX_LIMITS 6

/*
 * Maximises objective[0] . x and, among all maxima, objective[1] . x, with
 * x >= 0 and row . x <= its limit, which is 0 or more. An objective row holds
 * its negated coefficients. All numbers are over `scale` while it is solved.
 * The table's last column holds the limits and the negated objectives' values.
 */
struct papers_simplex {
    unsigned variables;
    unsigned limits; /* rows of them; the two objectives follow */
    mpz_t table[PAPERS_SIMPLEX_LIMITS + 2][PAPERS_SIMPLEX_VARIABLES + 1];
    mpz_t scale;
    /* Variables 0 .., then the slacks of the limits. */
    unsigned row_of[PAPERS_SIMPLEX_LIMITS];
    unsigned column_of[PAPERS_SIMPLEX_VARIABLES];
};

/* Sizes within the limits above. All numbers are 0. */
void papers_simplex_init(struct papers_simplex *simplex, unsigned variables,
                         unsigned limits);
void papers_simplex_free(struct papers_simplex *simplex);

/* Sets scale and rows' meaning for a new table, which the caller fills. */
void papers_simplex_begin(struct papers_simplex *simplex);

/* Solves a bounded programme: every variable has a limit. Ends always, by
   Bland's rule. */
void papers_simplex_solve(struct papers_simplex *simplex);

/* The numerator of a variable, over `scale`; NULL: it is 0. */
mpz_srcptr papers_simplex_value(const struct papers_simplex *simplex,
                                unsigned variable);

#endif
