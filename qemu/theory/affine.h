/* SPDX-License-Identifier: Apache-2.0 */
/* A number that depends on an unknown one, x: slope x + offset. */
#ifndef QEMU_THEORY_AFFINE_H
#define QEMU_THEORY_AFFINE_H

#include "qemu/theory/number.h"

struct affine {
    quad slope, offset;
};

/* sum += factor of */
static inline void affine_add(struct affine *sum, struct affine of, quad factor)
{
    sum->slope += factor * of.slope;
    sum->offset += factor * of.offset;
}

static inline quad affine_at(struct affine of, quad x)
{
    return theory_number_minus(of.slope * x, -of.offset);
}

/* The x for which it is `value`. */
static inline quad affine_solve(struct affine of, quad value)
{
    return theory_number_minus(value, of.offset) / of.slope;
}

#endif
