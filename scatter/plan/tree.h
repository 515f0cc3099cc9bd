/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning for a scatter that is any tree: other sizes of torus, nodes of
 * different speed, fewer ports, other schedules. A tree is an array of
 * branches in preorder, as they travel: a node, then the subtrees of its
 * children in the order of sending, so that a child is sent its piece of the
 * array as it is. 16 bytes each, little-endian:
 *
 *    0  u32 units of the subtree       8  u16 nodes of the subtree
 *    4  u32 first unit of its range   10  u8  port, bits 4 to 7: turn
 *   12  u16 hops                      11  u8  phase, from 1; 0: the root
 *   14  u16 hops after the turn
 *
 * A node's range begins with its own share; the children's follow in the order
 * of the array. In an order `first unit` says how many times slower than the
 * reference the node computes, as a shift.
 */
#ifndef SCATTER_PLAN_TREE_H
#define SCATTER_PLAN_TREE_H

#include "hal/bytes.h"
#include "hal/nodiscard.h"
#include "scatter/plan/one_round.h"
#include "scatter/plan/wide.h"
#include "torus/torus.h"

#include <stdbool.h>

#define TREE_BRANCH_BYTES 16u
#define TREE_NODES_MAX 15625u
#define TREE_PHASES_MAX 240u
#define TREE_SLOW_SHIFT_MAX 3u

/* 0 on boards whose image has no room for several rounds along a tree
   (tree_rounds.h): 4 KiB with their sends. */
#ifndef TREE_ROUNDS
#define TREE_ROUNDS 1
#endif

static inline uint32_t tree_units(const uint8_t *branch)
{
    return bytes_load_u32(branch);
}

static inline uint32_t tree_first_unit(const uint8_t *branch)
{
    return bytes_load_u32(branch + 4);
}

static inline uint32_t tree_nodes(const uint8_t *branch)
{
    return bytes_load_u16(branch + 8);
}

static inline unsigned tree_phase(const uint8_t *branch)
{
    return branch[11];
}

static inline struct torus_path tree_path(const uint8_t *branch)
{
    return (struct torus_path){branch[10] & 0xfu, branch[10] >> 4,
                               bytes_load_u16(branch + 12),
                               bytes_load_u16(branch + 14)};
}

/* The next child of the same parent, or the parent's end. */
static inline const uint8_t *tree_next(const uint8_t *branch)
{
    return branch + TREE_BRANCH_BYTES * tree_nodes(branch);
}

/*
 * Whether `bytes` hold one whole tree: every subtree inside its parent's,
 * paths that torus_path_valid() accepts, phases that rise from parent to child
 * and never fall from child to child, up to TREE_PHASES_MAX.
 */
bool tree_valid(const uint8_t *tree, uint32_t bytes, struct torus_size size);

struct tree_input {
    uint32_t load_units;  /* 1 .. PLANNER_UNITS_MAX */
    uint64_t compute_ps;  /* per unit, of the reference: 1 .. TIME_MAX */
    uint64_t transfer_ps; /* per unit: 0 .. TIME_MAX, 2^16 * compute_ps */
    /* Costs of one circuit; each below 2^36 ps (69 ms), as are those of the
       software. */
    uint64_t startup_ps; /* whatever the circuit */
    uint64_t hop_ps;     /* for each hop */
    uint64_t branch_ps;  /* for each branch in the message */
    /* Costs of a node's software: struct scatter_costs draws the first three.
     */
    uint64_t split_ps;        /* message complete to the first child's send */
    uint64_t queue_ps;        /* each child's send */
    uint64_t kernel_start_ps; /* last send queued to the kernel's run() */
    uint64_t begin_ps;        /* the kernel's begin(); not of the root */
    uint8_t ports;            /* that a node uses at once: 1, 2 or 4 */
    bool store_and_forward;
    bool equal; /* the same share for every node, however long that takes */
};

/*
 * Plans how many units every subtree gets so that all nodes finish together.
 * Ports work independently; with s the time left of a node, its subtree takes
 * W(s) = p s - q units, and a child that is served when s is left of its
 * parent's port has s_c = (s - startup + transfer q_c) / (1 + transfer p_c)
 * left. Exact in O(nodes); node speeds as in Blazewicz, Drozdowski, Guinand,
 * Trystram 1999, section 5. While somebody would get less than nothing, the
 * last phase is cut off the tree. Times that exceed the arithmetic's range are
 * not cut to it: a node that would take longer than the originator alone counts
 * as one that gets less than nothing. So does one behind a circuit of more than
 * PLANNER_STAGES_MAX hops.
 *
 * Fills in units and first units; the shares are rounded so that every range
 * begins at the floor of its exact beginning. tree_valid() holds of the tree;
 * `work` takes tree_work_bytes(nodes), 8-byte aligned. Result: 0 and the
 * makespan and the last phase in use; ERR_EMPTY; ERR_RANGE: a number is out of
 * range, the makespan is 2^63 ps or more, the originator's software takes 2^35
 * units' time, or, with equal shares, anything 2^36. About 3000
 * instructions a node, where subtrees are alike.
 */
NODISCARD int tree_plan(uint8_t *tree, const struct tree_input *input,
                        void *work, uint64_t *makespan_ps, unsigned *phases);

/* Bytes of `work` that tree_plan() needs for a tree of so many nodes. */
uint32_t tree_work_bytes(uint32_t nodes);

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
    uint16_t stages;  /* of its circuit */
    uint8_t lane;     /* its parent's queue */
    uint8_t slow_shift;
};

/* What all nodes have in common. */
struct tree_common {
    int32_t makespan;  /* in steps */
    unsigned shift;    /* a unit takes the reference 2^shift steps to compute */
    uint32_t transfer; /* transfer / compute, in 2^-24 */
    uint32_t speeds;   /* of all nodes, in eighths of the reference's */
};

/*
 * The costs of every node that tree_plan() has left in the tree, which had not
 * equal shares; `work` is as tree_plan() left it. ERR_RANGE if the makespan is
 * that of less than 16 units or 2^23 or more, or transfer / compute 2^8.
 */
NODISCARD int tree_costs(struct tree_cost cost[], struct tree_common *common,
                         void *work);

/* A time in steps, after tree_costs(); it is below 2^31 of them. */
int32_t tree_steps(void *work, uint64_t time_ps);

/* The time of so many steps. */
uint64_t tree_time_ps(void *work, int32_t steps);

#endif
