/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for a scatter that is any tree (tree.h): how many units every
 * subtree gets so that all nodes finish together.
 */
#ifndef SCATTER_PLAN_TREE_PLAN_H
#define SCATTER_PLAN_TREE_PLAN_H

#include "hal/nodiscard.h"
#include "scatter/plan/job.h"
#include "scatter/plan/tree.h"

#define TREE_STAGES_MAX 2048u /* a torus of side 3125 needs 1875 */

/*
 * Plans the units of every subtree. Ports work independently. A node with the
 * time s left takes W(s) = p s - q units with its subtree. A child whose
 * circuit begins when its parent's port has the time s left has
 *
 *   s_c = (s - startup + transfer q_c) / (1 + transfer p_c)
 *
 * left itself. Node speeds: Blazewicz, Drozdowski, Guinand, Trystram 1999,
 * section 5. The last phase is cut off the tree while a node would get less
 * than nothing, while a node's software or startup takes longer than the
 * originator alone, and while a circuit has more than TREE_STAGES_MAX hops.
 * With job->equal node i of n gets the units from floor(i V / n) on, and
 * nothing is cut off.
 *
 * Writes units and first units into the branches: every range begins at the
 * floor of its exact beginning, give or take 2^-23 of all units that the
 * originator alone would compute; the originator gets the rest. tree_valid()
 * accepts the tree; `work` has tree_work_bytes(nodes), 8-byte aligned.
 * Result: 0, the makespan, to 2^-23 of it, and the last phase in use;
 * ERR_EMPTY; ERR_RANGE: a number is out of range, the makespan is 2^63 ps or
 * more (2^62 with equal shares), or the originator's software takes 2^35 units'
 * time. Cost on a Cortex-M3, built for size: 600 to 820 instructions a node.
 */
NODISCARD int tree_plan(uint8_t *tree, const struct plan_job *job, void *work,
                        uint64_t *makespan_ps, unsigned *phases);

/* Stores a branch's range: its units from first_unit to end_unit. */
static inline void tree_store_range(uint8_t *branch, uint32_t first_unit,
                                    uint32_t end_unit)
{
    bytes_store_u32(branch, end_unit - first_unit);
    bytes_store_u32(branch + 4, first_unit);
}

/* Bytes of `work` for a tree of `nodes` nodes. */
uint32_t tree_work_bytes(uint32_t nodes);

/* ---- costs, for several rounds ---- */

/* Costs of a node of a planned tree, in steps: the makespan of one round has
   2^23 to 2^24 of them; p is that of W(s) = p s - q. */
struct tree_cost {
    int32_t circuit;  /* startup of the circuit to the node */
    int32_t first;    /* the parent's software before the lane's first circuit;
                         0 for a later one */
    int32_t software; /* the node's, from its receipt until it computes */
    uint32_t scale;   /* 1 / (1 + transfer p), in 2^-32 */
    uint32_t part;    /* the node's time grows by this part of what is added to
                         the originator's: all scales down to it; in 2^-32 */
    uint32_t above;   /* `part` without the node's own scale */
    uint16_t stages;  /* of the node's circuit */
    uint8_t lane;     /* the parent's queue, in which that circuit waits */
    uint8_t slow_shift;
};

/* What all nodes have in common. */
struct tree_common {
    int32_t makespan;  /* in steps */
    unsigned shift;    /* a unit takes the reference 2^shift steps to compute */
    uint32_t transfer; /* transfer / compute, in 2^-24 */
};

/*
 * Sets the costs of every node that tree_plan() has left in the tree; `work` is
 * as tree_plan() left it, shares were not equal. ERR_RANGE if the makespan is
 * shorter than 16 units' time, if it is 2^23 units' or longer, or if transfer /
 * compute is 2^8 or more.
 */
NODISCARD int tree_costs(struct tree_cost cost[], struct tree_common *common,
                         void *work);

/* The sum of all nodes' speeds, in eighths of the reference's. */
uint32_t tree_speeds(const void *work, uint32_t nodes);

/* Turns a time into steps, after tree_costs(); the time has less than 2^31. */
int32_t tree_steps(const void *work, uint64_t time_ps);

/* Turns steps into a time. */
uint64_t tree_time_ps(const void *work, int32_t steps);

#endif
