/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a batch, from the reports of its originators. */
#ifndef QEMU_JOB_ORIGINATORS_H
#define QEMU_JOB_ORIGINATORS_H

#include "hal/nodiscard.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/order.h"

/* Reads the outcome of the batch that the mesh carried out by these orders, one
   for each of the request's originators, whose tasks are these. Result: 0, or
   an exit status after a message that names the originator; in both cases the
   outcome is to be freed. */
NODISCARD int originators_read(struct outcome *outcome,
                               const struct job_task task[],
                               const struct job_order order[],
                               struct job_mesh *mesh);

#endif
