/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door of the engine: one node of a mesh, which carries out jobs together
 * with the other nodes. A load is cut into units. A node receives a range of
 * them, its volume: first its own share, which it computes, then the volumes of
 * its children, which it sends on. A phase is a step in which every node that
 * has units sends to up to four children; a node's layer is the phase in which
 * it receives, 0 of the originator. A round is a pass through all phases; a
 * load may go out in several, so that nodes begin to compute sooner. What the
 * originator (left) and every other node (right) do in one job:
 *
 *   takes the order from its host
 *   announces kernel and argument    -> passes that on, begins the kernel
 *   measures the kernel on some units
 *   plans how much each node gets
 *   sends all ranges, by phases      -> in each round: receives its range,
 *                                         sends on the rest of it,
 *   computes its share of all rounds      and computes its share
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
 * An error ends scatter_run(), whose caller notes it in the node's status. An
 * originator tells its host by the report. No message tells other nodes: a node
 * that waits for the failed one waits until the mesh is ended (by the watchdog
 * of the host command; on a bench also by a newer discovery or a reset). A node
 * that a job does not reach waits for the next job, or until the mesh is ended.
 *
 * How the load moves is a policy: a set of functions (struct policy in core.h).
 * To know the engine, read in this order:
 *
 *   this file, core.h    the state of a node, its memory, common steps
 *   job.c                one job, from its first message to its last
 *   tree.c               a policy's own steps; policy_table.c has its row,
 *                        compute.c and gather.c the steps of all policies
 *   scatter/wire/wire.h  the messages
 *   hal/circuit.h        how messages are sent and received
 *
 * These are some 2,400 lines. Each other file is a subject of its own:
 *
 *   pattern, pattern_plan  a policy for a 5^k x 5^k torus, where the switch
 *                          cuts ranges and sends them on by itself
 *   advance                a round that leaves before the load is planned
 *   meanwhile              outputs that return during later rounds
 *   tail                   nodes ask for the rest of a load, and end together
 *   farm, farm_worker      loads whose units take times that nobody knows
 *   announce, measure, ..  steps by their names
 *
 * scatter/plan/ has the arithmetic.
 */
#ifndef SCATTER_ENGINE_SCATTER_H
#define SCATTER_ENGINE_SCATTER_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Sets up a node by the identity in circuit->node. Precondition: the circuit is
   open; *costs and the kernel_count elements of kernels[] outlive the node.
   Result: 0; ERR_RANGE if the identity lies outside its torus, or if its policy
   does not fit the torus; ERR_POLICY if there is no such policy; ERR_MEMORY if
   the circuit's memory is too small. */
NODISCARD int scatter_init(struct scatter *scatter, struct circuit *circuit,
                           const struct kernel *const kernels[],
                           unsigned kernel_count,
                           const struct scatter_costs *costs);

/* Runs jobs until a job without WIRE_MORE has ended. The last job's sends may
   still be under way (circuit_drain()). Result: 0 or the error of the job that
   failed, which is then the last. */
NODISCARD int scatter_run(struct scatter *scatter);

/* Returns the policy, enum wire_policy, of a board to which no host writes its
   identity: WIRE_PATTERN if that fits the torus, else WIRE_TREE. */
uint8_t policy_of_size(struct torus_size size);

/* Returns the row of the policy `id`, enum wire_policy; NULL if there is none.
   The row of WIRE_PATTERN, which is 0, begins the table (policy_table.c). */
const struct policy *policy_find(unsigned id);

#endif
