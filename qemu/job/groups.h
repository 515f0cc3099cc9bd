/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the nodes of a mesh among several originators, so that all end
 * together: every node that is no originator serves one. An originator begins
 * alone; the next node goes to the one whose plan ends last, which takes the
 * nearest that is left. A plan is that of a star of the group, in the job's
 * rounds, with the kernel's own estimate of its compute time.
 */
#ifndef QEMU_JOB_GROUPS_H
#define QEMU_JOB_GROUPS_H

#include "qemu/job/request.h"

/* Makes a group for each of the request's originators, whose tasks these are,
   and sets the tasks' groups. Each task has its load and terms. Result: to be
   freed with groups_free(). Cost: for each node the plan of a group. */
struct mesh_groups *groups_make(struct job_task task[]);
void groups_free(struct mesh_groups *groups);

#endif
