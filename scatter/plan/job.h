/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is planned: one job, with all that planners know of it. An originator
 * sets the fields before its first plan; planners change none. Every planner
 * reads the load; of the others it reads those that name it:
 *
 *   pattern   one_round.h, rounds.h, meanwhile.h
 *   rounds    rounds.h, meanwhile.h, tree_rounds.h: several rounds
 *   tree      tree_plan.h, tree_rounds.h
 *   farm      farm.h
 *
 * A node's time from the receipt of its part on; it computes `units`:
 *
 *   layer i - 1 | units                               |
 *   layer i     | startup_ps[i - 1] | transfer | units |    one round
 *
 *               | begin | queue | round | units | merge | queue | ..   rounds
 *            receipt                                 receipt
 *
 *               | split | queue | .. | queue | start | units | round |   tree
 *            receipt   child          child                       receipt
 */
#ifndef SCATTER_PLAN_JOB_H
#define SCATTER_PLAN_JOB_H

#include "hal/err.h"
#include "hal/nodiscard.h"
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
    uint64_t compute_ps;  /* a node that is not slow computes one unit: 1 ..
                             PLANNER_TIME_MAX_PS */
    uint64_t transfer_ps; /* a circuit moves one unit: 0 .. PLANNER_TIME_MAX_PS;
                             along a tree at most 2^16 * compute_ps */

    /* Circuits of the pattern. */
    uint8_t phases; /* N at most: 0 .. PLANNER_PHASES_MAX */
    /* startup_ps[i - 1], 0 .. PLANNER_STARTUP_MAX_PS: time from when layer i -
       1 begins to compute until layer i does, without the transfer of units. */
    uint64_t startup_ps[PLANNER_PHASES_MAX];
    /* One round: P/Q units of output return for each unit of the load, over the
       same circuits; P, Q: 0 .. PLANNER_RESULTS_MAX. Q = 0: none is counted. */
    uint16_t results_numerator;
    uint16_t results_denominator;
    uint64_t output_ps; /* meanwhile: a circuit moves the output of a unit */
    uint64_t back_ps;   /* meanwhile: circuits of all phases return a round's
                           outputs, without the transfer of these */

    /* Circuits of a tree and of a farm. */
    struct plan_circuit circuit_ps; /* tree: each below 2^36 ps (69 ms) */
    uint8_t ports;                  /* a node uses 1, 2 or 4 at once */
    bool store_and_forward;         /* tree: each hop sends the whole volume */
    bool equal; /* tree: equal shares, however long they take */

    /* Software: of a tree below 2^36 ps each, of rounds at most
       PLANNER_STARTUP_MAX_PS each. */
    uint64_t split_ps; /* tree: a complete message to the first child's send */
    uint64_t queue_ps; /* tree: each child's send; pattern: all of a round */
    uint64_t start_ps; /* tree: the last send queued to the kernel's run() */
    uint64_t begin_ps; /* tree: the kernel's begin(), but for the root; pattern:
                          the first round takes so much longer than others */
    uint64_t round_ps; /* pattern: each round but for queue and units; tree: a
                          kernel's run() to the next receipt */
    uint64_t merge_ps; /* pattern: results merged between two rounds */
    uint64_t child_ps; /* meanwhile: a child's outputs received, each round */
    uint64_t return_ps;   /* meanwhile: the own outputs queued, each round */
    uint64_t overhead_ps; /* rounds: the originator's in each further round,
                             without its sends */
    uint64_t first_ps;    /* meanwhile: time zero to the first sends queued */
    uint64_t wait_ps; /* pattern, rounds: time until the ports are free of an
                         announcement or an advance */

    /* The search for a number of rounds. */
    uint64_t gain_ps;   /* every further round must gain more than this */
    uint32_t sends_max; /* tree: the originator's sends, in all rounds */

    /* A farm. */
    uint32_t nodes;      /* n: nodes that the originator serves, and itself */
    uint32_t served;     /* nodes that masters serve */
    uint32_t most_units; /* a chunk's most, from 1 */
    uint64_t demand_ps;  /* c: the originator's time for a demand, to 2^32 */
    uint64_t call_ps;    /* a: a chunk's time besides its units, to 2^36 */
    uint8_t installment; /* k; 0: the farm chooses */
    bool varies;         /* a unit's time depends on its data: the chunk before
                            does not tell what the next one takes */
};

/* 0, or why nobody can plan the load: ERR_EMPTY (no units); ERR_RANGE (its
   numbers or their product). */
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
