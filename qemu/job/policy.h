/* SPDX-License-Identifier: Apache-2.0 */
/* The host's table of policies (scatter/engine/policy_table.c is the boards'):
   which jobs each policy suits, and what its orders carry. */
#ifndef QEMU_JOB_POLICY_H
#define QEMU_JOB_POLICY_H

#include "qemu/job/request.h"

struct job_policy {
    uint8_t id; /* enum wire_policy */
    /* schedule that the policy serves; SCHEDULES: all schedules */
    enum schedule schedule;
    bool on_pattern;    /* true: the mesh must suit torus/pattern.h */
    bool counts_phases; /* true: a job may ask for a number of phases */
    bool has_tree;

    /* Returns how many bytes the plan takes in the originator's memory, without
       job messages. NULL: none. */
    uint64_t (*plan_bytes)(const struct job_task *task);
};

/* Returns whether the mesh supports the task's schedule. Around holes a hybrid
   goes along a tree, and may become a farm. */
bool job_policy_has(const struct job_task *task);

/* Returns whether a farm for this task can have masters: one originator, no
   outputs, and boards without serial ports. */
bool job_policy_has_masters(const struct job_task *task);

/* Returns the number of levels of a farm: as the user requested; else 2, with
   masters, if the mesh is large and can have masters; else 1. */
unsigned job_policy_levels(const struct job_task *task);

/* Returns the tree of the task's schedule and group, as an order carries it
   (scatter/plan/tree.h). The caller frees it. NULL: the schedule finds no tree
   of TREE_PHASES_MAX phases or fewer. */
uint8_t *job_policy_tree(const struct job_task *task);

/* Returns the first policy of the table that suits this task; never NULL. */
const struct job_policy *job_policy(const struct job_task *task);

#endif
