/* SPDX-License-Identifier: Apache-2.0 */
/* A file from which an interrupted job goes on: the merged result of its first
   batches, and digests of all that they depend on. The output of these batches
   lies in a second file, FILE.so-far, to which later ones append; so a batch
   costs no more late in the job than early. NULL is a checkpoint that keeps
   nothing. */
#ifndef QEMU_JOB_CHECKPOINT_H
#define QEMU_JOB_CHECKPOINT_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

struct checkpoint;

/* Reads a checkpoint; or writes one, if there is none or it has no batches. The
   request's load must have been read; `path` must outlive the checkpoint.
   Returns 0 and *checkpoint, for checkpoint_close(); or an exit status after a
   message if the file cannot be written or is not of this job. */
NODISCARD int checkpoint_open(struct checkpoint **checkpoint, const char *path,
                              const struct request *request);

/* Moves what earlier runs computed to an empty outcome, once the mesh is open:
   .resumed, .batch[0] with their sums, .result. Then .batch_count is still 0.
   Returns 0; or an exit status after a message if the mesh has other images or
   batches. */
NODISCARD int checkpoint_begin(struct checkpoint *checkpoint,
                               struct outcome *outcome,
                               const struct job_task *task, uint32_t image_crc);

/* Writes all batches so far, if the last write is a second ago or `now` is
   true. The first failure is told; the job goes on. */
void checkpoint_save(struct checkpoint *checkpoint,
                     const struct outcome *outcome, bool now);

/* Removes the files if the job is done, or has no finished batch. Else prints
   where it goes on. */
void checkpoint_close(struct checkpoint *checkpoint, bool done);

#endif
