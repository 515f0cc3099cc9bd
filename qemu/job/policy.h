/* SPDX-License-Identifier: Apache-2.0 */
/* The host's table of the policies of scatter/engine/core.h: the jobs that
   each suits, and what its orders carry. */
#ifndef QEMU_JOB_POLICY_H
#define QEMU_JOB_POLICY_H

#include "qemu/job/request.h"

struct job_policy {
    uint8_t id; /* enum wire_policy */
    /* A job has the first policy of its schedule, SCHEDULES being all, that
       suits its mesh. */
    enum schedule schedule;
    bool on_pattern;    /* it suits a mesh that has the pattern alone */
    bool counts_phases; /* a job may ask for a number of phases */
    bool has_tree;      /* orders carry a tree */

    /* Bytes of the originator's memory that the plan takes besides the jobs. No
       function: none. */
    uint64_t (*plan_bytes)(const struct job_task *task);
};

/* Whether there is such a schedule on such a mesh. */
bool job_policy_has(const struct job_task *task);

/* Whether a farm on such a mesh, for such a job, can have masters: they pass on
   no outputs, and there is one originator; boards with serial ports have none.
   */
bool job_policy_has_masters(const struct job_task *task);

/* The levels of a farm: those asked for; or 2 for as many nodes as one
   originator serves badly. */
unsigned job_policy_levels(const struct job_task *task);

/* The tree of the job's schedule, and of the nodes that serve the task's
   originator, as an order carries it; to be freed. NULL: there is none of at
   most TREE_PHASES_MAX phases. */
uint8_t *job_policy_tree(const struct job_task *task);

/* The row of this job. Never NULL. */
const struct job_policy *job_policy(const struct job_task *task);

#endif
