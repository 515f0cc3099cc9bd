/* SPDX-License-Identifier: Apache-2.0 */
/* How many rounds of the basic one, and how long:
   qemu/papers/masters_plan.h. */
#ifndef QEMU_PAPERS_MASTERS_ROUNDS_H
#define QEMU_PAPERS_MASTERS_ROUNDS_H

#include "hal/nodiscard.h"
#include "qemu/papers/masters_plan.h"

/*
 * Sets rounds, part, idle and over such that over = rounds * round_time + idle
 * is least; or no rounds and over = alone, if that is no more. Limits and their
 * numbers are set, with a >= c, b > 0 and c <= 1. For each
 * number of rounds the least idle time is a root of a concave function, found
 * by Newton from below; between two numbers of rounds no idle time is less than
 * that of the larger, so whole ranges are left out and the result is the least
 * of all. After k rounds R is a sum of positive terms only: it has a relative
 * error of 3 k 2^-64 at most.
 *
 * Result: whether PAPERS_MASTERS_ROUNDS_MAX rounds are enough.
 */
NODISCARD bool papers_masters_rounds(struct papers_masters *masters,
                                     long double round_time, long double alone);

#endif
