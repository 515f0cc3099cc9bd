/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares for a few unknowns, with confidence intervals. */
#ifndef QEMU_BENCH_CALIBRATE_FIT_H
#define QEMU_BENCH_CALIBRATE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#define FIT_UNKNOWNS_MAX 3u

/* A fitted value, and half the width of its 95 % confidence interval. */
struct fit_value {
    double value;
    double half;
};

/* Solves y[i] = sum over k of x[i * unknowns + k] * out[k], for i below `rows`,
   by least squares; `unknowns` is 1 to FIT_UNKNOWNS_MAX. Confidence intervals
   assume that errors are independent and of one normal distribution. Sets *rms
   to the standard deviation of the residuals. Returns false and stores nothing
   if there are not more rows than unknowns, or if the rows do not determine
   these. */
bool fit_solve(struct fit_value out[], double *rms, const double x[],
               const double y[], uint32_t rows, unsigned unknowns);

#endif
