/* SPDX-License-Identifier: Apache-2.0 */
/* What a job asks of the originator, batch by batch, and what that reports. */
#ifndef QEMU_JOB_ORDER_H
#define QEMU_JOB_ORDER_H

#include "qemu/job/job.h"

/* The order of a batch; both to be freed with run_order_free(). */
struct run_order {
    struct wire_order wire;
    struct mesh_order mesh; /* points to the config's load */
};

/* Whether only a tree can say who gets what: see scatter/plan/tree.h. */
bool run_needs_tree(const struct run_config *config);

/* The tree, to be freed, or NULL if none is needed. Result: 0, or an exit
   status with the reason on stderr. */
int run_order_tree(uint8_t **tree, const struct run_config *config);

/* The order of batch `index`; tree: as above, and outlives it. */
void run_order_make(struct run_order *order, const struct run_config *config,
                    const uint8_t *tree, uint32_t index);
void run_order_free(struct run_order *order);

/* What the originator reported, into *outcome. Result: 0, or an exit status
   with the reason on stderr. */
int run_order_report(struct outcome *outcome, const struct mesh_report *report,
                     const struct run_config *config);

#endif
