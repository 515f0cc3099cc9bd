/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the nodes of a mesh among several originators so that all end at
   about the same time. Each other node serves one originator. At first each
   originator is alone. Again and again, the originator that is planned to end
   last takes the nearest free node. The plan assumes a star, the job's rounds
   and the kernel's estimate of the compute time. */
#ifndef QEMU_JOB_GROUPS_H
#define QEMU_JOB_GROUPS_H

#include "qemu/job/request.h"

/* Makes one group for each originator. Returns the index of each node's
   originator, also as group_of_node of each task; the caller frees it. Tasks
   must have load and terms. Cost: one plan of a group for each node. */
uint16_t *groups_make(struct job_task task[]);

#endif
