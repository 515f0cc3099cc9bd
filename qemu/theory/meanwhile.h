/* SPDX-License-Identifier: Apache-2.0 */
/* Plans several rounds whose outputs return while nodes compute later rounds.
   The originator's board plans alike (scatter/plan/meanwhile.h), but counts the
   time of its software, too. */
#ifndef QEMU_THEORY_MEANWHILE_H
#define QEMU_THEORY_MEANWHILE_H

#include "qemu/theory/model.h"

/* Returns a limit that the number of rounds or the input exceeds, as text: "at
   most 16 rounds". Returns NULL if results can return while nodes compute. */
const char *theory_meanwhile_limit(const struct theory_input *input,
                                   unsigned rounds);

/*
 * Plans `rounds` rounds, two or more, if all outputs are back before *time_ps.
 * Then lowers *time_ps to when they are back. The originator computes until
 * then, so this is also the makespan. Circuits are held end to end (no store
 * and forward); an output's circuit takes its phase's startup. Shares are whole
 * units. A volume counts as received when the originator's port, which receives
 * outputs in between, has sent the phase.
 *
 * The boards' planner takes whole picoseconds. Times are scaled so that a
 * fraction of a picosecond stays exact; very long times are rounded up.
 *
 * Returns 0. Returns ERR_PHASES if no plan is earlier, or if
 * theory_meanwhile_limit() names a limit. After success the caller frees the
 * detail.
 */
NODISCARD int theory_plan_meanwhile(struct theory_plan *plan,
                                    struct theory_detail *detail,
                                    uint64_t *time_ps,
                                    const struct theory_input *input,
                                    unsigned rounds);

#endif
