/* SPDX-License-Identifier: Apache-2.0 */
/* One round of nodes alike that use fewer than four ports at once. */
#ifndef QEMU_THEORY_GROUPS_H
#define QEMU_THEORY_GROUPS_H

#include "qemu/theory/flow.h"

/*
 * The layers of the plan, which has its phases and rounds, and the detail's
 * groups, unless they are more than THEORY_GROUPS_MAX. The flow is that of
 * theory_members_layers() at its turn; `near`: units that only rounding makes.
 */
void theory_groups(struct theory_plan *plan, struct theory_detail *detail,
                   const struct theory_flow *flow, quad near);

#endif
