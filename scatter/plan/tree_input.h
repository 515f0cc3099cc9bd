/* SPDX-License-Identifier: Apache-2.0 */
/* What goes into any plan along a tree (tree.h): load, times and costs. */
#ifndef SCATTER_PLAN_TREE_INPUT_H
#define SCATTER_PLAN_TREE_INPUT_H

#include "hal/nodiscard.h"
#include "scatter/plan/one_round.h"
#include "scatter/plan/tree.h"

/* Costs of a circuit, in any unit of time. */
struct tree_circuit {
    uint64_t startup; /* whatever the circuit */
    uint64_t hop;     /* for each hop */
    uint64_t branch;  /* for each branch in the message */
};

struct tree_input {
    uint32_t load_units;  /* 1 .. PLANNER_UNITS_MAX */
    uint64_t compute_ps;  /* per unit, of the reference: 1 .. TIME_MAX */
    uint64_t transfer_ps; /* per unit: 0 .. TIME_MAX, 2^16 * compute_ps */
    struct tree_circuit circuit_ps; /* each below 2^36 ps (69 ms), as are: */
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

/* 0, or why no plan can be made of these numbers: ERR_EMPTY, ERR_RANGE. */
NODISCARD int tree_check(const struct tree_input *input);

/* The queue of a node's send number `order`, out of `port`: each port's own, or
   with fewer ports at once, the sends in turn. */
static inline unsigned tree_lane(const struct tree_input *input, unsigned port,
                                 uint32_t order)
{
    return input->ports == TORUS_PORTS ? port : order & (input->ports - 1u);
}

/* How many times a circuit's volume is sent in sequence, if it has so many
   hops: no more than PLANNER_STAGES_MAX, as no node behind more gets any. */
static inline uint32_t tree_stages(const struct tree_input *input,
                                   uint32_t hops)
{
    uint32_t stages = input->store_and_forward ? hops : 1;

    return stages < PLANNER_STAGES_MAX ? stages : PLANNER_STAGES_MAX;
}

#define TREE_STARTUP_LONG ((uint64_t)1 << 62)

/* Time of a circuit besides its volume: TREE_STARTUP_LONG if it has too many
   hops, or startup and branches cost 2^50 or more; else less than that. */
static inline uint64_t tree_startup(const struct tree_circuit *costs,
                                    const uint8_t *branch, uint32_t hops,
                                    uint32_t stages)
{
    uint64_t once = costs->startup + costs->branch * tree_nodes(branch);
    bool fits = (hops <= PLANNER_STAGES_MAX) & (once >> 50 == 0);

    /* The mask only lets an analysis see a size. */
    once &= ((uint64_t)1 << 50) - 1;
    return fits ? once * stages + costs->hop * hops : TREE_STARTUP_LONG;
}

/* How many times slower than the reference a node computes that has no units
   yet, as a shift. */
static inline unsigned tree_slow_shift(const uint8_t *branch)
{
    uint32_t shift = tree_first_unit(branch);

    return shift < TREE_SLOW_SHIFT_MAX ? shift : TREE_SLOW_SHIFT_MAX;
}

/* Stores a branch's range. */
static inline void tree_store_range(uint8_t *branch, uint32_t first_unit,
                                    uint32_t end_unit)
{
    bytes_store_u32(branch, end_unit - first_unit);
    bytes_store_u32(branch + 4, first_unit);
}

#endif
