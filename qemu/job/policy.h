/* SPDX-License-Identifier: Apache-2.0 */
/* The host's table of the policies of scatter/engine/policy.h: the jobs that
   each suits, and what its orders carry. */
#ifndef QEMU_JOB_POLICY_H
#define QEMU_JOB_POLICY_H

#include "qemu/job/config.h"

struct job_policy {
    uint8_t id;         /* enum wire_policy */
    bool counts_phases; /* a job may ask for a number of phases */
    /* A job has the first policy that suits it. */
    bool (*suits)(const struct job_config *config);

    /* The tree that an order carries, to be freed; NULL if there is none of at
       most TREE_PHASES_MAX phases. No function: orders carry no tree. */
    uint8_t *(*tree)(const struct job_config *config);

    /* Bytes of the originator's memory that the plan takes besides the jobs. No
       function: none. */
    uint64_t (*plan_bytes)(const struct job_config *config);
};

/* Whether there is such a schedule on such a mesh. */
bool job_policy_has(const struct job_config *config);

/* The row of this job. Never NULL. */
const struct job_policy *job_policy(const struct job_config *config);

#endif
