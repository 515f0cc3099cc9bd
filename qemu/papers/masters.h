/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of several masters: qemu/papers/masters_plan.h. */
#ifndef QEMU_PAPERS_MASTERS_H
#define QEMU_PAPERS_MASTERS_H

#include "hal/nodiscard.h"
#include "qemu/papers/masters_plan.h"

/*
 * Plans for one column x, of which one is more than 0. Result: whether
 * PAPERS_MASTERS_ROUNDS_MAX rounds are enough for the best plan; else rounds
 * and what follows are not set. To be freed in any case.
 */
NODISCARD bool papers_masters(struct papers_masters *masters,
                              const struct papers_workers *workers,
                              const struct papers_network *network);
void papers_masters_free(struct papers_masters *masters);

#endif
