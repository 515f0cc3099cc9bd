/* SPDX-License-Identifier: Apache-2.0 */
/* The order of each batch, and the originator's report. */
#ifndef QEMU_JOB_ORDER_H
#define QEMU_JOB_ORDER_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/* The order of a batch; both to be freed with job_order_free(). */
struct job_order {
    struct wire_order wire;
    struct mesh_order mesh; /* points to the task's load */
};

/* Makes the tree of the job's schedule: to be freed; NULL if its policy needs
   none. Result: 0, or an exit status with the reason on stderr; a trial has
   nothing on stderr. */
NODISCARD int job_order_tree(uint8_t **tree, const struct job_task *task);

/* Makes the order of batch `index`; the tree, of job_order_tree(), outlives it.
 */
void job_order_init(struct job_order *order, const struct job_task *task,
                    const uint8_t *tree, uint32_t index);
void job_order_free(struct job_order *order);

/* Reads an originator's report: its plan and result into *originator, the
   tables of its rounds into *rounds. Result: 0, or an exit status with the
   reason on stderr: the report may name an error. */
NODISCARD int job_order_report(struct outcome_originator *originator,
                               struct rounds_plan *rounds,
                               const struct mesh_report *report,
                               const struct job_task *task);

#endif
