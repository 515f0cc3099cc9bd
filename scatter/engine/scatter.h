/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door of the engine: one node of a mesh, which carries out jobs together
 * with the others. What the originator (left) and every other node (right) do
 * in one job:
 *
 *   takes the order from its host
 *   announces kernel and argument    -> begins the kernel, passes that on
 *   measures the kernel on some units
 *   plans how much each node gets
 *   sends, phase by phase            -> receives its range, sends on the rest
 *   computes its share                  computes its share
 *                                       (these two in each round)
 *   receives and merges results      <- receives, merges and returns results
 *   reports to its host
 *
 * A node's life:
 *
 *   scatter_init() -> scatter_run() -> ended, or an error
 *                         | a job (job.c), and while it says WIRE_MORE another
 *                         v
 *        prepare -> order or announcement -> rounds -> gather -> report, result
 *
 * An error ends scatter_run(). An originator then reports it to its host; any
 * other node returns nothing, and who waits for it ends by its own limit.
 *
 * How the load moves is a policy (policy.h): a row of functions, of which the
 * tree is the one to read first. To know the engine read, in this order,
 *
 *   this file, core.h    the state of a node, its memory, what all rows share
 *   job.c                one job, from its first message to its last
 *   tree.c               a whole policy: every node's part, the originator's
 *   scatter/wire/wire.h  the messages
 *   hal/circuit.h        how they are sent and received
 *
 * which are some 2,400 lines. All else is a room of its own: pattern.c and
 * pattern_plan.c the same on a 5^k x 5^k torus, where the switch cuts ranges by
 * itself; advance.c, meanwhile.c and tail.c three ways to begin earlier, return
 * earlier and end together; farm.c and farm_worker.c for loads of which nobody
 * knows what a unit takes; compute, gather, slots, measure, alone and probe the
 * steps by their names. scatter/plan/ has the arithmetic.
 */
#ifndef SCATTER_ENGINE_SCATTER_H
#define SCATTER_ENGINE_SCATTER_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/*
 * Sets a node up by its identity, which the circuit's node has; the circuit is
 * open. `kernels[kernel_count]` and `costs` outlive the node.
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
   of WIRE_PATTERN, the first one, lies the whole table (policy_table.c). */
const struct policy *policy_find(unsigned id);

#endif
