/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest plan of several masters without startups:
   qemu/papers/masters_plan.h. */
#ifndef QEMU_PAPERS_BASIC_ROUND_H
#define QEMU_PAPERS_BASIC_ROUND_H

#include "qemu/papers/masters_plan.h"

/*
 * Makes `masters`, with bound, length, what each node sends and receives, and
 * the transfers by rising start; nothing else. Unscaled but for the bound. To
 * be freed with papers_masters_free().
 */
void papers_basic_round(struct papers_masters *masters,
                        const struct papers_workers *workers,
                        const struct papers_network *network);

#endif
