/* SPDX-License-Identifier: Apache-2.0 */
/* The policies of scatter/engine/policy.h as the host sees them, a row each:
   for which jobs, and what their orders carry. */
#ifndef QEMU_JOB_POLICY_H
#define QEMU_JOB_POLICY_H

#include "qemu/job/config.h"

struct job_policy {
    uint8_t id;         /* enum wire_policy */
    bool counts_phases; /* a job may ask for a number of phases */
    uint8_t rounds_max; /* and for so many rounds */
    bool (*suits)(const struct job_config *config); /* the first such row is */

    /* The tree that an order carries, to be freed; NULL if there is none of at
       most TREE_PHASES_MAX phases. No function: orders carry no tree. */
    uint8_t *(*tree)(const struct job_config *config);

    /* Bytes of the originator's memory that its plan takes. No function: none
       to speak of. */
    uint64_t (*plan_bytes)(const struct job_config *config);
};

/* The row of this job. Never NULL. */
const struct job_policy *job_policy(const struct job_config *config);

#endif
