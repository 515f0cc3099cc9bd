/* SPDX-License-Identifier: Apache-2.0 */
/* How many rounds of the basic one several masters take, and how long:
   masters.h has the model. */
#ifndef QEMU_THEORY_MASTERS_ROUNDS_H
#define QEMU_THEORY_MASTERS_ROUNDS_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stddef.h>

#define THEORY_MASTERS_ROUNDS_MAX 32768

/* One limit of the next round's part r after R: r <= a + zeta b - R c, with
   a >= c, b > 0 and c <= 1. */
struct theory_limit {
    long double a, b, c;
};

struct theory_rounds {
    size_t limits;
    struct theory_limit *limit; /* the caller's */
    unsigned rounds;   /* k; 0: nothing is sent, as that ends no later */
    long double *part; /* of each round; the caller frees it */
    long double idle;  /* zeta */
    long double over;  /* rounds and idle time, or alone: T is not in it */
};

/*
 * Sets rounds, part, idle and over for these limits such that
 * over = rounds * round_time + idle is least; or no rounds and over = alone, if
 * that is no more. For each number of rounds the least idle time is a root of a
 * concave function, found by Newton from below; between two numbers of rounds
 * no idle time is less than that of the larger, so whole ranges are left out
 * and the result is the least of all. After k rounds R is a sum of positive
 * terms only: it has a relative error of 3 k 2^-64 at most.
 *
 * Result: whether THEORY_MASTERS_ROUNDS_MAX rounds are enough.
 */
NODISCARD bool theory_masters_rounds(struct theory_rounds *plan,
                                     long double round_time, long double alone);

#endif
