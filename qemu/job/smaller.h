/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repeats a job on smaller meshes: on one board, to compare the answer times,
 * and on 25 boards, which may answer earlier than a larger mesh.
 *
 * The compute times of a mesh give an estimate for one board. It is inexact:
 * each board calls the kernel at least once, and a search reads some bytes
 * again before each share. If the error may exceed 1/200 of the answer time,
 * one board runs the job; such jobs are short.
 *
 * 25 boards repeat the job of a larger mesh if boards compute less than a third
 * of the answer time, or if preparing takes more than a third.
 *
 * Only emulated boards in the profile's time, without a debugger, repeat a job.
 * With several MPI ranks, rank 0 does this.
 */
#ifndef QEMU_JOB_SMALLER_H
#define QEMU_JOB_SMALLER_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/* Sets the outcome's alone_ps, the answer time of one board, unless the
   estimate is good enough or one board cannot run the job. If the run fails,
   prints that on stderr and keeps the estimate. Returns 0, or
   EXIT_INTERRUPTED. */
NODISCARD int smaller_one_board(struct outcome *outcome,
                                const struct request *request);

/* Sets the outcome's few_ps if 25 boards answer at least 5 % earlier. Returns
   0, or EXIT_INTERRUPTED. */
NODISCARD int smaller_few_boards(struct outcome *outcome,
                                 const struct request *request);

#endif
