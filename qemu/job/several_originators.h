/* SPDX-License-Identifier: Apache-2.0 */
/* A job of several originators: each leads the nodes of its group along a tree
   of its own, all at the same time. */
#ifndef QEMU_JOB_SEVERAL_ORIGINATORS_H
#define QEMU_JOB_SEVERAL_ORIGINATORS_H

#include "hal/nodiscard.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/order.h"

/* The groups, with a job and a tree for each. */
struct several {
    struct mesh_groups *groups;
    struct job_config *config;
    uint8_t **tree;
    struct job_order *order;
};

/* Divides the mesh among config.several. Result: 0, and `*several` is to be
   freed; or an exit status with the reason on stderr. `config` outlives it. */
NODISCARD int several_open(struct several *several,
                           const struct job_config *config);
void several_free(struct several *several);

/* Whether each load fits a node's memory, which the configs know by then; false
   after a message on stderr that names the originator and what fits. */
NODISCARD bool several_fits(const struct several *several);

/*
 * Gives every originator of the mesh, which was opened with its
 * groups, its order, and reads the outcome of all. Result: 0, and the outcome
 * is to be freed; or an exit status after a message that names the originator.
 */
NODISCARD int several_run(struct outcome *outcome, struct several *several,
                          struct job_mesh *mesh);

#endif
