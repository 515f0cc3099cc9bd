/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a tree (tree.h) in one round: how many units every subtree gets
 * so that all nodes finish together. Blazewicz, Drozdowski, Guinand, Trystram
 * 1999, section 5, node speeds; ports work independently. Times are divided by
 * compute_ps, the time in which the *reference*, a node that is not slow,
 * computes a unit.
 *
 *   V, n   units of the load; nodes
 *   rho    transfer_ps / compute_ps
 *   lane   queue of circuits that a node sends one after another; a node has
 *          job->ports lanes: one for each port, or 1 or 2 for all ports
 *   s      time from a node's receipt until all finish
 *   W(s)   p s - q: units that the node's subtree takes in time s; p (a speed)
 *          and q (units) are constants of the subtree
 *   s_c    s of child c: (s' - startup + rho q_c) / (1 + rho p_c)
 *   s'     s of the child before c in the lane; if c is the first in the lane:
 *          s of the parent less the parent's software up to the send
 */
#ifndef SCATTER_PLAN_TREE_PLAN_H
#define SCATTER_PLAN_TREE_PLAN_H

#include "hal/nodiscard.h"
#include "scatter/plan/job.h"
#include "scatter/plan/tree.h"

#define TREE_STAGES_MAX 2048u /* most hops of a circuit that carries units */

/*
 * Plans the units of every subtree. Writes units and first units into the
 * branches. Removes the last phase as long as the plan is infeasible. With
 * job->equal the range of node i of n begins at unit floor(i V / n), and no
 * phase is removed.
 *
 * tree_valid() must accept the tree. `work` has tree_work_bytes(n) bytes,
 * 8-byte aligned; the functions below read `work`. Begins of ranges are rounded
 * down. The relative error of *makespan_ps is 2^-23 at most. *phases becomes
 * the last phase of the tree.
 *
 * Returns ERR_OK; ERR_EMPTY for a load of no units; ERR_RANGE if a number of
 * the job, the originator's software, or the makespan is out of range.
 */
NODISCARD int tree_plan(uint8_t *tree, const struct plan_job *job, void *work,
                        uint64_t *makespan_ps, unsigned *phases);

/* Stores a branch's range: units from first_unit up to end_unit - 1. */
static inline void tree_store_range(uint8_t *branch, uint32_t first_unit,
                                    uint32_t end_unit)
{
    bytes_store_u32(branch, end_unit - first_unit);
    bytes_store_u32(branch + 4, first_unit);
}

/* Returns the length of `work`, bytes, for a tree of `nodes` nodes. */
uint32_t tree_work_bytes(uint32_t nodes);

/* ---- costs, for several rounds ---- */

/* Costs of a node of a planned tree. Times are in steps, 2^23 to 2^24 in the
   makespan of one round. */
struct tree_cost {
    int32_t circuit;    /* startup of the circuit to the node */
    int32_t first;      /* parent's software; 0 if not first of the lane */
    int32_t software;   /* time from the receipt until the node computes */
    uint32_t scale;     /* factor of s' in s, 2^-32 */
    uint32_t part;      /* growth of s for each step of the root's s, 2^-32 */
    uint32_t above;     /* growth of s' for each step of the root's s, 2^-32 */
    uint16_t stages;    /* sends of a unit: hops if store_and_forward, else 1 */
    uint8_t lane;       /* number of the parent's lane, from 0 */
    uint8_t slow_shift; /* a unit takes the reference's time << slow_shift */
};

struct tree_common {
    int32_t makespan;  /* makespan of one round, in steps */
    unsigned shift;    /* the reference computes a unit in 2^shift steps */
    uint32_t transfer; /* transfer_ps / compute_ps, in 2^-24 */
};

/* Sets *common, and cost[] of every node. To be called after tree_plan() with
   unequal shares. Returns ERR_OK; ERR_RANGE if the makespan is below the time
   of 16 units or a number is too large. */
NODISCARD int tree_costs(struct tree_cost cost[], struct tree_common *common,
                         void *work);

/* Returns the sum of the speeds of `nodes` nodes, in 1/8 of the reference's. */
uint32_t tree_speeds(const void *work, uint32_t nodes);

/* Returns time_ps in steps, which must be fewer than 2^31. To be called after
   tree_costs(). */
int32_t tree_steps(const void *work, uint64_t time_ps);

/* Returns the duration, ps, of `steps`. To be called after tree_costs(). */
uint64_t tree_time_ps(const void *work, int32_t steps);

#endif
