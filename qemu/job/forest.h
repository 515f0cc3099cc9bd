/* SPDX-License-Identifier: Apache-2.0 */
/* A job of several originators: each leads the nodes of its group along a tree
   of its own, all at the same time. */
#ifndef QEMU_JOB_FOREST_H
#define QEMU_JOB_FOREST_H

#include "hal/nodiscard.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/order.h"

/* The groups, with a job and a tree for each. */
struct forest {
    struct mesh_groups *groups;
    struct job_config *config;
    uint8_t **tree;
    struct job_order *order;
};

/* Divides the mesh among config.several. Result: 0, and the forest is to be
   freed; or an exit status with the reason on stderr. `config` outlives it. */
NODISCARD int forest_open(struct forest *forest,
                          const struct job_config *config);
void forest_free(struct forest *forest);

/* Whether each load fits a node's memory, which the configs know by then; false
   after a message on stderr that names the originator and what fits. */
NODISCARD bool forest_fits(const struct forest *forest);

/*
 * Gives every originator of the mesh, which was opened with the forest's
 * groups, its order, and reads the outcome of all. Result: 0, and the outcome
 * is to be freed; or an exit status after a message that names the originator.
 */
NODISCARD int forest_run(struct outcome *outcome, struct forest *forest,
                         struct job_mesh *mesh);

#endif
