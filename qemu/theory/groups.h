/* SPDX-License-Identifier: Apache-2.0 */
/* One round of nodes alike that use fewer than four ports at once. */
#ifndef QEMU_THEORY_GROUPS_H
#define QEMU_THEORY_GROUPS_H

#include "qemu/theory/flow.h"

/*
 * The layers of the plan, which has its phases and rounds, and the detail's
 * groups, unless they are more than MODEL_GROUPS_MAX. The flow is that of
 * model_members_layers() at its turn; `near`: units that only rounding makes.
 */
void model_groups(struct model_plan *plan, struct model_detail *detail,
                  const struct model_flow *flow, quad near);

#endif
