/* SPDX-License-Identifier: Apache-2.0 */
/* Several rounds whose outputs return meanwhile, as the originator's board
   plans them: scatter/plan/meanwhile.h, without any software. */
#ifndef QEMU_MODEL_MEANWHILE_H
#define QEMU_MODEL_MEANWHILE_H

#include "qemu/model/model.h"

/*
 * Plans `rounds` rounds, or if that is 0 the number that the boards would take,
 * if their results are back before *time_ps, which it is then, as is the
 * makespan: the originator computes as long. Over circuits only; a result's
 * circuit of each phase takes the phase's startup. Shares are whole units;
 * end_ps of later rounds is the earliest, as if no output were in the way.
 *
 * Result: 0; ERR_PHASES if none is, or these numbers are not for the boards'
 * planner. After success the caller frees the detail.
 */
NODISCARD int model_plan_meanwhile(struct model_plan *plan,
                                   struct model_detail *detail,
                                   uint64_t *time_ps,
                                   const struct model_input *input,
                                   unsigned rounds);

#endif
