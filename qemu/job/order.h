/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the orders by which the host gives batches to originators. */
#ifndef QEMU_JOB_ORDER_H
#define QEMU_JOB_ORDER_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

/* The order for one originator. Each batch has a new one. */
struct job_order {
    uint8_t *tree; /* malloc'd; NULL: the policy needs no tree */
    /* The members below change with each batch. */
    uint8_t *head;
    struct wire_order wire;
    struct mesh_order mesh; /* the message: `head`, then the load */
};

/* Makes the tree of the job's schedule. *order must be zeroed. Returns 0, or an
   exit status after a message on stderr (without a message in a trial). The
   caller closes the order in both cases. */
NODISCARD int job_order_open(struct job_order *order,
                             const struct job_task *task);
/* Sets member[i] for each node i (row-major) of the order's tree. */
void job_order_members(bool member[], const struct job_order *order,
                       const struct job_task *task);

void job_order_close(struct job_order *order);

/* Makes the order for a range of the load. `number`: how many orders were given
   before. */
void job_order_init(struct job_order *order, const struct job_task *task,
                    uint32_t number, struct wire_range range);

#endif
