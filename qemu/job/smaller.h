/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job of a mesh once more, on smaller ones: how long one board alone takes,
 * which the answer is compared with, and whether 25 boards are faster than
 * more.
 *
 * Boards that did a job together tell nearly what one board takes, since each
 * computed a part; but each calls the kernel once or more, and a search begins
 * each part with the bytes before it, which one board does not. Where that may
 * be more than a two-hundredth of the whole, the job is short, and one board
 * does it. Where boards compute for less than a third of the answer's time, or
 * preparing takes that, 25 may have it sooner, whose pattern needs the shortest
 * plan: they do it, too, if there are more.
 *
 * Only emulated boards in the profile's time, without a debugger, do a job
 * twice; of several ranks it is rank 0 that has it done.
 */
#ifndef QEMU_JOB_SMALLER_H
#define QEMU_JOB_SMALLER_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/*
 * Sets alone_ps of the outcome of a job with this request, unless the estimate
 * is near enough or no board can do it. If that fails, it is said on stderr,
 * and the estimate stays. Result: 0, or EXIT_INTERRUPTED.
 */
NODISCARD int smaller_one_board(struct outcome *outcome,
                                const struct request *request);

/* Sets few_ps, where 25 boards have the answer sooner by a twentieth. Result:
   as above. */
NODISCARD int smaller_few_boards(struct outcome *outcome,
                                 const struct request *request);

#endif
