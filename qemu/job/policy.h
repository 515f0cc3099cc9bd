/* SPDX-License-Identifier: Apache-2.0 */
/* The host's table of the policies in scatter/engine/core.h: which jobs each
   one suits, and what its orders carry. */
#ifndef QEMU_JOB_POLICY_H
#define QEMU_JOB_POLICY_H

#include "qemu/job/request.h"

struct job_policy {
    uint8_t id; /* enum wire_policy */
    /* The schedule that the policy serves; SCHEDULES: all. A job gets the first
       policy that suits its schedule and mesh. */
    enum schedule schedule;
    bool on_pattern;    /* needs the pattern (torus/pattern.h) */
    bool counts_phases; /* a job may ask for a number of phases */
    bool has_tree;

    /* Returns the bytes that the plan takes of the originator's memory; job
       messages are not counted. NULL: none. */
    uint64_t (*plan_bytes)(const struct job_task *task);
};

/* Whether the mesh supports the task's schedule. */
bool job_policy_has(const struct job_task *task);

/* Whether a farm for this task can have masters. Masters need one originator,
   no outputs, and boards without serial ports. */
bool job_policy_has_masters(const struct job_task *task);

/* Returns the levels of a farm: as requested; else 2 (with masters) if the mesh
   is large and can have masters; else 1. */
unsigned job_policy_levels(const struct job_task *task);

/* Returns the tree of the task's schedule and group, as stored in orders. The
   caller frees it. NULL: no tree has at most TREE_PHASES_MAX phases. */
uint8_t *job_policy_tree(const struct job_task *task);

/* Returns the first policy that suits this task. Never NULL. */
const struct job_policy *job_policy(const struct job_task *task);

#endif
