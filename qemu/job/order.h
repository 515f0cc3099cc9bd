/* SPDX-License-Identifier: Apache-2.0 */
/* What a job asks of the originator, batch by batch, and what that reports. */
#ifndef QEMU_JOB_ORDER_H
#define QEMU_JOB_ORDER_H

#include "hal/nodiscard.h"
#include "qemu/job/config.h"
#include "qemu/outcome/outcome.h"

/* The order of a batch; both to be freed with job_order_free(). */
struct job_order {
    struct wire_order wire;
    struct mesh_order mesh; /* points to the config's load */
};

/* The tree, to be freed, or NULL if none is needed. Result: 0, or an exit
   status with the reason on stderr. */
NODISCARD int job_order_tree(uint8_t **tree, const struct job_config *config);

/* The order of batch `index`; tree: as above, and outlives it. */
void job_order_make(struct job_order *order, const struct job_config *config,
                    const uint8_t *tree, uint32_t index);
void job_order_free(struct job_order *order);

/* What the originator reported, into *outcome. Result: 0, or an exit status
   with the reason on stderr. */
NODISCARD int job_order_report(struct outcome *outcome,
                               const struct mesh_report *report,
                               const struct job_config *config);

#endif
