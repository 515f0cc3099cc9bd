/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the outcome of a batch from the reports of its originators. */
#ifndef QEMU_JOB_ORIGINATORS_H
#define QEMU_JOB_ORIGINATORS_H

#include "hal/nodiscard.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/order.h"

/* Reads the reports of the mesh's last batch into *outcome. task[] and order[]
   have one entry for each of mesh->originators. Returns 0, or an exit status
   after a message that names the originator. The caller frees the outcome in
   both cases. */
NODISCARD int originators_read(struct outcome *outcome,
                               const struct job_task task[],
                               const struct job_order order[],
                               struct job_mesh *mesh);

/* Joins plans and results of several originators, in the order of their loads:
   originators_read() does so if none lacks units, else the caller once they are
   there. Returns 0, or an exit status after a message. */
NODISCARD int originators_join(struct outcome *outcome,
                               const struct job_task *task);

#endif
