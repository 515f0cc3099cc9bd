/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the nodes of a mesh among several originators so that all end at
   about the same time. Each other node serves one originator. At first each
   originator is alone. Again and again, the originator that is planned to end
   last takes the nearest free node. The plan assumes a star, the job's rounds
   and the kernel's estimate of the compute time. */
#ifndef QEMU_JOB_GROUPS_H
#define QEMU_JOB_GROUPS_H

#include "qemu/job/request.h"

/* Makes one group for each originator and sets each task's group. Tasks must
   have load and terms. The caller frees the result by groups_free(). Cost: one
   plan of a group for each node. */
struct mesh_groups *groups_make(struct job_task task[]);
void groups_free(struct mesh_groups *groups);

#endif
