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

#include "qemu/job/config.h"

/* The groups of config.several[], to be freed with groups_free(). Each of them
   has its load and terms. Cost: for each node the plan of a group. */
struct mesh_groups *groups_make(const struct job_config *config);
void groups_free(struct mesh_groups *groups);

/* The config of one originator's job: of its own place and load. */
struct job_config groups_config(const struct job_config *config,
                                const struct mesh_groups *groups,
                                uint32_t group);

/* Nodes of a group, its originator included. */
uint32_t groups_nodes(const struct mesh_groups *groups, struct torus_size size,
                      uint32_t group);

#endif
