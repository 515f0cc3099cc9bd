/* SPDX-License-Identifier: Apache-2.0 */
/* One node: sets it up by its identity, and runs its jobs as originator or as
   follower. */
#ifndef SCATTER_ENGINE_SCATTER_H
#define SCATTER_ENGINE_SCATTER_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/*
 * Sets a node up; `kernels[kernel_count]` and `costs` outlive it. The circuit
 * is open, and its node's identity is filled in.
 * Result: 0; ERR_RANGE if the identity is no node of its torus, or its policy
 * has no place for one on such a torus; ERR_POLICY if there is no such policy;
 * ERR_MEMORY if the circuit's memory is too small.
 */
NODISCARD int scatter_init(struct scatter *scatter, struct circuit *circuit,
                           const struct kernel *const kernels[],
                           unsigned kernel_count,
                           const struct scatter_costs *costs);

/* Runs jobs until one without WIRE_MORE has ended. Result: 0 or the error of
   the first that failed. */
NODISCARD int scatter_run(struct scatter *scatter);

/* The policy, enum wire_policy, of boards whose identity no host writes: that
   of the pattern if it fits the torus, else the tree's. */
uint8_t policy_of_size(struct torus_size size);

/* The row of this id, enum wire_policy; NULL if there is none. Behind the row
   of WIRE_PATTERN, the first one, lies the whole table. */
const struct policy *policy_find(unsigned id);

#endif
