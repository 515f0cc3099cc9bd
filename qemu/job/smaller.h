/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repeats a job on smaller meshes: on one board, to compare the answers, and on
 * 25 boards, which may be faster than more.
 *
 * The compute times of a mesh give an estimate for one board. It is inexact:
 * each board calls the kernel at least once, and a search re-reads bytes before
 * each share. If the error may exceed 1/200 of the answer time, the job is
 * short and one board runs it.
 *
 * A mesh of more than 25 boards repeats the job on 25 if boards compute less
 * than a third of the answer time, or if preparing takes more than a third.
 *
 * Only emulated boards in the profile's time, without a debugger, repeat a job.
 * With several MPI ranks, rank 0 does this.
 */
#ifndef QEMU_JOB_SMALLER_H
#define QEMU_JOB_SMALLER_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/* Sets alone_ps of the outcome, unless the estimate is good enough or one board
   cannot run the job. A failure is printed on stderr and the estimate stays.
   Returns 0, or EXIT_INTERRUPTED. */
NODISCARD int smaller_one_board(struct outcome *outcome,
                                const struct request *request);

/* Sets few_ps if 25 boards answer at least 5 % earlier. Returns 0, or
   EXIT_INTERRUPTED. */
NODISCARD int smaller_few_boards(struct outcome *outcome,
                                 const struct request *request);

#endif
