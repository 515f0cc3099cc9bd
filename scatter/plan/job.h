/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is planned: one job, with all that planners know of it. Its fields are
 * set before the first plan; no planner changes any. A planner reads those that
 * every job has, and of the others those that name it:
 *
 *   pattern   one_round.h, rounds.h, meanwhile.h
 *   rounds    rounds.h, meanwhile.h, tree_rounds.h: where several are planned
 *   tree      tree_plan.h, tree_rounds.h
 *   farm      farm.h
 *
 * Software of a node is drawn in scatter/engine/core.h; of it count
 *
 *   pattern   startup_ps | queue, round  | queue, round  | ..
 *             receipt of   from a receipt  from the next
 *             the part     to the next     receipt on
 *   tree      split, queue of each child, start, begin
 */
#ifndef SCATTER_PLAN_JOB_H
#define SCATTER_PLAN_JOB_H

#include "hal/err.h"
#include "scatter/plan/fixed.h"

#define PLANNER_PHASES_MAX 20u
#define PLANNER_UNITS_MAX UINT32_MAX
#define PLANNER_TIME_MAX_PS ((uint64_t)1 << 40)    /* of a unit: 1.1 s */
#define PLANNER_STARTUP_MAX_PS ((uint64_t)1 << 50) /* 18 minutes */
#define PLANNER_LOAD_MAX_PS ((uint64_t)1 << 63)    /* V * compute: 106 days */
#define PLANNER_RESULTS_MAX 1000u

/* Costs of a circuit, in any unit of time. */
struct plan_circuit {
    uint64_t startup; /* of any circuit */
    uint64_t hop;     /* of each hop */
    uint64_t branch;  /* of each branch in the message */
};

struct plan_job {
    uint32_t load_units;  /* V: 1 .. PLANNER_UNITS_MAX */
    uint64_t compute_ps;  /* a node computes a unit, along a tree and of a farm
                             one that is not slow: 1 .. PLANNER_TIME_MAX_PS */
    uint64_t transfer_ps; /* a circuit moves a unit: 0 .. PLANNER_TIME_MAX_PS */

    /* Circuits of the pattern. */
    uint8_t phases; /* N at most: 0 .. PLANNER_PHASES_MAX */
    /* startup_ps[i - 1], 0 .. PLANNER_STARTUP_MAX_PS: time from when layer i -
       1 begins to compute until layer i does, without the transfer of units. */
    uint64_t startup_ps[PLANNER_PHASES_MAX];
    /* One round: P/Q units of output return for each unit of the load, over the
       same circuits; each 0 .. PLANNER_RESULTS_MAX. Q = 0: none is counted. */
    uint16_t results_numerator;
    uint16_t results_denominator;
    uint64_t output_ps; /* meanwhile: a circuit moves a unit's output */
    uint64_t back_ps;   /* meanwhile: circuits of all phases with the outputs
                           of a round, without the outputs' bytes */

    /* Circuits of a tree, and of a farm. */
    struct plan_circuit circuit_ps; /* tree: each below 2^36 ps (69 ms) */
    uint8_t ports;                  /* that a node uses at once: 1, 2 or 4 */
    bool store_and_forward;         /* tree: a volume is sent at every hop */
    bool equal; /* tree: equal shares, however long they take */

    /* Software: tree, each below 2^36 ps; rounds, each 0 ..
       PLANNER_STARTUP_MAX_PS. */
    uint64_t split_ps;  /* tree: message complete to the first child's send */
    uint64_t queue_ps;  /* tree: each child's send; pattern: those of a round */
    uint64_t start_ps;  /* tree: last send queued to the kernel's run() */
    uint64_t begin_ps;  /* tree: the kernel's begin(), not of the root; pattern:
                           what the first round takes longer than others */
    uint64_t round_ps;  /* rounds: a round but for its sends; of a tree, what
                           follows run() */
    uint64_t merge_ps;  /* pattern: results merged between two rounds */
    uint64_t child_ps;  /* meanwhile: a child's outputs received in a round */
    uint64_t return_ps; /* meanwhile: the own outputs sent in a round */
    uint64_t overhead_ps; /* rounds: the originator's in each after the first,
                             but for its sends */
    uint64_t first_ps;    /* meanwhile: time zero to the first sends queued */
    uint64_t wait_ps;     /* pattern, rounds: until the ports are free of an
                             announcement or an advance */

    /* Rounds that are looked for. */
    uint64_t gain_ps;   /* each must gain more than that */
    uint32_t sends_max; /* tree: of the originator, in all rounds */

    /* A farm: farm.h has the ranges. */
    uint32_t nodes;      /* n, that the originator serves and itself */
    uint32_t served;     /* nodes that masters serve */
    uint32_t most_units; /* of a chunk, from 1 */
    uint64_t demand_ps;  /* c: a demand takes the originator, to 2^32 */
    uint64_t call_ps;    /* a: a chunk takes a worker besides its units, to
                            2^36 */
    uint8_t installment; /* k; 0: the farm chooses */
    bool varies;         /* a unit takes what its data says */
};

/* 0, or why nobody can plan the load: ERR_EMPTY (no units); ERR_RANGE (its
   numbers or their product). */
static inline int plan_check_load(const struct plan_job *job)
{
    if (job->load_units == 0) {
        return ERR_EMPTY;
    }
    return job->compute_ps == 0 || job->compute_ps > PLANNER_TIME_MAX_PS ||
                   job->transfer_ps > PLANNER_TIME_MAX_PS ||
                   fixed_product(job->compute_ps, job->load_units) >
                       PLANNER_LOAD_MAX_PS
               ? ERR_RANGE
               : ERR_OK;
}

#endif
