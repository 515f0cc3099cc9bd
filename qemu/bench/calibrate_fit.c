/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/calibrate_fit.h"

#include <math.h>
#include <string.h>

#define K FIT_UNKNOWNS_MAX
#define SINGULAR 1e-9L

/* Returns the two-sided 95 % quantile of Student's t for 1 or more degrees of
   freedom, by Abramowitz and Stegun, 26.7.5; from 3 degrees on it is right to
   0.1 %. */
static double student_t(uint32_t degrees)
{
    static const double z = 1.959963984540054;
    double n = degrees;
    double z2 = z * z;

    if (degrees < 3) {
        return degrees == 2 ? 4.302652729749 : 12.706204736175;
    }
    return z *
           (1 + (z2 + 1) / (4 * n) + ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
            (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n) +
            ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) /
                (92160 * n * n * n * n));
}

/* Normal equations of the least squares. Each unknown is scaled by its largest
   coefficient. */
struct normal {
    long double a[K][2 * K]; /* right half: at first the unit matrix */
    long double b[K];
    double scale[K];
};

static bool set_up(struct normal *normal, const double x[], const double y[],
                   uint32_t rows, unsigned unknowns)
{
    memset(normal, 0, sizeof *normal);
    for (unsigned k = 0; k < unknowns; ++k) {
        for (uint32_t i = 0; i < rows; ++i) {
            normal->scale[k] =
                fmax(normal->scale[k], fabs(x[(size_t)i * unknowns + k]));
        }
        if (normal->scale[k] <= 0) {
            return false;
        }
        normal->a[k][K + k] = 1;
    }
    for (uint32_t i = 0; i < rows; ++i) {
        const double *row = &x[(size_t)i * unknowns];

        for (unsigned k = 0; k < unknowns; ++k) {
            long double xk = (long double)row[k] / normal->scale[k];

            normal->b[k] += xk * y[i];
            for (unsigned m = 0; m < unknowns; ++m) {
                normal->a[k][m] += xk * row[m] / normal->scale[m];
            }
        }
    }
    return true;
}

/* Inverts the matrix by Gauss-Jordan; the right half of `a` becomes the
   inverse. No pivot is searched for, since the matrix is positive definite. */
static bool invert(struct normal *normal, uint32_t rows, unsigned unknowns)
{
    for (unsigned k = 0; k < unknowns; ++k) {
        long double pivot = normal->a[k][k];

        if (pivot < SINGULAR * rows) {
            return false;
        }
        for (unsigned m = 0; m < 2 * K; ++m) {
            normal->a[k][m] /= pivot;
        }
        for (unsigned i = 0; i < unknowns; ++i) {
            long double factor = normal->a[i][k];

            for (unsigned m = 0; i != k && m < 2 * K; ++m) {
                normal->a[i][m] -= factor * normal->a[k][m];
            }
        }
    }
    return true;
}

static double residual_rms(const struct fit_value out[], const double x[],
                           const double y[], uint32_t rows, unsigned unknowns)
{
    long double sum = 0;

    for (uint32_t i = 0; i < rows; ++i) {
        long double rest = y[i];

        for (unsigned k = 0; k < unknowns; ++k) {
            rest -= (long double)x[(size_t)i * unknowns + k] * out[k].value;
        }
        sum += rest * rest;
    }
    return (double)sqrtl(sum / (rows - unknowns));
}

bool fit_solve(struct fit_value out[], double *rms, const double x[],
               const double y[], uint32_t rows, unsigned unknowns)
{
    struct normal normal;

    if (rows <= unknowns || !set_up(&normal, x, y, rows, unknowns) ||
        !invert(&normal, rows, unknowns)) {
        return false;
    }
    for (unsigned k = 0; k < unknowns; ++k) {
        long double sum = 0;

        for (unsigned m = 0; m < unknowns; ++m) {
            sum += normal.a[k][K + m] * normal.b[m];
        }
        out[k].value = (double)(sum / normal.scale[k]);
    }
    *rms = residual_rms(out, x, y, rows, unknowns);
    for (unsigned k = 0; k < unknowns; ++k) {
        out[k].half = student_t(rows - unknowns) * *rms *
                      sqrt((double)normal.a[k][K + k]) / normal.scale[k];
    }
    return true;
}
