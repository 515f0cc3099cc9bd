/* SPDX-License-Identifier: Apache-2.0 */
/* Several rounds whose outputs return meanwhile, as the originator's board
   plans them: scatter/plan/meanwhile.h, without any software. */
#ifndef QEMU_THEORY_MEANWHILE_H
#define QEMU_THEORY_MEANWHILE_H

#include "qemu/theory/model.h"

/*
 * What the number of rounds or the input would have to be so that results can
 * return meanwhile, such as "at most 16 rounds"; NULL if they can.
 */
const char *theory_meanwhile_limit(const struct theory_input *input,
                                   unsigned rounds);

/*
 * Plans `rounds` rounds, two or more, if their results are back before
 * *time_ps, which it is then, as is the makespan: the originator computes as
 * long. Over circuits only; a result's circuit of each phase takes the phase's
 * startup. Shares are whole units. A receipt is when the originator's port,
 * which takes results in between, has sent the phase: scatter/plan/meanwhile.h.
 *
 * The boards' planner takes whole picoseconds. A unit's output of a fraction of
 * one is exact nevertheless, or rounded up where all times are long.
 *
 * Result: 0; ERR_PHASES if none is, or theory_meanwhile_limit() has one. After
 * success the caller frees the detail.
 */
NODISCARD int theory_plan_meanwhile(struct theory_plan *plan,
                                    struct theory_detail *detail,
                                    uint64_t *time_ps,
                                    const struct theory_input *input,
                                    unsigned rounds);

#endif
