/* SPDX-License-Identifier: Apache-2.0 */
/* A job that runs: its orders, one after the other. */
#ifndef QEMU_JOB_RUNNING_H
#define QEMU_JOB_RUNNING_H

#include "hal/nodiscard.h"
#include "qemu/job/checkpoint.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/order.h"

/* A running job. Several originators work at the same time, each with its group
   of nodes. */
struct job {
    uint32_t originators;
    struct job_task *task;
    struct job_order *order;
    /* Those that the next orders go to: all; in waves one of them. */
    uint32_t first;
    uint32_t count;
    uint16_t *group_of_node; /* NULL: one originator serves all nodes */
    struct job_mesh *mesh;
    struct checkpoint *checkpoint; /* or NULL */
    uint32_t orders; /* number of orders given, counted for all originators */
    /* that the last orders went around; or NULL */
    struct schedule_holes *holes;
    struct faults faults; /* until the end of the last order */
    uint64_t lost_units;  /* units that orders lost by faults not yet known */
    uint64_t first_ps;    /* mesh time of the first order */
    /* Nodes that took the originator's place, in turn (outcome.h). */
    struct outcome_heir *heir;
    uint32_t heirs;
    struct job_originator *acting; /* the last of these, for each originator */
};

/* Gives one order for a range of the load, several originators at once one each
   for its whole load, and reads what came of it. Returns 0 and *outcome, which
   the caller frees; or an exit status after a message on stderr. */
NODISCARD int running_order(struct outcome *outcome, struct job *job,
                            struct wire_range range);

#endif
