/* SPDX-License-Identifier: Apache-2.0 */
/* The order of each batch. */
#ifndef QEMU_JOB_ORDER_H
#define QEMU_JOB_ORDER_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

/* The orders of an originator, one after the other. */
struct job_order {
    uint8_t *tree; /* NULL: the policy needs none */
    /* These are of the batch at hand: */
    uint8_t *head;
    struct wire_order wire;
    struct mesh_order mesh; /* points to `head` and to the task's load */
};

/* Makes the tree of the job's schedule. Result: 0, or an exit status with the
   reason on stderr, which a trial does not tell; in both cases the order, all 0
   before, is to be closed. */
NODISCARD int job_order_open(struct job_order *order,
                             const struct job_task *task);
void job_order_close(struct job_order *order);

/* Makes the order of batch `index`. */
void job_order_init(struct job_order *order, const struct job_task *task,
                    uint32_t index);

#endif
