/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of a load that is scattered along a tree: the shares with which all
 * nodes finish together, and a bound that no scatter beats. Ports work
 * independently; each serves its node's children in the order of their phases.
 * Circuits of different nodes are taken not to meet. Double precision: for
 * reports, not for shares that are sent.
 *
 * Source: scatter/plan/tree.h with node speeds and independent ports, and the
 * bound of qemu/model/bound.h; after Blazewicz, Drozdowski, Guinand, Trystram
 * 1999.
 */
#ifndef QEMU_MODEL_TREE_H
#define QEMU_MODEL_TREE_H

#include "qemu/schedule/tree.h"

/* Of one unit where not said otherwise. compute_ps > 0, the rest >= 0. */
struct model_tree_costs {
    double load_units;
    double startup_ps; /* of a circuit, whatever its length */
    double transfer_ps;
    double compute_ps;
};

struct model_tree_plan {
    unsigned phases; /* that are used: the most that are feasible */
    uint32_t nodes;  /* that these activate, the root included */
    double makespan_ps;
};

/*
 * Plans for the tree, whose root says how many nodes it has. If somebody would
 * get less than nothing, the last phase is left out, and so on. share_units[i]
 * becomes the share of tree[i] (0: left out); share_units may be NULL. Cost:
 * O(nodes) for each number of phases that is tried.
 */
void model_tree_plan(struct model_tree_plan *plan, double share_units[],
                     const struct schedule_branch tree[],
                     const struct model_tree_costs *costs);

/*
 * The makespan, in ps, of a tree that there need not be: every phase
 * multiplies the active nodes by ports + 1, the last one by what is then
 * missing, and all nodes of a layer get the same. That is the scatter of
 * 5^k x 5^k for any number of nodes. Not a bound: uneven trees can be a little
 * faster. As many phases as are feasible. Ports as below.
 */
double model_tree_even(struct torus_size size,
                       const struct model_tree_costs *costs);

/*
 * The least time in which any scatter on this torus can process the load: the
 * originator's ports must carry out what it does not process itself, and at
 * most (ports + 1)^i nodes work after i startups. Ports that lead back to
 * their own node (a side of 1) do not count. In ps.
 */
double model_tree_bound(struct torus_size size,
                        const struct model_tree_costs *costs);

#endif
