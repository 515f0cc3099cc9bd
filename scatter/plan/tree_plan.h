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
 * Plans a tree. Ports work independently; with s the time left of a node, its
 * subtree takes W(s) = p s - q units, and a child that is served when s is left
 * of its parent's port has s_c = (s - startup + transfer q_c) / (1 + transfer
 * p_c) left. O(nodes); node speeds as in Blazewicz, Drozdowski, Guinand,
 * Trystram 1999, section 5. While somebody would get less than nothing, the
 * last phase is cut off the tree; so it is while somebody's software or startup
 * would take longer than the originator alone, or a circuit has more than
 * TREE_STAGES_MAX hops.
 *
 * Fills in units and first units: every range begins at the floor of its exact
 * beginning, or of what is no further from it than 2^-23 of all that the
 * originator alone would do; the originator gets what is left. tree_valid()
 * holds of the tree; `work` takes tree_work_bytes(nodes), 8-byte aligned.
 * Result: 0 and the makespan, to 2^-23 of it, and the last phase in use;
 * ERR_EMPTY; ERR_RANGE: a number is out of range, the makespan is 2^63 ps or
 * more (2^62 with equal shares), or the originator's software takes 2^35 units'
 * time. On a Cortex-M3, built for size, 600 to 820 instructions a node.
 */
NODISCARD int tree_plan(uint8_t *tree, const struct plan_job *job, void *work,
                        uint64_t *makespan_ps, unsigned *phases);

/* Stores a branch's range. */
static inline void tree_store_range(uint8_t *branch, uint32_t first_unit,
                                    uint32_t end_unit)
{
    bytes_store_u32(branch, end_unit - first_unit);
    bytes_store_u32(branch + 4, first_unit);
}

/* Bytes of `work` that tree_plan() needs for a tree of so many nodes. */
uint32_t tree_work_bytes(uint32_t nodes);

/* ---- costs, for several rounds ---- */

/* Costs of a node of a tree that is planned, in steps: the makespan of one
   round has 2^23 to 2^24 of them. With p of W(s) = p s - q: */
struct tree_cost {
    int32_t circuit;  /* startup of the circuit to it */
    int32_t first;    /* its parent's software before the lane's first circuit;
                         0 for a later one */
    int32_t software; /* its own, from its receipt until it computes */
    uint32_t scale;   /* 1 / (1 + transfer p), in 2^-32 */
    uint32_t part;    /* how much of a step more of the originator's time is
                         the node's: all scales down to it; in 2^-32 */
    uint32_t above;   /* the same without its own scale */
    uint16_t stages;  /* of its circuit */
    uint8_t lane;     /* its parent's queue */
    uint8_t slow_shift;
};

/* What all nodes have in common. */
struct tree_common {
    int32_t makespan;  /* in steps */
    unsigned shift;    /* a unit takes the reference 2^shift steps to compute */
    uint32_t transfer; /* transfer / compute, in 2^-24 */
};

/*
 * The costs of every node that tree_plan() has left in the tree, which had not
 * equal shares; `work` is as tree_plan() left it. ERR_RANGE if the makespan is
 * that of less than 16 units or 2^23 or more, or transfer / compute 2^8.
 */
NODISCARD int tree_costs(struct tree_cost cost[], struct tree_common *common,
                         void *work);

/* The sum of all nodes' speeds, in eighths of the reference's. */
uint32_t tree_speeds(const void *work, uint32_t nodes);

/* A time in steps, after tree_costs(); it is below 2^31 of them. */
int32_t tree_steps(const void *work, uint64_t time_ps);

/* The time of so many steps. */
uint64_t tree_time_ps(const void *work, int32_t steps);

#endif
