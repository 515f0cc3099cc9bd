/* SPDX-License-Identifier: Apache-2.0 */
/* Plans several rounds whose outputs return while later rounds are computed, as
   the originator's board does (scatter/plan/meanwhile.h), but without the time
   of software. */
#ifndef QEMU_THEORY_MEANWHILE_H
#define QEMU_THEORY_MEANWHILE_H

#include "qemu/theory/model.h"

/*
 * Returns the limit that the number of rounds or the input exceeds, such as "at
 * most 16 rounds", or NULL if results can return meanwhile.
 */
const char *theory_meanwhile_limit(const struct theory_input *input,
                                   unsigned rounds);

/*
 * Plans `rounds` rounds, two or more, if their results are back before
 * *time_ps, and lowers *time_ps to that time. The originator computes until
 * then: the makespan is equal. Only circuits are allowed; a result's circuit
 * takes its phase's startup. Shares are whole units. A receipt is when the
 * originator's port, which receives results in between, has sent the phase.
 *
 * The boards' planner takes whole picoseconds. An output's fraction of a ps is
 * exact nevertheless, or rounded up where all times are long.
 *
 * Returns 0; ERR_PHASES if no plan is earlier or theory_meanwhile_limit() has a
 * limit. After success the caller frees the detail.
 */
NODISCARD int theory_plan_meanwhile(struct theory_plan *plan,
                                    struct theory_detail *detail,
                                    uint64_t *time_ps,
                                    const struct theory_input *input,
                                    unsigned rounds);

#endif
