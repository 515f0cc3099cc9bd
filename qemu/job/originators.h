/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The originators of a job: each has a task, a tree and an order of its own,
 * and leads the nodes of its group; a single one leads them all. They work at
 * the same time.
 */
#ifndef QEMU_JOB_ORIGINATORS_H
#define QEMU_JOB_ORIGINATORS_H

#include "hal/nodiscard.h"
#include "qemu/job/farm_plan.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/order.h"

struct originators {
    uint32_t count;
    struct mesh_groups *groups; /* NULL: there is one originator */
    /* An entry for each originator: */
    struct job_task *task;
    uint8_t **tree; /* NULL: the policy needs none */
    struct job_order *order;
    farm_end *farm_end; /* of job_run() */
};

/*
 * Divides the mesh among the request's originators and makes their trees.
 * `watch`: of who looks on; or NULL. All arguments outlive *originators.
 * Result: 0; or an exit status after a message, and there is nothing to be
 * freed.
 */
NODISCARD int originators_open(struct originators *originators,
                               const struct request *request,
                               const struct job_schedule *schedule,
                               struct watch *watch);

void originators_free(struct originators *originators);

/* Tells the tasks what is known once the mesh is open: the nodes' memory, and
   the kernel's rate there. */
void originators_set_mesh(struct originators *originators,
                          const struct job_mesh *mesh);

/* Whether each load fits a node's memory; false after a message on stderr that
   names the load and what fits. */
NODISCARD bool originators_fit(const struct originators *originators);

/* Gives every originator its order for batch `index` and waits for their
   reports. Result: 0 or an exit status. */
NODISCARD int originators_order(struct originators *originators,
                                struct job_mesh *mesh, uint32_t index);

/* Reads the outcome of that batch. Result: 0 or an exit status, after a message
   that names the originator; in both cases the outcome is to be freed. */
NODISCARD int originators_read(struct outcome *outcome,
                               const struct originators *originators,
                               struct job_mesh *mesh);

#endif
