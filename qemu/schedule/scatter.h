/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_SCHEDULE_SCATTER_H
#define QEMU_SCHEDULE_SCATTER_H

#include "hal/nodiscard.h"
#include "qemu/schedule/tree.h"

/*
 * The scatter of this project. On 5^k x 5^k, up to 125x125, it is that of
 * torus/pattern.h. On any other torus of 1x1 to 125x125 every phase's circuits
 * are link-disjoint too, and the tree is found by a search: the same for every
 * originator but for the shift.
 *
 * tree[width * height] is the caller's. Result: the number of phases, or -1 if
 * there is no tree for this size. Cost: milliseconds; below
 * 0.2 s on 31x31, up to 6 s on 124x125.
 */
NODISCARD int schedule_scatter(struct schedule_branch tree[],
                               struct torus_size size,
                               struct torus_coord originator);

#endif
