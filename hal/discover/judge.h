/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a node's links, and the size that the mesh turns out to have. */
#ifndef HAL_DISCOVER_JUDGE_H
#define HAL_DISCOVER_JUDGE_H

#include "hal/discover/internal.h"

/* The largest skew either way: no sum of discover_close_way() overflows. */
#define DISCOVER_SKEW_MAX 65535

/* Adds a fault to this node's list; beyond DISCOVER_FAULTS_MAX it is only
   counted. */
void discover_add_fault(struct discover *d, const struct discover_fault *fault);

/* Adds a fault of this node at a port, which has no other end. */
void discover_find_alone(struct discover *d, unsigned port,
                         enum discover_code code, unsigned count);

/* Judges all links of a node that knows its place, and the strap. */
void discover_judge(struct discover *d);

/*
 * Takes a way on which the mesh closes into (width, skew) and (0, height), of
 * which all such ways are sums: Euclid's algorithm, on x with (width, skew),
 * then on what is left with the height. At most 20 divisions each.
 */
void discover_close_way(struct discover *d, int32_t x, int32_t y);

/* At the originator, when all have answered: adds a fault if the mesh that was
   found is not the one that was asked for. */
void discover_judge_size(struct discover *d);

#endif
