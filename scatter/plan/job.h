/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job that is planned, with all costs that planners count. The originator
 * sets the fields before its first plan; planners only read them. Every planner
 * reads load_units, compute_ps and transfer_ps. Comments of other fields name
 * the planners that read them:
 *
 *   pattern     one_round.h, rounds.h, meanwhile.h, advance.h
 *   rounds      rounds.h, meanwhile.h, tree_rounds.h
 *   meanwhile   meanwhile.h
 *   tree        tree_plan.h, tree_rounds.h
 *   farm        farm.h
 *
 * Timelines of a node. Times are fields below without their _ps, and `units`,
 * in which the node computes its own units:
 *
 *   layer i - 1 | units                                |   pattern, one round
 *   layer i     | startup_ps[i - 1] | transfer | units |
 *
 *   pattern,    | begin | queue | round | units | merge | queue | round | ..
 *   rounds      receipt of round 1                      receipt of round 2
 *
 *   tree        | split | queue | .. | queue | start | begin | units | round |
 *               receipt    first send    last send                     receipt
 */
#ifndef SCATTER_PLAN_JOB_H
#define SCATTER_PLAN_JOB_H

#include "hal/err.h"
#include "hal/nodiscard.h"
#include "scatter/plan/fixed.h"

#define PLANNER_PHASES_MAX 20u
#define PLANNER_UNITS_MAX UINT32_MAX
#define PLANNER_TIME_MAX_PS ((uint64_t)1 << 40)    /* for one unit: 1.1 s */
#define PLANNER_STARTUP_MAX_PS ((uint64_t)1 << 50) /* 18 minutes */
#define PLANNER_LOAD_MAX_PS ((uint64_t)1 << 63)    /* for the load: 106 days */
#define PLANNER_RESULTS_MAX 1000u

/* Time of a circuit without transfer of units, in parts. hop: for each hop.
   branch: for each branch of its message (tree.h). */
struct plan_circuit {
    uint64_t startup;
    uint64_t hop;
    uint64_t branch;
};

struct plan_job {
    uint32_t load_units;  /* units of the load: 1 .. PLANNER_UNITS_MAX */
    uint64_t compute_ps;  /* compute time of a unit on a node that is not slow:
                             1 .. PLANNER_TIME_MAX_PS */
    uint64_t transfer_ps; /* transfer time of a unit: 0 .. PLANNER_TIME_MAX_PS;
                             tree: at most 2^16 * compute_ps */

    /* Circuits of the pattern. */
    uint8_t phases; /* number of phases, one_round.h: most phases;
                       0 .. PLANNER_PHASES_MAX */
    /* Index i: time between the begins of work in layers i and i + 1, without
       transfer of units. 0 .. PLANNER_STARTUP_MAX_PS. */
    uint64_t startup_ps[PLANNER_PHASES_MAX];
    /* Pattern in one round: length of a unit's output, in units, as a fraction.
       Both are 0 .. PLANNER_RESULTS_MAX; denominator 0: no output. */
    uint16_t results_numerator;
    uint16_t results_denominator;
    /* Of outputs that return during later rounds. */
    uint64_t output_ps; /* transfer time of a unit's output */
    uint64_t back_ps;   /* time to return a round's outputs, without transfer */

    /* Circuits of a tree and of a farm. */
    struct plan_circuit circuit_ps; /* tree: each field below 2^36 ps (69 ms) */
    uint8_t ports;          /* ports that a node uses at once: 1, 2, 4 */
    bool store_and_forward; /* tree: each hop takes a startup and a transfer */
    bool equal;             /* tree: all nodes get equal shares */

    /* Times of software: each below 2^36 ps for a tree, each at most
       PLANNER_STARTUP_MAX_PS for rounds. */
    uint64_t split_ps;  /* tree: from a node's receipt to its first send */
    uint64_t queue_ps;  /* to queue one send; pattern: all sends of a round */
    uint64_t start_ps;  /* tree: from the last queueing to the kernel's run() */
    uint64_t begin_ps;  /* tree: the kernel's begin(); pattern: more time in the
                           first round */
    uint64_t round_ps;  /* pattern: software in a round besides queue_ps and
                           merge_ps; tree: from end of run() to receipt */
    uint64_t merge_ps;  /* pattern: to merge results between two rounds */
    uint64_t child_ps;  /* meanwhile: to receive a child's outputs of a round */
    uint64_t return_ps; /* meanwhile: to queue the send of a round's outputs */
    uint64_t overhead_ps; /* rounds: originator's software in a later round */
    uint64_t first_ps;    /* meanwhile: from scatter's begin to first sends */
    uint64_t wait_ps; /* pattern, rounds: wait of the first sends for ports */

    /* The search for a number of rounds. */
    uint64_t gain_ps;   /* a further round must gain more time than this */
    uint32_t sends_max; /* tree: most sends of the originator in all rounds */

    /* Time from the sends of the advance until the sends of the next round. */
    uint64_t plan_ps;   /* if one round follows: 0 .. PLANNER_STARTUP_MAX_PS */
    uint64_t rounds_ps; /* additional time if several rounds follow */

    /* A farm. */
    uint32_t nodes;  /* the originator and the nodes that it serves; advance:
                        nodes of the mesh, 2 or more */
    uint32_t served; /* number of nodes that masters serve */
    uint32_t most_units; /* most units of a chunk: 1 or more */
    uint64_t demand_ps;  /* time to serve a demand, at most 2^32 ps */
    uint64_t call_ps;    /* a chunk's time besides its units: at most 2^36 ps */
    uint8_t installment; /* installment k of farm.h; 0: the farm chooses */
    bool varies;         /* a unit's time depends on its data */
};

/* Returns ERR_OK; ERR_EMPTY if the load has no units; ERR_RANGE if compute_ps,
   transfer_ps or load_units * compute_ps is out of range. */
NODISCARD static inline int plan_check_load(const struct plan_job *job)
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
